import {
  type Address,
  type ClientTls,
  type ClusterOptions,
  type KafkaCluster,
  type SaslLogin,
  withCluster,
} from '@weir/client';
import { Failure } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { resolveClientLogin } from '../rules/client-login.ts';
import { resolveClientTls } from '../rules/client-tls.ts';

/** The flags for the connection to a cluster, which every tool takes. */
export type ConnectionValues = Pick<
  FlagValues,
  | 'bootstrap-host'
  | 'bootstrap-port'
  | 'client-id'
  | 'request-timeout'
  | 'tls'
  | 'tlsServerCACertFile'
  | 'tlsClientCertFile'
  | 'tlsClientPrivateKeyFile'
  | 'tlsSkipVerify'
  | 'username'
  | 'password'
  | 'saslMechanism'
  | 'oauthToken'
  | 'oauthTokenFile'
>;

/** Runs the work of a tool on the cluster that the flags name. */
export async function onCluster<Result>(
  values: ConnectionValues,
  deps: Deps,
  work: (cluster: KafkaCluster) => Promise<Result>,
): Promise<Result> {
  return await withCluster(await clusterOptions(values, deps), work);
}

/** The connection options of the cluster that the flags name. */
export async function clusterOptions(values: ConnectionValues, deps: Deps): Promise<ClusterOptions> {
  const { clock, stop } = deps;
  warnOfSkippedVerification(values, deps);
  return {
    bootstrap: bootstrapAddresses(values),
    tls: await readTlsFiles(values),
    login: await loginOf(values),
    clientId: values['client-id'],
    timeoutMs: values['request-timeout'],
    clock,
    stop,
  };
}

/** The brokers to try first, in the order in which they were given. */
function bootstrapAddresses({
  'bootstrap-host': hosts,
  'bootstrap-port': otherPort,
}: ConnectionValues): ClusterOptions['bootstrap'] {
  const [first, ...others] = hosts.map(({ host, port = otherPort }): Address => ({ host, port }));
  if (first === undefined) throw new Failure('-bootstrap-host: an empty value is not allowed');
  return [first, ...others];
}

export function warnOfSkippedVerification(
  { tlsSkipVerify }: Pick<ConnectionValues, 'tlsSkipVerify'>,
  { output }: Deps,
): void {
  if (!tlsSkipVerify) return;
  output.err('weir: warning: -tls-skip-verify: certificates are not verified; others may read the traffic\n');
}

/** The login that the flags ask for. A token file is read once in advance, so that a wrong path is reported first. */
async function loginOf(values: ConnectionValues): Promise<SaslLogin | undefined> {
  const resolved = resolveClientLogin(values);
  // The rules have rejected every invalid combination before a command runs.
  if ('problem' in resolved || resolved.value === undefined) return undefined;
  const login = resolved.value;
  if ('token' in login) return { mechanism: 'OAUTHBEARER', token: async () => login.token };
  if (!('tokenPath' in login)) return login;
  const token = () => readToken(login.tokenPath);
  await token();
  return { mechanism: 'OAUTHBEARER', token };
}

/** The characters that RFC 6750 allows in a token. Anything else is probably the wrong file. */
const tokenPattern = /^[A-Za-z0-9._~+/-]+=*$/;

export async function readToken(path: string): Promise<string> {
  const { readFlagFile } = await import('./flag-file.ts');
  const bytes = await readFlagFile('oauthTokenFile', path);
  const token = bytes.toString().trim();
  if (!tokenPattern.test(token)) throw new Failure(`-oauth-token-file=${path}: not a valid token`);
  return token;
}

export async function readTlsFiles(
  values: Parameters<typeof resolveClientTls>[0],
): Promise<ClientTls | undefined> {
  const files = resolveClientTls(values);
  if ('problem' in files || files.value === undefined) return undefined;
  return (await import('./tls-files.ts')).readTlsFiles(files.value);
}
