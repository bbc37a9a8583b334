import { ClusterUnavailable } from '../src/calls/call-errors.ts';
import type { ClusterPort } from '../src/calls/cluster-calls.ts';
import { callNames } from '../src/calls/cluster-calls.ts';

/** The calls that a fake does not implement. */
type NotFaked<Faked extends keyof ClusterPort> = Omit<ClusterPort, Faked | 'follow'>;

/**
 * Base class of cluster fakes: every call that the fake does not implement is refused as if there were no leader.
 * Groups, transactions and the like are tested with a real leader over an in-memory journal, because their answers
 * depend on each other.
 */
export function refusingCluster<Faked extends keyof ClusterPort>(): new () => NotFaked<Faked> {
  class RefusingCluster {}
  for (const name of callNames) {
    const value = () => Promise.reject(new ClusterUnavailable(`${name}: this cluster is a fake without it`));
    Object.defineProperty(RefusingCluster.prototype, name, { value, configurable: true, writable: true });
  }
  return RefusingCluster as new () => NotFaked<Faked>;
}
