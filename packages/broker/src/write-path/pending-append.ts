import type { ErrorName } from '@weir/wire';
import type { OutstandingAppends } from './outstanding-appends.ts';
import { type AppendOutcome, type AppendResult, failedAppend, type ProducedBatch } from './produced-batch.ts';

/** Upper bound of the throttle time, so that clients are back soon after the load has dropped. */
const throttleTimeMsMax = 1_000;

interface PendingAppendOptions {
  readonly arrivedMs: number;
  /** When its bytes were received, if earlier. */
  readonly receivedMs?: number;
  readonly deadlineMs: number;
  readonly isBackground?: boolean;
  readonly left?: AbortSignal | undefined;
  readonly connection?: OutstandingAppends | undefined;
}

/**
 * The batches of one Produce request between `append` and its answer. They stay together in one file and one commit.
 */
export class PendingAppend {
  readonly batches: readonly ProducedBatch[];
  readonly bytes: number;
  readonly uncompressedBytes: number;
  /** When the client stops waiting, on the monotonic clock. */
  readonly deadlineMs: number;
  readonly arrivedMs: number;
  /** When it was read from the socket; it may have waited behind other requests of its connection. */
  readonly receivedMs: number;
  /** No client waits for it. */
  readonly isBackground: boolean;
  /** The requests of its connection. */
  readonly connection: OutstandingAppends | undefined;
  /** Set if it must not be committed. It is answered with this error as soon as the store has released its bytes. */
  refusal: ErrorName | undefined;
  throttleTimeMs = 0;
  /** Results of its batches, while those of its commit are distributed. */
  results: AppendResult[] | undefined;
  readonly #left: AbortSignal | undefined;
  #answer: ((outcome: AppendOutcome) => void) | undefined;

  constructor(
    batches: readonly ProducedBatch[],
    options: PendingAppendOptions,
    answer: (outcome: AppendOutcome) => void,
  ) {
    this.batches = batches;
    this.arrivedMs = options.arrivedMs;
    this.receivedMs = options.receivedMs ?? options.arrivedMs;
    this.deadlineMs = options.deadlineMs;
    this.isBackground = options.isBackground ?? false;
    this.connection = options.connection;
    this.#left = options.left;
    this.#answer = answer;
    let bytes = 0;
    let uncompressedBytes = 0;
    for (const batch of batches) {
      bytes += batch.bytes.length;
      uncompressedBytes += batch.uncompressedBytes;
    }
    this.bytes = bytes;
    this.uncompressedBytes = uncompressedBytes;
  }

  get isAnswered(): boolean {
    return this.#answer === undefined;
  }

  /** Whether its client waits for the answer before it sends any number of further requests. */
  get isAwaited(): boolean {
    return this.#left !== undefined;
  }

  /** Whether its client closed the connection, so that no answer can reach it. */
  get isDisconnected(): boolean {
    return this.#left?.aborted === true;
  }

  /** Stores how long the request was held back. */
  heldUntil(nowMs: number): void {
    this.throttleTimeMs = Math.min(Math.ceil(nowMs - this.arrivedMs), throttleTimeMsMax);
  }

  /** The first answer counts: after a timeout the client gets no other answer. */
  settle(results: readonly AppendResult[]): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.({ results, throttleTimeMs: this.throttleTimeMs });
  }

  fail(error: ErrorName): void {
    this.settle(this.batches.map(() => failedAppend(error)));
  }
}
