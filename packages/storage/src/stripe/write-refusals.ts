import type { Clock, Log } from '@weir/core';
import type { SubBucket } from '../composite/sub-bucket.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';

/** Errors of a bucket that answers, and will refuse the next write too. Its breaker stays closed: it can be read. */
export const writeRefusals: ReadonlySet<StoreErrorKind> = new Set<StoreErrorKind>([
  'bucketMissing',
  'denied',
  'full',
]);

/** How long a bucket that refused a write is left out. The write after that tries it again. */
const leaveOutMs = 10_000;

/** Which buckets of a stripe refused a write lately: they are missing, full, or deny it. */
export class WriteRefusals {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #untilMs = new Map<SubBucket, number>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  isLeftOut(bucket: SubBucket): boolean {
    const untilMs = this.#untilMs.get(bucket);
    return untilMs !== undefined && this.#clock.monotonicMs() < untilMs;
  }

  /** Returns whether the error is a refusal of the bucket, so that another one should be asked. */
  failed(bucket: SubBucket, error: unknown): boolean {
    if (!(error instanceof StoreError && writeRefusals.has(error.kind))) return false;
    if (!this.#untilMs.has(bucket)) {
      const { name } = bucket;
      this.#log.warn('stopped writing to bucket of the stripe', {
        bucket: name,
        error: error.message,
      });
    }
    this.#untilMs.set(bucket, this.#clock.monotonicMs() + leaveOutMs);
    return true;
  }

  succeeded(bucket: SubBucket): void {
    if (this.#untilMs.delete(bucket))
      this.#log.info('resumed writing to bucket of the stripe', { bucket: bucket.name });
  }
}
