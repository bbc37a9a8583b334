import { pauseUnlessStopped } from '@weir/core';
import { logEnds } from '../../source/log-ends.ts';
import { findTruncation } from '../../truncation/find-truncation.ts';
import type { PartitionCopy } from './partition-copy.ts';
import type { SlotCopyOptions } from './slot-options.ts';
import type { SlotPartitions } from './slot-partitions.ts';
import type { SlotWork } from './slot-work.ts';

/** How often a source is asked again before its word is taken that its log is shorter, and the pause between. */
const doubtsMax = 3;
const doubtPauseMs = 2_000;

interface MissingOffset {
  readonly copy: PartitionCopy;
  /** Where the source says that the logs diverge, if it does. */
  readonly diverging: { readonly epoch: number; readonly endOffset: number } | undefined;
}

interface MissingOffsetDeps {
  readonly slot: SlotCopyOptions;
  readonly work: SlotWork;
  readonly partitions: SlotPartitions;
}

/** Finds out why a source does not have the next offset, and goes on behind a gap, or stops the partition. */
export async function lookForMissing(
  { copy, diverging }: MissingOffset,
  { slot, work, partitions }: MissingOffsetDeps,
): Promise<void> {
  const { source, destination, onEvent, clock, stop } = slot;
  await work.untilStored(copy);
  for (let doubt = 1; !stop.aborted; doubt++) {
    const [ends] = await logEnds(source, [{ ...copy.place, leaderId: copy.leaderId }]);
    if (ends === undefined || 'failure' in ends) {
      copy.failed(ends?.message ?? 'the source does not answer', clock.monotonicMs());
      partitions.moved();
      return;
    }
    const verdict = findTruncation(
      { topicId: copy.sourceTopicId, logStart: ends.logStart, endOffset: ends.endOffset, diverging },
      {
        topicId: copy.sourceTopicId,
        logStart: 0,
        nextOffset: copy.position,
        lastEpoch: copy.lastEpoch,
      },
    );
    if (verdict.kind === 'intact') {
      copy.failed('the source does not have the next offset at the moment', clock.monotonicMs());
      return;
    }
    if (verdict.kind === 'gap') {
      const [moved] = await destination.moveLogStarts([
        {
          topicId: copy.topicId,
          partition: copy.place.partition,
          logStartOffset: verdict.toOffset,
          endOffset: verdict.fromOffset,
        },
      ]);
      if (moved?.error === 'NONE')
        onEvent({
          type: 'gap',
          level: 'warn',
          topic: copy.topicName,
          message: 'skipped records that the source deleted before they were copied',
          fields: {
            partition: copy.place.partition,
            from_offset: verdict.fromOffset,
            to_offset: verdict.toOffset,
          },
        });
      if (moved !== undefined && moved.nextOffset >= 0) copy.goOnAt(moved.nextOffset);
      if (moved?.error !== 'NONE')
        copy.failed(
          `the gap from offset ${verdict.fromOffset} cannot be noted: ${moved?.error ?? 'no answer'}`,
          clock.monotonicMs(),
        );
      return;
    }
    // A new leader may not know the end of its log yet.
    if (doubt >= doubtsMax) {
      const type = verdict.kind === 'recreated' ? 'recreation' : 'truncation';
      work.stopPartition(copy, type, verdict.message);
      return;
    }
    await pauseUnlessStopped(clock, doubtPauseMs, stop);
  }
}
