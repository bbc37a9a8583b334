import { fileSequenceLeaseMs } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { type ObjectStore, sequenceEndKey } from '@weir/storage';
import { brokerLimits } from '../../limits.ts';

interface BucketLeasesOptions {
  readonly clusterId: string;
  readonly store: Pick<ObjectStore, 'head'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Until when records may be acknowledged, on the monotonic clock. */
interface Lease {
  readonly untilMs: number;
}

/**
 * Leases that the bucket gives while no leader does (ADR 0231). An agent may acknowledge in a sequence for some seconds
 * after it asked whether there is an object that ends the sequence, and there was none. A job that ends a sequence
 * stores that object, waits until the last lease is over, and then lists the files.
 */
export class BucketLeases {
  readonly #options: BucketLeasesOptions;

  constructor(options: BucketLeasesOptions) {
    this.#options = options;
  }

  /** `unknown` if the bucket does not answer. `lastMs` is when the last lease of the sequence was over, or will be. */
  async ask(sequenceId: string, lastMs: number): Promise<Lease | 'ended' | 'unknown'> {
    const { clusterId, store, clock, log } = this.#options;
    const sentMs = clock.monotonicMs();
    // The object may have been removed by now, as old ones are.
    if (sentMs - lastMs > brokerLimits.bucketLeaseGapMsMax) return 'ended';
    const given = new AbortController();
    const cancel = clock.after(fileSequenceLeaseMs, () => given.abort(new Error('the lease would be over')));
    try {
      const end = await store.head(sequenceEndKey(clusterId, sequenceId), { signal: given.signal });
      return end === undefined ? { untilMs: sentMs + fileSequenceLeaseMs } : 'ended';
    } catch (error) {
      log.debug('failed to ask bucket for lease of sequence', { sequenceId, error: String(error) });
      return 'unknown';
    } finally {
      cancel();
    }
  }
}
