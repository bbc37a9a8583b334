import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock } from '@weir/core';
import { SourceCluster } from './source-cluster.ts';
import type { SourceCredentials } from './source-credentials.ts';
import { sourceLogin } from './source-login.ts';

interface OpenSourceOptions {
  readonly configuration: {
    readonly brokers: readonly { readonly hostname: string; readonly port: number }[];
    readonly credentials: SourceCredentials | undefined;
  };
  /** The values of the named secrets that the configuration refers to. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly tenantAccess: TenantAccess;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** Opens the source of a configuration, with what its credentials name on this machine. Nothing is connected to yet. */
export async function openSource({
  configuration: { brokers, credentials },
  secrets,
  tenantAccess: { hosts, variables, lentAwsCredentials },
  clock,
  stop,
}: OpenSourceOptions): Promise<SourceCluster> {
  const login = await sourceLogin(credentials, {
    variable: (name) => variables.migrationValueOf(name),
    secrets,
    lentAwsCredentials,
    clock,
  });
  return new SourceCluster({
    ...login,
    bootstrap: brokers.map(({ hostname, port }) => ({ host: hostname, port })),
    lookupFor: (host, port) => hosts.lookupFor(host, port),
    clock,
    stop,
  });
}
