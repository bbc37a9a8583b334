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
  // Checked where it is kept: an agent whose report cannot be used lives all the same.
  report: anything as Shape<AgentHeartbeat['report']>,
});

/** The calls by which agents say that they live, leave and share a cluster. */
export const agentCalls = {
  /**
   * Says that an agent lives, and learns which others do, and its own node id. An agent that is silent for `agentSilenceMsMax` is
   * gone. The next heartbeat says the same, so that waiting long for this one is of no use.
   */
  heartbeat: leaderCall<[heartbeat: AgentHeartbeat], readonly AgentDescription[]>(tuple(heartbeat), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Says that an agent is about to stop, so that clients are sent elsewhere at once. */
  leave: leaderCall<[agentId: string], void>(tuple(text), { onRetry: 'reexecute', deadlineMs: 6_000 }),
  /**
   * Asks for the lock that one agent of a group has while it shuts down. The answer is whether the agent has it, for
   * `shutdownLeaseMs` from now on; asking again keeps it.
   */
  lockShutdown: leaderCall<[request: ShutdownLockRequest], boolean>(
    tuple(object<ShutdownLockRequest>({ agentId: text, group: text, hasIt: flag })),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
  /** Gives the lock to the agent that asks next. */
  unlockShutdown: leaderCall<[agentId: string], void>(tuple(text), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Makes the bucket with this id the cluster's, unless it has one, and returns the id of the one it has. `null` only asks. */
  claimBucket: leaderCall<[bucketId: string | null], string | null>(tuple(nullable(text)), {
    onRetry: 'reexecute',
  }),
};
