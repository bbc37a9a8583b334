import type { Clock, Log, Metrics } from '@weir/core';
import type { Federations } from '../accounts/workspaces/federations.ts';
import { readTrustedFile } from '../files/private-file.ts';
import { WatchedFile } from '../files/watched-file.ts';
import type { SecretsOf } from '../workload-identity/agent-tokens.ts';
import type { WorkloadIdentityBinding } from '../workload-identity/binding.ts';
import { federationBindings } from '../workload-identity/federation-bindings.ts';
import { federationIssuers, platformIssuers } from '../workload-identity/platform-issuers.ts';
import { TokenExchange, type TokenRegions } from '../workload-identity/token-exchange.ts';
import { SettingsFileProblem } from './settings-file-problem.ts';

interface WorkloadIdentitiesOptions {
  /** The file that defines whose identity tokens admit an agent. */
  readonly path: string | undefined;
  /** The federations that users created. */
  readonly federations: Federations;
  /** Whether their issuers may have addresses that are not on the public internet. */
  readonly allowsPrivateIssuers: boolean;
  readonly secretsOf: SecretsOf;
  readonly regions: TokenRegions;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Admits agents by the identity of their platform. */
export interface WorkloadIdentities {
  /** Issues tokens in exchange, and verifies them. */
  readonly tokens: TokenExchange;
  /** The current bindings of the file, of all clusters. */
  readonly fileBindings: () => readonly WorkloadIdentityBinding[];
}

export async function workloadIdentities(
  options: WorkloadIdentitiesOptions,
  running: AsyncDisposableStack,
): Promise<WorkloadIdentities> {
  const { path, federations, allowsPrivateIssuers, secretsOf, regions, clock, log, metrics } = options;
  const issuers = platformIssuers({ clock, log });
  running.defer(() => issuers.close());
  const ofFederations = federationIssuers({ clock, log, allowsPrivateAddresses: allowsPrivateIssuers });
  running.defer(() => ofFederations.close());
  const fileBindings = path === undefined ? () => [] : await bindingsOfFile(path, options, issuers, running);
  const federated = federationBindings({ federations, clock });
  const tokens = new TokenExchange({
    bindings: async (clusterId) => [...fileBindings(), ...(await federated(clusterId))],
    secretsOf,
    regions,
    issuers,
    federationIssuers: ofFederations,
    clock,
    log,
    metrics,
  });
  return { tokens, fileBindings };
}

async function bindingsOfFile(
  path: string,
  { clock, log }: Pick<WorkloadIdentitiesOptions, 'clock' | 'log'>,
  issuers: ReturnType<typeof platformIssuers>,
  running: AsyncDisposableStack,
): Promise<() => readonly WorkloadIdentityBinding[]> {
  // Loaded with its schema only if there is a file.
  const { parseBindings } = await import('../workload-identity/bindings-file.ts');
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
  file.watch((hasChanged) => {
    if (!hasChanged) return;
    log.info('loaded workload identity bindings', { path, count: file.content.length });
    issuers.keepOnly(new Set(file.content.map(({ issuer }) => issuer)));
  });
  return () => file.content;
}
