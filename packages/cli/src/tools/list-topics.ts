import { listTopics } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

export const listTopicsTool: Handler<'cli list-topics'> = async (values, deps) => {
  const found = await onCluster(values, deps, listTopics);
  const topics = found.map(({ name, topicId, partitions, isInternal }) => ({
    topic: name ?? '',
    topicId,
    partitions: partitions.length,
    isInternal,
  }));
  return printResult(values, deps, {
    json: topics,
    text: () =>
      table(
        ['TOPIC', 'PARTITIONS', 'ID'],
        topics.map(({ topic, partitions, topicId }) => [topic, String(partitions), topicId]),
      ),
  });
};
