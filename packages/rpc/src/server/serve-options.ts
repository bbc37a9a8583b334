import type { Clock, Log, Metrics } from '@weir/core';
import type { ReplyMemory } from './reply-memory.ts';
import type { ServedCluster } from './served-cluster.ts';

export interface ServeOptions {
  readonly clusterId: string;
  /** The cluster in this process, looked up for every call; `undefined` if it is not here at present. */
  readonly cluster: () => ServedCluster | undefined;
  /** The addresses of all control-plane processes, this one included. */
  readonly members: () => readonly string[];
  /** The region of a member, if it has one. */
  readonly regionOf?: ((url: string) => string | undefined) | undefined;
  /** Whether the caller is another control-plane process, and not an agent. */
  readonly isMember?: boolean;
  /** Called for every call that an agent may not make. */
  readonly onForbiddenCall?: ((method: string, agentId: string | undefined) => void) | undefined;
  readonly memory: ReplyMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}
