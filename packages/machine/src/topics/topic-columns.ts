import type { TopicDescription, TopicsWithEnds } from '@weir/cluster';
import type { Topic } from './topics.ts';

/** Returns topics in the column layout of a snapshot. */
export function topicColumns(topics: Iterable<Topic>, partitionCount: number): TopicsWithEnds {
  const descriptions: TopicDescription[] = [];
  const logStartOffset = new Float64Array(partitionCount);
  const nextOffset = new Float64Array(partitionCount);
  const lastStableOffset = new Float64Array(partitionCount);
  let row = 0;
  for (const { description, partitions } of topics) {
    descriptions.push(description);
    for (const log of partitions) {
      logStartOffset[row] = log.logStartOffset;
      nextOffset[row] = log.nextOffset;
      lastStableOffset[row] = log.lastStableOffset;
      row++;
    }
  }
  return { topics: descriptions, logStartOffset, nextOffset, lastStableOffset };
}
