import type { Clock } from '@weir/core';
import type { FailureBody } from '../frames/bodies.ts';
import { rpcLimits } from '../limits.ts';

export type Outcome = { readonly value: unknown } | { readonly failure: FailureBody };

/**
 * The unconfirmed answers of one client, by call id. A repeated call, over any connection, finds its answer or the work
 * in flight here, and is not executed again.
 */
export class Session {
  readonly #outcomes = new Map<number, Promise<Outcome>>();
  /** Closes the present connection of the client. */
  supersede: (() => void) | undefined;
  lastUsedMs: number;

  constructor(nowMs: number) {
    this.lastUsedMs = nowMs;
  }

  get size(): number {
    return this.#outcomes.size;
  }

  /** Returns the outcome of a call, and runs it the first time. */
  run(callId: number, work: () => Promise<Outcome>): Promise<Outcome> {
    const known = this.#outcomes.get(callId);
    if (known !== undefined) return known;
    const outcome = work();
    this.#outcomes.set(callId, outcome);
    // A client that confirms nothing loses its oldest answers.
    if (this.#outcomes.size > rpcLimits.rpcRememberedRepliesMax) {
      this.#outcomes.delete(this.#outcomes.keys().next().value!);
    }
    return outcome;
  }

  forget(callId: number): void {
    this.#outcomes.delete(callId);
  }

  /** Drops all answers except those that a newly connected client still waits for. */
  keepOnly(pending: Float64Array): void {
    const retained = new Set(pending);
    for (const callId of this.#outcomes.keys()) {
      if (!retained.has(callId)) this.#outcomes.delete(callId);
    }
  }
}

/** A client that was away for longer than this has no pending calls: it exceeds every deadline. */
const awayMsMax = 300_000;

/** The answers that a control-plane process remembers, shared by all of its connections. */
export class ReplyMemory {
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the session of a client and marks it as most recently used. Clusters are separate. */
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
      if (!isOld && this.#sessions.size <= rpcLimits.rpcRememberedClientsMax) return;
      // Sessions with a connection are limited by the number of connections.
      if (session.supersede === undefined) this.#sessions.delete(key);
    }
  }
}
