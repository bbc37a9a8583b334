import type { ClusterPort } from '../src/calls/cluster-calls.ts';
import { callNames } from '../src/calls/cluster-calls.ts';
import { ClusterUnavailable } from '../src/ports/port.ts';

/** The calls that a fake leaves to `refusingCluster`. */
type NotFaked<Faked extends keyof ClusterPort> = Omit<ClusterPort, Faked | 'follow'>;

/**
 * What a fake of the cluster is made on: every call of the port refuses as if no leader were there, until the fake has one of its
 * own. Groups, transactions and the like are tested with a real leader over a journal in memory, because their answers depend on each
 * other.
 */
export function refusingCluster<Faked extends keyof ClusterPort>(): new () => NotFaked<Faked> {
  class RefusingCluster {}
  for (const name of callNames) {
    const value = () => Promise.reject(new ClusterUnavailable(`${name}: this cluster is a fake without it`));
    Object.defineProperty(RefusingCluster.prototype, name, { value, configurable: true, writable: true });
  }
  return RefusingCluster as new () => NotFaked<Faked>;
}
