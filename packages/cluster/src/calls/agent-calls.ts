import type { AgentHeartbeat } from '../ports/agent-report.ts';
import type { AgentDescription, ShutdownLockRequest } from '../ports/port.ts';
import {
  anything,
  flag,
  list,
  nullable,
  number,
  object,
  type Shape,
  text,
  tuple,
  whole,
} from '../shapes/shape.ts';
import { leaderCall } from './call.ts';

const heartbeat = object<AgentHeartbeat>({
  agentId: text,
  nodeId: whole,
  host: text,
  kafkaPort: whole,
  internalUrl: text,
  zone: text,
  group: text,
  roles: list(text),
  release: text,
  cpuCount: number,
  cpuLoad: number,
  // Validated where it is stored, so that an agent whose report is unusable still counts as live.
  report: anything as Shape<AgentHeartbeat['report']>,
});

/** Calls by which agents report that they are live, leave, and share a cluster. */
export const agentCalls = {
  /**
   * Reports that an agent is live; returns the live agents, including its own node id. An agent that is silent for
   * `agentSilenceMsMax` is gone. The deadline is short because the next heartbeat carries the same state.
   */
  heartbeat: leaderCall<[heartbeat: AgentHeartbeat], readonly AgentDescription[]>(tuple(heartbeat), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Reports that an agent is about to stop, so that clients are redirected at once. */
  leave: leaderCall<[agentId: string], void>(tuple(text), { onRetry: 'reexecute', deadlineMs: 6_000 }),
  /**
   * Requests the lock that one agent of a group holds while it shuts down. Returns whether the agent holds it, for
   * `shutdownLeaseMs` from now; repeating the request renews it.
   */
  lockShutdown: leaderCall<[request: ShutdownLockRequest], boolean>(
    tuple(object<ShutdownLockRequest>({ agentId: text, group: text, hasIt: flag })),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
  /** Releases the lock. */
  unlockShutdown: leaderCall<[agentId: string], void>(tuple(text), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /**
   * Assigns the bucket with this id to the cluster unless it already has one; returns the id of the cluster's bucket.
   * `null` only reads it.
   */
  claimBucket: leaderCall<[bucketId: string | null], string | null>(tuple(nullable(text)), {
    onRetry: 'reexecute',
  }),
};
