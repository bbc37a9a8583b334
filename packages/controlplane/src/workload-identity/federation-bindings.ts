import type { Clock } from '@weir/core';
import type { Federations } from '../accounts/workspaces/federations.ts';
import { controlPlaneLimits } from '../limits.ts';
import { bindingOfFederation, type WorkloadIdentityBinding } from './binding.ts';

interface FederationBindingsOptions {
  readonly federations: Pick<Federations, 'admittingTo'>;
  readonly clock: Clock;
}

/** How long a read is cached. A deleted federation admits no agent after that, in any process. */
const freshMs = 2_000;

interface Known {
  readonly readMs: number;
  readonly bindings: Promise<readonly WorkloadIdentityBinding[]>;
}

/**
 * Returns the bindings of a cluster's federations. Agents that connect together share one database query. Failures are
 * not cached.
 */
export function federationBindings({
  federations,
  clock,
}: FederationBindingsOptions): (clusterId: string) => Promise<readonly WorkloadIdentityBinding[]> {
  /** The least recently used first. */
  const known = new Map<string, Known>();

  function read(clusterId: string): Known {
    const bindings = federations.admittingTo(clusterId).then((all) => all.map(bindingOfFederation));
    const entry: Known = { readMs: clock.monotonicMs(), bindings };
    bindings.catch(() => {
      if (known.get(clusterId) === entry) known.delete(clusterId);
    });
    return entry;
  }

  return (clusterId) => {
    const before = known.get(clusterId);
    const isFresh = before !== undefined && clock.monotonicMs() - before.readMs < freshMs;
    const entry = isFresh ? before : read(clusterId);
    known.delete(clusterId);
    known.set(clusterId, entry);
    if (known.size > controlPlaneLimits.federatedClustersMax) {
      const [oldest] = known.keys();
      known.delete(oldest!);
    }
    return entry.bindings;
  };
}
