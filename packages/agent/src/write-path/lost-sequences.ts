import type { Clock } from '@weir/core';
import { agentLimits } from '../limits.ts';
import type { PendingAppend } from './pending-append.ts';
import type { ProducedBatch } from './produced-batch.ts';

interface Lost {
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly untilMs: number;
}

/** By then a client has heard of the loss and sends nothing any more that was meant to follow. */
const rememberedMs = 5_000;
const sequenceRange = 2 ** 31;

/**
 * Batches of idempotent producers that were given up before their commit. The control plane cannot know of them: a
 * producer that it does not know may begin at any sequence, so that what was sent behind a first batch that got lost would
 * be taken for the first, and the first could never be written again. Therefore nothing of the same producer may
 * pass until the lost batch has come again.
 */
export class LostSequences {
  readonly #clock: Clock;
  /** By producer and partition, the oldest first. */
  readonly #lost = new Map<string, Lost>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#lost.size;
  }

  /** Says whether anything of it can be missed, which is so of idempotent producers alone. */
  add({ batches }: PendingAppend): boolean {
    let isMissed = false;
    const untilMs = this.#clock.monotonicMs() + rememberedMs;
    for (const batch of batches) {
      const key = keyOf(batch);
      if (key === undefined) continue;
      isMissed = true;
      const { producerEpoch, baseSequence } = batch;
      const before = this.#lost.get(key);
      // What counts is the earliest that is missing.
      const isKnown = before?.producerEpoch === producerEpoch && isAfter(baseSequence, before.baseSequence);
      if (isKnown) continue;
      this.#lost.delete(key);
      this.#lost.set(key, { producerEpoch, baseSequence, untilMs });
    }
    for (const [key, lost] of this.#lost) {
      const isOld = lost.untilMs <= this.#clock.monotonicMs();
      if (!isOld && this.#lost.size <= agentLimits.lostSequencesMax) break;
      this.#lost.delete(key);
    }
    return isMissed;
  }

  /** Whether a request must not be written because something before it is missing. Then it is lost as a whole itself. */
  refuses(append: PendingAppend): boolean {
    if (this.#lost.size === 0 || !append.batches.some((batch) => this.#follows(batch))) return false;
    this.add(append);
    return true;
  }

  /** A request is about to be taken: lost batches that it brings again are lost no more. */
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

/** Sequences wrap from 2^31 - 1 to 0, so that after is what is less than half the way round ahead. */
function isAfter(sequence: number, other: number): boolean {
  const ahead = (sequence - other + sequenceRange) % sequenceRange;
  return ahead > 0 && ahead < sequenceRange / 2;
}

function keyOf({ producerId, topicId, partition }: ProducedBatch): string | undefined {
  return producerId < 0 ? undefined : `${producerId}/${topicId}/${partition}`;
}
