import type { GroupPartition } from './diagnostic-snapshot.ts';
import { lagOfPartition } from './history.ts';
import { count, counted } from './number-texts.ts';

const topicsShown = 3;
const partitionsShown = 5;

/** Lists where unread records are, most first: `orders partitions 3, 0, users partition 1`. */
export function laggingPartitions(partitions: readonly GroupPartition[]): string {
  const lagging = partitions
    .map(({ topic, partition, committedOffset, endOffset }) => ({
      topic,
      partition,
      lag: lagOfPartition(committedOffset, endOffset),
    }))
    .filter(({ lag }) => lag > 0)
    .sort((a, b) => b.lag - a.lag || a.partition - b.partition);
  return partitionsByTopic(lagging);
}

/** Groups partitions by topic, in the given order, with the number of omitted ones. */
export function partitionsByTopic(
  rows: readonly { readonly topic: string; readonly partition: number }[],
): string {
  const byTopic = Map.groupBy(rows, ({ topic }) => topic);
  const shown = [...byTopic].slice(0, topicsShown).map(([topic, own]) => {
    const numbers = own.slice(0, partitionsShown).map(({ partition }) => String(partition));
    const rest = own.length - numbers.length;
    const more = rest > 0 ? ` and ${count(rest)} more` : '';
    return `${topic} ${own.length === 1 ? 'partition' : 'partitions'} ${numbers.join(', ')}${more}`;
  });
  const rest = byTopic.size - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${counted(rest, 'more topic')}` : '');
}
