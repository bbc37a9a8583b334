import type { Clock, Log, Metrics } from '@weir/core';
import { readTrustedFile } from '../files/private-file.ts';
import { WatchedFile } from '../files/watched-file.ts';
import { parseBindings } from '../workload-identity/binding.ts';
import { platformIssuers } from '../workload-identity/platform-issuers.ts';
import { TokenExchange } from '../workload-identity/token-exchange.ts';
import { SettingsFileProblem } from './settings-file-problem.ts';

export interface WorkloadIdentitiesOptions {
  /** The file that says whose identity tokens admit an agent. */
  readonly path: string;
  readonly secretOf: (clusterId: string) => Uint8Array | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What admits agents by the identity that their platform gives them. */
export async function workloadIdentities(
  { path, secretOf, clock, log, metrics }: WorkloadIdentitiesOptions,
  running: AsyncDisposableStack,
): Promise<TokenExchange> {
  const file = await WatchedFile.open({
    path,
    read: readTrustedFile,
    parse: parseBindings,
    clock,
    log,
  }).catch((error: Error) => {
    throw new SettingsFileProblem('workloadIdentityBindingsFile', path, error);
  });
  running.defer(() => file.stop());
  const issuers = platformIssuers({ clock, log });
  running.defer(() => issuers.close());
  file.watch((hasChanged) => {
    if (!hasChanged) return;
    log.info('the bindings of workload identities have changed', { path, count: file.content.length });
    issuers.keepOnly(new Set(file.content.map(({ issuer }) => issuer)));
  });
  return new TokenExchange({ bindings: () => file.content, secretOf, issuers, clock, log, metrics });
}
