import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import type { FailureBody } from './bodies.ts';

export type Outcome = { readonly value: unknown } | { readonly failure: FailureBody };

/**
 * The answers of one client that it has not confirmed, by call id. A call that comes again, over whatever connection, finds
 * the answer here, or the work that is still under way, and is not done a second time.
 */
export class Session {
  readonly #outcomes = new Map<number, Promise<Outcome>>();
  /** Ends the connection that the client has now. */
  supersede: (() => void) | undefined;
  lastUsedMs: number;

  constructor(nowMs: number) {
    this.lastUsedMs = nowMs;
  }

  get size(): number {
    return this.#outcomes.size;
  }

  /** The outcome of a call, which is run unless it was before. */
  run(callId: number, work: () => Promise<Outcome>): Promise<Outcome> {
    const known = this.#outcomes.get(callId);
    if (known !== undefined) return known;
    const outcome = work();
    this.#outcomes.set(callId, outcome);
    // A client that confirms nothing loses what it could have confirmed first.
    if (this.#outcomes.size > clusterLimits.rpcRememberedRepliesMax) {
      this.#outcomes.delete(this.#outcomes.keys().next().value!);
    }
    return outcome;
  }

  forget(callId: number): void {
    this.#outcomes.delete(callId);
  }

  /** A client that has just connected says which answers it still waits for. */
  keepOnly(pending: Float64Array): void {
    const kept = new Set(pending);
    for (const callId of this.#outcomes.keys()) {
      if (!kept.has(callId)) this.#outcomes.delete(callId);
    }
  }
}

/** A client that was away for longer than this has given up its calls: it is more than any deadline. */
const awayMsMax = 300_000;

/** The memory of a control-plane process, shared by all of its connections. */
export class ReplyMemory {
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The session of a client, which becomes the most recent. Keys of one cluster see nothing of another. */
  open(clusterId: string, clientId: string): Session {
    const key = JSON.stringify([clusterId, clientId]);
    const nowMs = this.#clock.monotonicMs();
    const session = this.#sessions.get(key) ?? new Session(nowMs);
    session.lastUsedMs = nowMs;
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    this.#evict(nowMs);
    return session;
  }

  #evict(nowMs: number): void {
    for (const [key, session] of this.#sessions) {
      const isOld = nowMs - session.lastUsedMs > awayMsMax;
      if (!isOld && this.#sessions.size <= clusterLimits.rpcRememberedClientsMax) return;
      // Those with a connection are limited by the number of connections.
      if (session.supersede === undefined) this.#sessions.delete(key);
    }
  }
}
