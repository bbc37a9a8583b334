import type { CallOf } from '@weir/api/client';

type CloneEnd = Pick<CallOf<'create_topic_clone'>, 'at_offsets' | 'at_timestamp'>;

export const cloneEnds = [
  ['now', 'Now: all records'],
  ['time', 'A time'],
  ['offset', 'An offset'],
] as const;

/** What a person has chosen and typed. */
interface CloneEndForm {
  readonly upTo: (typeof cloneEnds)[number][0];
  readonly time: string;
  readonly offsets: string;
}

/** Where a clone ends, as the operation takes it, or what is wrong with what was typed. */
export function readCloneEnd(
  { upTo, time, offsets }: CloneEndForm,
  partitionCount: number,
): CloneEnd | { readonly problem: string } {
  if (upTo === 'now') return {};
  if (upTo === 'time') {
    const timeMs = Date.parse(time);
    return Number.isNaN(timeMs)
      ? { problem: 'Choose a date and time.' }
      : { at_timestamp: new Date(timeMs).toISOString() };
  }
  return offsetsOf(offsets.trim(), partitionCount);
}

function offsetsOf(text: string, partitionCount: number): CloneEnd | { readonly problem: string } {
  if (partitionCount === 1 && /^\d{1,15}$/.test(text))
    return { at_offsets: [{ partition: 0, offset: Number(text) }] };
  const byPartition = new Map<number, number>();
  for (const entry of text.split(/[\s,]+/).filter((word) => word !== '')) {
    const [, partition, offset] = /^(\d{1,6}):(\d{1,15})$/.exec(entry) ?? [];
    if (offset === undefined)
      return {
        problem:
          partitionCount === 1
            ? 'Enter a whole number, 0 or more.'
            : `${entry} is not partition:offset, such as 0:1200.`,
      };
    if (Number(partition) >= partitionCount)
      return { problem: `The topic has partitions 0 to ${partitionCount - 1}, not ${partition}.` };
    if (byPartition.has(Number(partition))) return { problem: `Partition ${partition} has two offsets.` };
    byPartition.set(Number(partition), Number(offset));
  }
  if (byPartition.size === 0) return { problem: 'Enter an offset.' };
  return { at_offsets: Array.from(byPartition, ([partition, offset]) => ({ partition, offset })) };
}
