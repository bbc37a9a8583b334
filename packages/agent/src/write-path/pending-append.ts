import type { ErrorName } from '@weir/wire';
import { type AppendOutcome, type AppendResult, failedAppend, type ProducedBatch } from './produced-batch.ts';

/** Clients wait this long at most before they send again, so that they are back soon after the load has dropped. */
const throttleTimeMsMax = 1_000;

/** The batches of one Produce request between `append` and its answer. They stay together: one file, one commit. */
export class PendingAppend {
  readonly batches: readonly ProducedBatch[];
  readonly bytes: number;
  readonly uncompressedBytes: number;
  /** When the client stops waiting, on the monotonic clock. */
  readonly deadlineMs: number;
  readonly arrivedMs: number;
  /** Set when an earlier batch of one of its producers was lost; then it must not be written either. */
  refusal: ErrorName | undefined;
  throttleTimeMs = 0;
  #answer: ((outcome: AppendOutcome) => void) | undefined;

  constructor(
    batches: readonly ProducedBatch[],
    times: { readonly arrivedMs: number; readonly deadlineMs: number },
    answer: (outcome: AppendOutcome) => void,
  ) {
    this.batches = batches;
    this.arrivedMs = times.arrivedMs;
    this.deadlineMs = times.deadlineMs;
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
