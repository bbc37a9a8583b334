import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import type { ClusterOptions } from '../kafka/cluster.ts';
import type { ClientTls } from '../kafka/open-socket.ts';
import { resolveClientTls } from '../rules/client-tls.ts';
import type { Surroundings } from '../surroundings.ts';

/** The flags that say how to reach a cluster, which every tool takes. */
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
>;

/** How to reach the cluster that the flags name. */
export async function clusterOptions(
  values: ConnectionValues,
  { clock, stop }: Surroundings,
): Promise<ClusterOptions> {
  return {
    bootstrap: { host: values['bootstrap-host'], port: values['bootstrap-port'] },
    tls: await readTlsFiles(values),
    clientId: values['client-id'],
    timeoutMs: values['request-timeout'],
    clock,
    stop,
  };
}

async function readTlsFiles(values: ConnectionValues): Promise<ClientTls | undefined> {
  const files = resolveClientTls(values);
  // The rules have refused every forbidden combination before a command runs.
  if ('problem' in files || files.value === undefined) return undefined;
  const { authoritiesPath, certificatePath, privateKeyPath } = files.value;
  const [authorities, certificate, privateKey] = await Promise.all([
    readPem('tlsServerCACertFile', authoritiesPath),
    readPem('tlsClientCertFile', certificatePath),
    readPem('tlsClientPrivateKeyFile', privateKeyPath),
  ]);
  return {
    ...(authorities === undefined ? {} : { authorities }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

async function readPem(flag: FlagName, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`-${flag}=${path}: cannot be read (${code})`);
  }
}
