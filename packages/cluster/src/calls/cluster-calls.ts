import type { ClusterFollower } from '../ports/port.ts';
import { aclCalls } from './acl-calls.ts';
import { adminCalls } from './admin-calls.ts';
import { agentCalls } from './agent-calls.ts';
import type { PortOf } from './call.ts';
import { eventCalls } from './event-calls.ts';
import { groupCalls } from './group-calls.ts';
import { logCalls } from './log-calls.ts';
import { ownerCalls } from './owner-calls.ts';
import { principalCalls } from './principal-calls.ts';
import { queryCalls } from './query-calls.ts';
import { shareCalls } from './share-calls.ts';
import { topicCalls } from './topic-calls.ts';
import { transactionCalls } from './transaction-calls.ts';

/**
 * Every call of the port, once. The type of the port, the RPC, retries, rights and test doubles derive from it. What a call does is
 * in the state machine for commands and queries (package `machine`), and in `leader/answer-call.ts` of `metadata` for the others; a call without an
 * answer does not compile.
 */
export const clusterCalls = {
  ...logCalls,
  ...topicCalls,
  ...aclCalls,
  ...adminCalls,
  ...eventCalls,
  ...groupCalls,
  ...ownerCalls,
  ...principalCalls,
  ...queryCalls,
  ...shareCalls,
  ...transactionCalls,
  ...agentCalls,
};

export type CallName = keyof typeof clusterCalls;

/** The calls as methods. */
type CallPort = PortOf<typeof clusterCalls>;

/**
 * What an agent asks of the control plane for its virtual cluster. The leader of the cluster implements it in process, and
 * the RPC client over a connection; an agent cannot tell which.
 *
 * Lists in, lists out: results come in the order of what was asked, and one call costs one round trip whatever its length.
 * Offsets, sizes, timestamps and producer ids are numbers, exact up to 2^53; the wire's bigints end at the agent.
 * Errors of single entries have the names of Kafka's errors, which the agent turns into codes; a promise rejects only when the
 * call as a whole failed, and then with a `ClusterUnavailable` when trying again may help.
 */
export interface ClusterPort extends CallPort {
  /**
   * Follows the cluster: first `onSnapshot`, then every change in order. When the connection or the leader is lost,
   * another `onSnapshot` follows as soon as there is one again. Returns the function that ends it.
   */
  follow(follower: ClusterFollower): () => void;
}

export type ArgsOf<Name extends CallName> = Parameters<CallPort[Name]>;

export type AnswerOf<Name extends CallName> = Awaited<ReturnType<CallPort[Name]>>;

export const callNames = Object.keys(clusterCalls) as readonly CallName[];

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(clusterCalls, name);
}

/** Whose places a call takes. */
export type CallClass = 'working' | 'waiting';

export function callClass(name: string): CallClass {
  return isCallName(name) && clusterCalls[name].waits ? 'waiting' : 'working';
}

/** A base class with a method for every call, which all come down to the one that it is made with. */
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

/** A port whose calls all come down to one function. */
export function portOf(call: (name: CallName, args: readonly unknown[]) => Promise<unknown>): CallPort {
  const methods = callNames.map((name) => [name, (...args: readonly unknown[]) => call(name, args)]);
  // The table has a row for every method, and what comes back is the answer of the same call.
  return Object.fromEntries(methods) as CallPort;
}

/** Makes a call whose name is known only when it is made. Its arguments are of its shape, which is not checked here. */
export function callOn(port: CallPort, name: CallName, args: readonly unknown[]): Promise<unknown> {
  return (port[name] as (...given: readonly unknown[]) => Promise<unknown>).apply(port, [...args]);
}
