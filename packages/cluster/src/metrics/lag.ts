import { fileIdTimeMs } from '@weir/core';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import type { BatchesQuery, Pointers } from '../ports/port.ts';
import type { MeasuredClusterView, PartitionSpan } from './measured-cluster-view.ts';

/** How far a group is behind in one partition. */
export interface PartitionLag {
  readonly records: number;
  /** The first record that is there and was not committed; `undefined` when there is none. */
  readonly waitingOffset: number | undefined;
}

/**
 * Without a committed offset all that survives is behind. A topic that was made anew may be shorter than what was read of the old one, and
 * retention may have taken what was not read.
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
 * When records were written, by when their files were begun: no file is read for it. `undefined` for what is not there any more. In the order
 * of the question.
 */
export async function writtenAtMs(
  sight: Pick<MeasuredClusterView, 'recentPointers'> & { readonly port: Pick<ClusterPort, 'findBatches'> },
  records: readonly WrittenAt[],
): Promise<(number | undefined)[]> {
  const times = records.map(({ topicId, partition, offset }) => {
    const recent = sight.recentPointers(topicId, partition, offset, 1);
    return recent === undefined ? undefined : timeOfFirst(recent);
  });
  const unknown = times.flatMap((timeMs, index) => (timeMs === undefined ? [index] : []));
  for (let at = 0; at < unknown.length; at += queriesPerCall) {
    const part = unknown.slice(at, at + queriesPerCall);
    const queries = part.map((index): BatchesQuery => ({ ...records[index]!, bytesMax: 1 }));
    const answers = await sight.port.findBatches(queries);
    for (const [row, index] of part.entries()) times[index] = timeOfFirst(answers[row]!.pointers);
  }
  return times;
}

function timeOfFirst({ fileId, markers }: Pointers): number | undefined {
  const first = fileId[0];
  if (first === undefined) return undefined;
  // The end of a transaction lies in no file.
  return first === '' ? markers?.timestampMs[0] : fileIdTimeMs(first);
}
