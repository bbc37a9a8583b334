import { fileIdTimeMs } from '@weir/core';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import type { BatchesQuery } from '../calls/log-calls.ts';
import type { Pointers } from '../calls/pointers.ts';
import type { MeasuredClusterView, PartitionSpan } from './measured-cluster-view.ts';

/** Lag of a group in one partition. */
export interface PartitionLag {
  readonly records: number;
  /** The first existing record that is not committed; `undefined` if there is none. */
  readonly waitingOffset: number | undefined;
}

/**
 * Computes the lag. Without a committed offset, all existing records count. A committed offset may be beyond the end,
 * if the topic was deleted and created again, or below the log start, if retention removed unread records.
 */
export function lagOf(
  committedOffset: number | undefined,
  { logStartOffset, nextOffset }: PartitionSpan,
): PartitionLag {
  const waitingOffset = Math.max(committedOffset ?? logStartOffset, logStartOffset);
  return {
    records: Math.max(0, nextOffset - (committedOffset ?? logStartOffset)),
    waitingOffset: waitingOffset < nextOffset ? waitingOffset : undefined,
  };
}

export interface WrittenAt {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
}

const queriesPerCall = 1_000;

/**
 * Returns when records were written, in the order of `records`, by the creation time of their files: no file is read. A
 * compacted file has the time of its newest input, so that older records in it count as written then. `undefined` for
 * records that no longer exist.
 */
export async function writtenAtMs(
  view: Pick<MeasuredClusterView, 'recentPointers'> & { readonly port: Pick<ClusterPort, 'findBatches'> },
  records: readonly WrittenAt[],
): Promise<(number | undefined)[]> {
  const times = records.map(({ topicId, partition, offset }) => {
    const recent = view.recentPointers(topicId, partition, offset, 1);
    return recent === undefined ? undefined : timeOfFirst(recent);
  });
  const unknown = times.flatMap((timeMs, index) => (timeMs === undefined ? [index] : []));
  for (let at = 0; at < unknown.length; at += queriesPerCall) {
    const part = unknown.slice(at, at + queriesPerCall);
    const queries = part.map((index): BatchesQuery => ({ ...records[index]!, bytesMax: 1 }));
    const answers = await view.port.findBatches(queries);
    for (const [row, index] of part.entries()) times[index] = timeOfFirst(answers[row]!.pointers);
  }
  return times;
}

function timeOfFirst({ fileId, markers }: Pointers): number | undefined {
  const first = fileId[0];
  if (first === undefined) return undefined;
  // A transaction marker is in no file.
  return first === '' ? markers?.timestampMs[0] : fileIdTimeMs(first);
}
