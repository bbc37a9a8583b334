import { aclCalls } from './acl-calls.ts';
import { adminCalls } from './admin-calls.ts';
import { agentCalls } from './agents/agent-calls.ts';
import type { PortOf } from './call.ts';
import type { ClusterFollower } from './change-stream.ts';
import { cloneCalls } from './clone-calls.ts';
import { compactionCalls } from './compaction-calls.ts';
import { eventCalls } from './event-calls.ts';
import { fileCalls } from './file-calls.ts';
import { groupCalls } from './groups/group-calls.ts';
import { shareCalls } from './groups/share-calls.ts';
import { healthCalls } from './health-calls.ts';
import { jobCalls } from './job-calls.ts';
import { logCalls } from './log-calls.ts';
import { migrationCalls } from './migration-calls.ts';
import { migrationReportCalls } from './migration-report-calls.ts';
import { ownerCalls } from './owner-calls.ts';
import { principalCalls } from './principal-calls.ts';
import { queryCalls } from './query-calls.ts';
import { registryCalls } from './registry-calls.ts';
import { seriesCalls } from './series-calls.ts';
import { tableCalls } from './table-calls.ts';
import { tokenCalls } from './token-calls.ts';
import { topicCalls } from './topic-calls.ts';
import { transactionCalls } from './transaction-calls.ts';

/**
 * The single definition of every call of the port. The type of the port, the RPC, retries, permissions and test doubles
 * derive from it. Commands and queries are implemented in the state machine (package `machine`), other calls in
 * `leader/answer-call.ts` of `metadata`; a call without an implementation does not compile.
 */
export const clusterCalls = {
  ...logCalls,
  ...compactionCalls,
  ...topicCalls,
  ...aclCalls,
  ...adminCalls,
  ...cloneCalls,
  ...eventCalls,
  ...fileCalls,
  ...groupCalls,
  ...healthCalls,
  ...jobCalls,
  ...migrationCalls,
  ...migrationReportCalls,
  ...ownerCalls,
  ...principalCalls,
  ...queryCalls,
  ...registryCalls,
  ...seriesCalls,
  ...shareCalls,
  ...tableCalls,
  ...tokenCalls,
  ...transactionCalls,
  ...agentCalls,
};

export type CallName = keyof typeof clusterCalls;

type CallPort = PortOf<typeof clusterCalls>;

/**
 * The interface between an agent and the control plane for one virtual cluster. The cluster's leader implements it in
 * process, the RPC client over a connection; the agent cannot distinguish the two.
 *
 * Lists in, lists out: results are in the order of the arguments, and one call costs one round trip whatever its
 * length. Offsets, sizes, timestamps and producer ids are numbers, exact up to 2^53; the agent converts the bigints of
 * the Kafka protocol. Errors of single entries have the names of Kafka's errors, which the agent maps to codes. A
 * promise rejects only when the call as a whole failed, with `ClusterUnavailable` if a retry may succeed.
 */
export interface ClusterPort extends CallPort {
  /**
   * Follows the cluster: first `onSnapshot`, then every change in order. When the connection or the leader is lost,
   * another `onSnapshot` follows after recovery. Returns a function that stops following.
   */
  follow(follower: ClusterFollower): () => void;
}

export type ArgsOf<Name extends CallName> = Parameters<CallPort[Name]>;

export type AnswerOf<Name extends CallName> = Awaited<ReturnType<CallPort[Name]>>;

export const callNames = Object.keys(clusterCalls) as readonly CallName[];

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(clusterCalls, name);
}

/** The limit that a call counts against. */
export type CallClass = 'working' | 'waiting';

export function callClass(name: string): CallClass {
  return isCallName(name) && clusterCalls[name].waits ? 'waiting' : 'working';
}

/** Returns a base class with a method for every call; each forwards to the function passed to the constructor. */
export function callPortClass(): abstract new (
  call: (name: CallName, args: readonly unknown[]) => Promise<unknown>,
) => CallPort {
  abstract class Calls {
    constructor(call: (name: CallName, args: readonly unknown[]) => Promise<unknown>) {
      Object.assign(this, portOf(call));
    }
  }
  return Calls as never;
}

/** Returns a port whose calls all forward to one function. */
export function portOf(call: (name: CallName, args: readonly unknown[]) => Promise<unknown>): CallPort {
  const methods = callNames.map((name) => [name, (...args: readonly unknown[]) => call(name, args)]);
  // Safe cast: the table has a row per method, and each method returns the answer of its call.
  return Object.fromEntries(methods) as CallPort;
}

/** Makes a call by name. The arguments must have its shape, which is not checked here. */
export function callOn(port: CallPort, name: CallName, args: readonly unknown[]): Promise<unknown> {
  return (port[name] as (...given: readonly unknown[]) => Promise<unknown>).apply(port, [...args]);
}
