import type { BucketPair, BucketToRegister } from '../../cluster-buckets.ts';
import { clusterLimits } from '../../limits.ts';
import * as s from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { AgentReport } from './agent-report.ts';

/**
 * How long agents that the previous leader knew have to connect to a new one, after the first of them has: many connect
 * one after the other. One that does not has died together with the leader, as when a region is lost.
 */
export function takenOverGraceMs(agentCount: number): number {
  return 500 + agentCount;
}

export interface AgentDescription {
  readonly agentId: string;
  /**
   * The broker id that clients see. The leader assigns it (node-ids/); the value in an agent's heartbeat matters only
   * to leaders of earlier releases.
   */
  readonly nodeId: number;
  readonly host: string;
  /**
   * The port where Kafka clients find the agent. An agent of a schema registry has its registry port here too, by which
   * agents of one host differ.
   */
  readonly kafkaPort: number;
  /** The port of the schema registry that the agent serves. Absent in heartbeats of agents of earlier releases. */
  readonly registryPort?: number | undefined;
  /** URL from which other agents fetch pages. */
  readonly internalUrl: string;
  readonly zone: string;
  /** Where it is, if the cluster spans several regions. Absent in heartbeats of agents of earlier releases. */
  readonly region?: string | undefined;
  readonly group: string;
  readonly roles: readonly string[];
  /** The categories of background jobs that an agent with the role `jobs` takes; all if absent. */
  readonly jobCategories?: readonly string[] | undefined;
  readonly release: string;
  readonly cpuCount: number;
  /** 0 to 1. */
  readonly cpuLoad: number;
}

/** What an agent sends every few seconds: its description and, in some heartbeats, a report of its stats. */
export interface AgentHeartbeat extends AgentDescription {
  /** Absent in heartbeats of agents of earlier releases. The leader does not forward it to other agents. */
  readonly report?: AgentReport | undefined;
}

/** An agent and the broker id that clients see. */
export type NamedAgent = Pick<AgentDescription, 'agentId' | 'nodeId'>;

/**
 * Interval between heartbeats of an agent. Heartbeats are most of what a control plane of many agents has to do, and
 * what is urgent is known without them: a connection that breaks, an agent that leaves.
 */
export const heartbeatIntervalMs = 4_000;

/** The loads at which agents begin and cease to count as overloaded. */
export const overloadedFrom = 0.9;
export const overloadedUntil = 0.7;

/**
 * The leader sends loads to the agents when one crosses a threshold of overload, which counts after a minute of it, at
 * the first interval. Smaller changes serve metrics only: those of at least `loadStep` are sent at the second one, and
 * others with the next change.
 */
export const overloadIntervalMs = 10_000;
export const loadStep = 0.05;
export const loadIntervalMs = 60_000;

/** An agent without a heartbeat for this long is considered gone. */
export const agentSilenceMsMax = 9_000;

const heartbeat = s.object<AgentHeartbeat>({
  agentId: s.text,
  nodeId: s.whole,
  host: s.text,
  kafkaPort: s.whole,
  registryPort: s.optional(s.whole),
  internalUrl: s.text,
  zone: s.text,
  region: s.optional(s.text),
  group: s.text,
  roles: s.list(s.text),
  jobCategories: s.optional(s.list(s.text)),
  release: s.text,
  cpuCount: s.number,
  cpuLoad: s.number,
  // Validated where it is stored, so that an agent whose report is unusable still counts as live.
  report: s.anything as s.Shape<AgentHeartbeat['report']>,
});

const shutdownLockRequest = s.struct({
  agentId: s.text,
  group: s.text,
  /** The agent already holds the lock and renews it. */
  hasIt: s.flag,
});
export type ShutdownLockRequest = s.TypeOf<typeof shutdownLockRequest>;

/** A shutdown lock is released when its agent is silent for this long. */
export const shutdownLeaseMs = agentSilenceMsMax;
/** How often an agent asks for the lock, and renews it while it shuts down. */
export const shutdownLockIntervalMs = 2_000;

const bucketName: s.Shape<string> = (value, where) =>
  s.text(value, where) ?? (/^[\w-]{1,64}$/.test(value as string) ? undefined : `${where}: not a bucket id`);

const bucketUrl: s.Shape<string> = (value, where) =>
  s.text(value, where) ??
  ((value as string).length > clusterLimits.bucketUrlCharsMax
    ? `${where}: longer than ${clusterLimits.bucketUrlCharsMax} characters`
    : undefined);

/** Calls by which agents report that they are live, leave, and share a cluster. */
export const agentCalls = {
  /**
   * Reports that an agent is live; returns the agent with its node id. Leaders of earlier releases return all live
   * agents, which the change stream contains too. An agent that is silent for `agentSilenceMsMax` is gone. The deadline
   * is short because the next heartbeat carries the same state.
   */
  heartbeat: leaderCall<[heartbeat: AgentHeartbeat], readonly NamedAgent[]>(s.tuple(heartbeat), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Reports that an agent is about to stop, so that clients are redirected at once. */
  leave: leaderCall<[agentId: string], void>(s.tuple(s.text), { onRetry: 'reexecute', deadlineMs: 6_000 }),
  /**
   * Requests the lock that one agent of a group holds while it shuts down. Returns whether the agent holds it, for
   * `shutdownLeaseMs` from now; repeating the request renews it.
   */
  lockShutdown: leaderCall<[request: ShutdownLockRequest], boolean>(s.tuple(shutdownLockRequest), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Releases the lock. */
  unlockShutdown: leaderCall<[agentId: string], void>(s.tuple(s.text), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /**
   * Assigns the bucket with this id to the cluster unless it already has one; returns the id of the cluster's bucket.
   * `null` only reads it.
   */
  claimBucket: leaderCall<[bucketId: string | null], string | null>(s.tuple(s.nullable(s.text)), {
    onRetry: 'reexecute',
  }),
  /**
   * Returns the number of a bucket of the cluster, by the id that lies in it: a new number for a new bucket. -1 if none
   * is left, or if the cluster has no first bucket yet. Leaders of earlier releases do not know the call.
   */
  registerBucket: leaderCall<[bucket: BucketToRegister], number>(
    s.tuple(s.object<BucketToRegister>({ bucketId: bucketName, url: s.nullable(bucketUrl) })),
    { onRetry: 'reexecute' },
  ),
  /** Returns the pair of buckets that agents are started with; this one, unless the cluster has another. */
  claimBucketPair: leaderCall<[pair: BucketPair], BucketPair>(
    s.tuple(s.object<BucketPair>({ ingestion: s.whole, compaction: s.whole })),
    { onRetry: 'reexecute' },
  ),
};
