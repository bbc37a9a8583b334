import {
  type CallClass,
  type CallName,
  CallNotDone,
  CallTooLarge,
  ClusterUnavailable,
  callClass,
  clusterCalls,
} from '@weir/cluster';
import type { Clock, Metrics } from '@weir/core';
import { CallMetrics, callRows } from '../call-metrics.ts';
import { asFrame, callLimits, encodeBody, sizeProblem } from '../frames/frame.ts';
import { rpcLimits } from '../limits.ts';

/** Returns the arguments when the call is sent for the first time. `undefined`: there is nothing to send any more. */
export type LateArgs = () => readonly unknown[] | undefined;

interface PendingCall {
  readonly id: number;
  readonly method: CallName;
  /**
   * Encoded when the call is first sent, if its arguments are late. Never encoded again: a repeated call is identical.
   */
  frame: Uint8Array | LateArgs;
  /** Whether its arguments are late, so that its caller must learn if it was not executed. */
  readonly isLate: boolean;
  /** Whether it was sent over a connection that ended before its answer. */
  isInDoubt: boolean;
  readonly startMs: number;
  /** The look at which it was added. */
  readonly addedAt: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancelDeadline: () => void;
}

const pendingMax: Record<CallClass, number> = {
  working: rpcLimits.rpcPendingCallsMax,
  waiting: rpcLimits.rpcWaitingCallsMax,
};

export const clientCallRows = callRows('control_plane_rpc', 'to the control plane');

/** How often `look` is to be called. */
export const lookMs = 500;

/**
 * For how many looks calls wait while no leader answers: 7 s and 4 s. Longer than a failover, and short enough that a
 * Kafka client gets an answer before it gives up on the agent, also if its request waited for an earlier call. Working
 * calls outlive a connection that was lost without a sign (`silentTicksMax`). Waiting calls have deadlines of hours,
 * and their clients join again.
 */
const unheardLooksMax: Record<CallClass, number> = { working: 14, waiting: 8 };
/** For how many looks calls wait that begin when no leader has answered for longer than that: 1.5 s. */
const awayLooksMax = 3;

/**
 * Calls without an answer, each until its deadline, across connections, or until no leader answered for some seconds.
 */
export class PendingCalls {
  readonly #clock: Clock;
  readonly #metrics: CallMetrics;
  /** In the order of their ids. */
  readonly #pending = new Map<number, PendingCall>();
  /** Those that were not sent over the present connection, in the order of their ids in each class. */
  readonly #unsent: Record<CallClass, Map<number, PendingCall>> = { working: new Map(), waiting: new Map() };
  readonly #count: Record<CallClass, number> = { working: 0, waiting: 0 };
  #lastId = 0;
  /** Looks in all, and since a leader answered. They are counted instead of time, as `ClientConnection` does. */
  #looks = 0;
  #unheardLooks = 0;

  constructor(clock: Clock, metrics: Metrics) {
    this.#clock = clock;
    this.#metrics = new CallMetrics(metrics, clientCallRows);
  }

  get ids(): Float64Array {
    return Float64Array.from(this.#pending.keys());
  }

  get hasUnsent(): boolean {
    return this.#unsent.working.size + this.#unsent.waiting.size > 0;
  }

  /** The error if no more calls can be pending. */
  whyFull(method: CallName): Error | undefined {
    const places = callClass(method);
    if (this.#count[places] < pendingMax[places]) return undefined;
    return new ClusterUnavailable(`too many calls to the control plane in flight: ${this.#count[places]}`);
  }

  /** Rejects a call that cannot even wait. */
  refuse(method: CallName, problem: Error): Promise<never> {
    this.#metrics.ended(method, 'refused', 0);
    return Promise.reject(problem);
  }

  /**
   * Adds a call to send. If its late arguments turn out to be `undefined`, it is not sent and resolves with an empty
   * list.
   */
  add(method: CallName, args: readonly unknown[] | LateArgs): Promise<unknown> {
    const startMs = this.#clock.monotonicMs();
    const id = ++this.#lastId;
    let frame: Uint8Array | LateArgs;
    try {
      frame = typeof args === 'function' ? args : encodeCall(id, method, args);
    } catch (error) {
      if (error instanceof CallTooLarge) return this.refuse(method, error);
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const { deadlineMs } = clusterCalls[method];
      const cancelDeadline = this.#clock.after(deadlineMs, () => {
        const message = `${method}: no response from the control plane within ${deadlineMs / 1000} s`;
        this.fail(id, 'deadline', new ClusterUnavailable(message));
      });
      const isLate = typeof frame === 'function';
      const call: PendingCall = {
        ...{ id, method, frame, isLate, isInDoubt: false, startMs, addedAt: this.#looks, resolve, reject },
        cancelDeadline,
      };
      const places = callClass(method);
      this.#pending.set(id, call);
      this.#count[places]++;
      this.#unsent[places].set(id, call);
    });
  }

