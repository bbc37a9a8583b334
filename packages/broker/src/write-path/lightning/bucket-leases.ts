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

type Answer = Lease | 'ended' | 'unknown';

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

  /**
   * `unknown` if the bucket does not answer. `lastMs` is when the last lease of the sequence was over, or will be.
   *
   * A request on a dead connection is never answered, and the lease ends soon. So another one follows after each
   * second without an answer, and the first answer counts. The earlier ones go on, as the bucket may just be slow.
   */
  async ask(sequenceId: string, lastMs: number): Promise<Answer> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    // The object may have been removed by now, as old ones are.
    if (startMs - lastMs > brokerLimits.bucketLeaseGapMsMax) return 'ended';
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const given = new AbortController();
    let unanswered = 0;
    let cancel = () => {};
    const askOnce = () => {
      unanswered++;
      void this.#askOnce(sequenceId, given.signal).then((answer) => {
        unanswered--;
        if (answer !== 'unknown' || unanswered === 0) resolve(answer);
      });
      cancel = clock.after(brokerLimits.bucketLeaseIntervalMs, () => {
        if (clock.monotonicMs() - startMs < fileSequenceLeaseMs) askOnce();
        else resolve('unknown');
      });
    };
    askOnce();
    try {
      return await promise;
    } finally {
      cancel();
      given.abort(new Error('the bucket has answered, or the lease would be over'));
    }
  }

  async #askOnce(sequenceId: string, signal: AbortSignal): Promise<Answer> {
    const { clusterId, store, clock, log } = this.#options;
    // The lease begins before the request, and not when another one began.
    const sentMs = clock.monotonicMs();
    try {
      const end = await store.head(sequenceEndKey(clusterId, sequenceId), { signal });
      return end === undefined ? { untilMs: sentMs + fileSequenceLeaseMs } : 'ended';
    } catch (error) {
      if (!signal.aborted)
        log.debug('failed to ask bucket for lease of sequence', { sequenceId, error: String(error) });
      return 'unknown';
    }
  }
}
