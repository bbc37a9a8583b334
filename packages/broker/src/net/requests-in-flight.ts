import type { Clock } from '@weir/core';
import type { RequestEnvelope } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import { AnswerHold } from '../requests/answer-hold.ts';
import type { Frame } from './frame-pool.ts';
import type { CloseReason, ListenerMetrics } from './listener-metrics.ts';
import type { RequestMemory } from './request-memory.ts';

/** A request that was received and not yet answered. */
export interface PendingRequest {
  readonly envelope: RequestEnvelope;
  readonly apiName: string;
  readonly frame: Frame;
  /** Entries of its lists. */
  readonly elements: number;
  /** What is counted for it in memory. */
  readonly bytes: number;
  readonly receivedMs: number;
  /** Whether it belongs to a SASL login, whose answer may end the connection. */
  readonly isLogin: boolean;
  /** What the answer refers to. */
  readonly hold: AnswerHold;
  outcome: Outcome | undefined;
  /** Whether it is not going to be answered. */
  isDropped: boolean;
}

export interface Reply {
  readonly kind: 'reply';
  readonly slices: readonly Buffer[];
  readonly throttleMs: number;
  /** What the slices refer to; released when they were sent. */
  readonly hold?: AnswerHold;
  /** Whether the connection ends after it. */
  readonly isLast?: boolean;
}

export type Outcome =
  | Reply
  | { readonly kind: 'noReply' }
  | { readonly kind: 'close'; readonly reason: CloseReason };

interface InFlightOptions {
  readonly clock: Clock;
  readonly memory: RequestMemory;
  readonly metrics: ListenerMetrics;
  /** Called when the first request comes, and when the last one is taken. */
  readonly onBusy: (isBusy: boolean) => void;
}

/** Requests of one connection that are being served or wait for the answers to earlier ones, in order of arrival. */
export class RequestsInFlight {
  readonly #options: InFlightOptions;
  readonly #pending: PendingRequest[] = [];
  #bytes = 0;
  #earlyAnswerBytes = 0;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#pending.length;
  }

  /** Bytes of the requests that are being served. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of answers that wait for earlier ones. */
  get earlyAnswerBytes(): number {
    return this.#earlyAnswerBytes;
  }

  open(
    envelope: RequestEnvelope,
    apiName: string,
    frame: Frame,
    isLogin: boolean,
    elements = 0,
  ): PendingRequest {
    const { clock, memory, metrics } = this.#options;
    const isLong = elements > brokerLimits.entriesPerTurnMax;
    const bytes = frame.bytes.length + (isLong ? elements * brokerLimits.longListEntryBytes : 0);
    const pending: PendingRequest = {
      envelope,
      apiName,
      frame,
      elements,
      bytes,
      receivedMs: clock.monotonicMs(),
      isLogin,
      hold: new AnswerHold(),
      outcome: undefined,
      isDropped: false,
    };
    this.#pending.push(pending);
    if (this.#pending.length === 1) this.#options.onBusy(true);
    this.#bytes += bytes;
    memory.change(bytes);
    metrics.requestsInFlight.add(1);
    metrics.api(apiName).requests.add(1);
    return pending;
  }

  settle(pending: PendingRequest, outcome: Outcome): void {
    const { clock, memory, metrics } = this.#options;
    const { answered, failed } = metrics.api(pending.apiName);
    const { bytes } = pending;
    if (outcome.kind === 'reply' && !pending.isDropped) this.#earlyAnswerBytes += bytesOf(outcome.slices);
    else pending.hold.release();
    pending.outcome = outcome;
    // The answer is encoded, and the handler no longer uses the bytes of the request.
    pending.frame.release();
    this.#bytes -= bytes;
    (outcome.kind === 'close' ? failed : answered).observe((clock.monotonicMs() - pending.receivedMs) / 1000);
    metrics.requestsInFlight.add(-1);
    memory.change(-bytes);
  }

  /** Removes the oldest request and returns its outcome; `undefined` while it has none. */
  takeOutcome(): Outcome | undefined {
    const outcome = this.#pending[0]?.outcome;
    if (outcome === undefined) return undefined;
    this.#pending.shift();
    if (this.#pending.length === 0) this.#options.onBusy(false);
    return outcome;
  }

  /** Called when an answer that `takeOutcome` returned is queued for sending. */
  sent(answerBytes: number): void {
    this.#earlyAnswerBytes -= answerBytes;
  }

  /** Drops requests that are not going to be answered. */
  clear(): void {
    for (const pending of this.#pending.splice(0)) {
      pending.isDropped = true;
      // A handler that is not done may still use what it holds.
      if (pending.outcome !== undefined) pending.hold.release();
    }
    this.#earlyAnswerBytes = 0;
  }
}

export function bytesOf(slices: readonly Buffer[]): number {
  let bytes = 0;
  for (const slice of slices) bytes += slice.length;
  return bytes;
}
