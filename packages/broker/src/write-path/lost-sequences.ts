import type { Clock } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { PendingAppend } from './pending-append.ts';
import type { ProducedBatch } from './produced-batch.ts';

interface Lost {
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly untilMs: number;
}

/** By then the client knows of the loss and sends no more batches that were meant to follow. */
const rememberedMs = 5_000;
const sequenceRange = 2 ** 31;

/**
 * Batches of idempotent producers that were given up before their commit. The control plane does not know about them:
 * it accepts any first sequence from an unknown producer, so it would take a batch sent after a lost first batch for
 * the first one, and the lost batch could never be written. Therefore no batch of that producer passes until the lost
 * one is retried.
 */
export class LostSequences {
  readonly #clock: Clock;
  /** By producer and partition, oldest first. */
  readonly #lost = new Map<string, Lost>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#lost.size;
  }

  /** Returns whether later batches depend on it, which is the case only for idempotent producers. */
  add({ batches }: PendingAppend): boolean {
    let isMissed = false;
    const untilMs = this.#clock.monotonicMs() + rememberedMs;
    for (const batch of batches) {
      const key = keyOf(batch);
      if (key === undefined) continue;
      isMissed = true;
      const { producerEpoch, baseSequence } = batch;
      const before = this.#lost.get(key);
      // The earliest missing sequence counts.
      const isKnown = before?.producerEpoch === producerEpoch && isAfter(baseSequence, before.baseSequence);
      if (isKnown) continue;
      this.#lost.delete(key);
      this.#lost.set(key, { producerEpoch, baseSequence, untilMs });
    }
    for (const [key, lost] of this.#lost) {
      const isOld = lost.untilMs <= this.#clock.monotonicMs();
      if (!isOld && this.#lost.size <= brokerLimits.lostSequencesMax) break;
      this.#lost.delete(key);
    }
    return isMissed;
  }

  /**
   * Whether a request must not be written because an earlier batch is missing. If so, the whole request counts as lost.
   */
  refuses(append: PendingAppend): boolean {
    if (this.#lost.size === 0 || !append.batches.some((batch) => this.#follows(batch))) return false;
    this.add(append);
    return true;
  }

  /** Called before a request is accepted: batches that it retries no longer count as lost. */
  found({ batches }: PendingAppend): void {
    if (this.#lost.size === 0) return;
    for (const batch of batches) {
      const key = keyOf(batch);
      const lost = key === undefined ? undefined : this.#lost.get(key);
      if (lost === undefined) continue;
      const isAgain = lost.producerEpoch !== batch.producerEpoch || lost.baseSequence === batch.baseSequence;
      if (isAgain) this.#lost.delete(key!);
    }
  }

  #follows(batch: ProducedBatch): boolean {
    const key = keyOf(batch);
    const lost = key === undefined ? undefined : this.#lost.get(key);
    return (
      lost !== undefined &&
      lost.untilMs > this.#clock.monotonicMs() &&
      lost.producerEpoch === batch.producerEpoch &&
      isAfter(batch.baseSequence, lost.baseSequence)
    );
  }
}

/** Sequences wrap from 2^31 - 1 to 0, so a sequence is after another if it is less than half the range ahead. */
function isAfter(sequence: number, other: number): boolean {
  const ahead = (sequence - other + sequenceRange) % sequenceRange;
  return ahead > 0 && ahead < sequenceRange / 2;
}

function keyOf({ producerId, topicId, partition }: ProducedBatch): string | undefined {
  return producerId < 0 ? undefined : `${producerId}/${topicId}/${partition}`;
}
