import { Failure } from '@weir/core';
import type { RegistryClient, RegistryCredentials } from '@weir/registry';
import { RegistryRefusal, RegistryUnavailable } from '@weir/registry/client';
import type { Deps } from '../../deps.ts';
import type { FlagValues } from '../../flags/catalogue.ts';
import { resolveClientLogin } from '../../rules/client-login.ts';
import { registryTlsValues } from '../../rules/registry-tools.ts';
import { readTlsFiles, readToken, warnOfSkippedVerification } from '../connection.ts';
import { openRegistryClient } from '../registry-client.ts';
import { unreachableLine } from './unreachable-registry.ts';

/** The flags for the connection to a registry, which every tool of registries takes. */
type RegistryValues = Pick<
  FlagValues,
  | 'schemaRegistryURL'
  | 'request-timeout'
  | 'tlsServerCACertFile'
  | 'tlsClientCertFile'
  | 'tlsClientPrivateKeyFile'
  | 'tlsSkipVerify'
  | 'username'
  | 'password'
  | 'oauthToken'
  | 'oauthTokenFile'
>;

/** Runs work on the registry that the flags name. What the registry refuses is a `Failure` of one line. */
export async function withRegistry<Result>(
  values: RegistryValues,
  deps: Deps,
  work: (registry: RegistryClient, stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  warnOfSkippedVerification(values, deps);
  const client = await openRegistryClient({
    values,
    credentials: await credentialsOf(values),
    tls: await readTlsFiles(registryTlsValues(values)),
    clock: deps.clock,
  });
  try {
    return await work(client, deps.stop);
  } catch (error) {
    if (error instanceof RegistryRefusal) throw new Failure(error.message, { cause: error });
    if (error instanceof RegistryUnavailable) throw new Failure(unreachableLine(error), { cause: error });
    if (deps.stop.aborted) throw new Failure('stopped', { cause: error });
    throw error;
  } finally {
    client.close();
  }
}

async function credentialsOf(values: RegistryValues): Promise<RegistryCredentials | undefined> {
  const resolved = resolveClientLogin({ ...values, saslMechanism: undefined });
  // The rules have rejected every invalid combination before a command runs.
  if ('problem' in resolved || resolved.value === undefined) return undefined;
  const login = resolved.value;
  if ('token' in login) return { kind: 'bearer', token: login.token };
  if ('tokenPath' in login) return { kind: 'bearer', token: await readToken(login.tokenPath) };
  return { kind: 'basic', username: login.username, password: login.password };
}