  /** Notes a sign of life of a leader. */
  heard(): void {
    this.#unheardLooks = 0;
  }

  /** Fails calls that have waited too long for a leader. */
  look(): void {
    this.#looks++;
    this.#unheardLooks++;
    if (this.#unheardLooks < unheardLooksMax.waiting) return;
    for (const { id, method, addedAt } of [...this.#pending.values()]) {
      const waitedLooks = this.#looks - addedAt;
      const usualMax = unheardLooksMax[callClass(method)];
      const looksMax = this.#unheardLooks - waitedLooks < usualMax ? usualMax : awayLooksMax;
      if (Math.min(this.#unheardLooks, waitedLooks) < looksMax) continue;
      const message = `${method}: no leader of the control plane found within ${(looksMax * lookMs) / 1000} s`;
      this.fail(id, 'away', new ClusterUnavailable(message));
    }
  }

  /** Marks all calls for sending over a new connection, in order. */
  sendAllAgain(): void {
    for (const call of this.#pending.values()) {
      if (typeof call.frame !== 'function') call.isInDoubt = true;
      this.#unsent[callClass(call.method)].set(call.id, call);
    }
  }

  /**
   * Sends the unsent calls while there is room. Those with late arguments wait where another process may lead: a sent
   * call could not be taken back.
   */
  sendUnsent(
    mayLeaveFirst: boolean,
    hasRoom: (places: CallClass) => boolean,
    send: (id: number, frame: Uint8Array, places: CallClass) => void,
  ): void {
    for (const places of ['working', 'waiting'] as const) {
      const unsent = this.#unsent[places];
      for (const call of unsent.values()) {
        if (!hasRoom(places)) break;
        if (typeof call.frame === 'function' && !mayLeaveFirst) continue;
        unsent.delete(call.id);
        const frame = typeof call.frame === 'function' ? this.#encodeLate(call, call.frame) : call.frame;
        if (frame !== undefined) send(call.id, frame, places);
      }
    }
  }

  /** The frame of a call that is about to be sent, or `undefined` if it was settled instead. */
  #encodeLate(call: PendingCall, lateArgs: LateArgs): Uint8Array | undefined {
    const { id, method } = call;
    try {
      const args = lateArgs();
      if (args !== undefined) {
        call.frame = encodeCall(id, method, args);
        return call.frame;
      }
      this.succeed(id, []);
    } catch (error) {
      this.fail(id, 'refused', error as Error);
    }
    return undefined;
  }

  succeed(id: number, value: unknown): void {
    this.#settle(id, 'ok')?.resolve(value);
  }

  fail(id: number, outcome: string, error: Error): void {
    this.#settle(id, outcome)?.reject(error);
  }

  /**
   * The last process did not execute the call. It stays pending, unless its caller wants to choose its arguments again.
   */
  notDone(id: number, message: string): void {
    const call = this.#pending.get(id);
    if (call?.isLate === true && !call.isInDoubt) this.fail(id, 'notLeader', new CallNotDone(message));
  }

  failAll(outcome: string, error: Error): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, outcome, error);
  }

  /** The call, unless it was settled before its answer arrived. */
  #settle(id: number, outcome: string): PendingCall | undefined {
    const call = this.#pending.get(id);
    if (call === undefined) return undefined;
    call.cancelDeadline();
    const places = callClass(call.method);
    this.#pending.delete(id);
    this.#count[places]--;
    this.#unsent[places].delete(id);
    this.#metrics.ended(call.method, outcome, this.#clock.monotonicMs() - call.startMs);
    return call;
  }
}

function encodeCall(id: number, method: CallName, args: readonly unknown[]): Uint8Array {
  const encoded = encodeBody({ method, args });
  const problem = sizeProblem(encoded, callLimits);
  if (problem !== undefined) throw new CallTooLarge(`${method}: ${problem}`);
  return asFrame('call', id, encoded);
}
