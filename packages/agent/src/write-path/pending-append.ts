import type { ErrorName } from '@weir/wire';
import { type AppendOutcome, type AppendResult, failedAppend, type ProducedBatch } from './produced-batch.ts';

/** Clients wait this long at most before they send again, so that they are back soon after the load has dropped. */
const throttleTimeMsMax = 1_000;

interface PendingAppendOptions {
  readonly arrivedMs: number;
  /** When its bytes came, if that was before. */
  readonly receivedMs?: number;
  readonly deadlineMs: number;
  readonly isBackground?: boolean;
  readonly left?: AbortSignal | undefined;
}

/** The batches of one Produce request between `append` and its answer. They stay together: one file, one commit. */
export class PendingAppend {
  readonly batches: readonly ProducedBatch[];
  readonly bytes: number;
  readonly uncompressedBytes: number;
  /** When the client stops waiting, on the monotonic clock. */
  readonly deadlineMs: number;
  readonly arrivedMs: number;
  /** When it was read from the socket; it may have waited behind others of its connection until it arrived here. */
  readonly receivedMs: number;
  /** No client waits for it. */
  readonly isBackground: boolean;
  /** Set when it must not be committed. It is answered with this as soon as the store has let go of its bytes. */
  refusal: ErrorName | undefined;
  throttleTimeMs = 0;
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

  /** Whether its client closed the connection, so that no answer can reach it. */
  get isDeserted(): boolean {
    return this.#left?.aborted === true;
  }

  /** Notes how long it was held back. */
  heldUntil(nowMs: number): void {
    this.throttleTimeMs = Math.min(Math.ceil(nowMs - this.arrivedMs), throttleTimeMsMax);
  }

  /** The first answer counts; a client that was told of a timeout hears no more. */
  settle(results: readonly AppendResult[]): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.({ results, throttleTimeMs: this.throttleTimeMs });
  }

  fail(error: ErrorName): void {
    this.settle(this.batches.map(() => failedAppend(error)));
  }
}
