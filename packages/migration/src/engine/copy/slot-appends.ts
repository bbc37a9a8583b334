import type { Clock } from '@weir/core';
import { type Walk, walkAnswer } from '../../batches/walk.ts';
import { migrationLimits } from '../../limits.ts';
import type { CopyOutcome } from '../destination.ts';
import type { PartitionCopy } from './partition-copy.ts';
import type { SlotCopyOptions } from './slot-options.ts';
import type { SlotWork } from './slot-work.ts';

interface SlotAppendsOptions {
  readonly slot: SlotCopyOptions;
  readonly work: SlotWork;
  readonly onCopied: SlotCopyOptions['onCopied'];
}

/** Appends what was fetched, in the order in which it was, and goes on elsewhere where that fails. */
export class SlotAppends {
  readonly #options: SlotCopyOptions;
  readonly #work: SlotWork;
  readonly #onCopied: SlotCopyOptions['onCopied'];
  readonly #clock: Clock;

  constructor({ slot, work, onCopied }: SlotAppendsOptions) {
    this.#options = slot;
    this.#work = work;
    this.#onCopied = onCopied;
    this.#clock = slot.clock;
  }

  /** Begins to append what was fetched. The bytes are released once it is stored. */
  async submit(copy: PartitionCopy, records: Buffer, release: () => void): Promise<void> {
    const { pipelineId, destination } = this.#options;
    const expectedOffset = copy.position;
    const walk = await walkAnswer(records, { expectedOffset, clock: this.#clock });
    if (walk.problem !== undefined && walk.batches.length === 0)
      this.#work.stopPartition(copy, 'partition_stopped', walk.problem.message);
    copy.bytesMax = undefined;
    if (walk.wantedBytes !== undefined) this.#wantMore(copy, walk.wantedBytes);
    if (walk.byteLength > migrationLimits.copiedPartBytesMax) {
      const { copiedPartBytesMax } = migrationLimits;
      this.#work.stopPartition(
        copy,
        'partition_stopped',
        `the batch at offset ${walk.batches[0]!.baseOffset} has ${walk.byteLength} bytes, and ${copiedPartBytesMax} can be copied`,
      );
      release();
      return;
    }
    if (walk.batches.length === 0) {
      release();
      return;
    }
    copy.position = walk.nextOffset;
    copy.lastEpoch = walk.lastEpoch;
    copy.appendCount++;
    const { generation } = copy;
    const appended = destination.append({
      pipelineId,
      topicId: copy.topicId,
      partition: copy.place.partition,
      expectedOffset,
      batches: walk.batches,
      slices: walk.slices,
      byteLength: walk.byteLength,
      nextOffset: walk.nextOffset,
    });
    this.#work.watch(
      appended.then((outcome) => {
        release();
        copy.appendCount--;
        if (copy.generation === generation) this.#appended(copy, walk, outcome);
      }),
    );
  }

  #wantMore(copy: PartitionCopy, bytes: number): void {
    if (bytes > migrationLimits.copiedPartBytesMax)
      this.#work.stopPartition(
        copy,
        'partition_stopped',
        `the batch at offset ${copy.position} has ${bytes} bytes, and ${migrationLimits.copiedPartBytesMax} can be copied`,
      );
    else copy.bytesMax = bytes;
  }

  #appended(copy: PartitionCopy, walk: Walk, outcome: CopyOutcome): void {
    if (outcome.error === 'NONE') {
      copy.worked();
      const records = walk.batches.reduce((sum, { recordCount }) => sum + recordCount, 0);
      this.#onCopied(copy.topicName, walk.byteLength, records);
      if (walk.problem !== undefined)
        this.#work.stopPartition(copy, 'partition_stopped', walk.problem.message);
      return;
    }
    // Appends behind this one fail too, and say nothing new.
    copy.generation++;
    this.#work.doWith(copy, async () => {
      await this.#work.untilStored(copy);
      this.#goOnAfter(copy, outcome);
    });
  }

  #goOnAfter(copy: PartitionCopy, outcome: Exclude<CopyOutcome, { error: 'NONE' }>): void {
    const nowMs = this.#clock.monotonicMs();
    const { destination } = this.#options;
    const known = destination.endOffset(copy.topicId, copy.place.partition);
    const next = outcome.nextOffset >= 0 ? outcome.nextOffset : known;
    if (next !== undefined) copy.goOnAt(next);
    switch (outcome.error) {
      case 'END_CHANGED':
        // Another agent copied it, or an answer of the leader was lost.
        copy.failed(outcome.message, nowMs);
        copy.error = undefined;
        return;
      default:
        // A topic that is handed over or gone leaves the view soon, and the partition with it.
        copy.failed(outcome.message, nowMs);
    }
  }
}
