import type { Handler } from '../handler.ts';
import { withCluster } from '../kafka/cluster.ts';
import { listTopics } from '../kafka/topics.ts';
import { clusterOptions } from './connection.ts';
import { jsonLine } from './record-text.ts';
import { table } from './table.ts';

export const listTopicsTool: Handler<'cli list-topics'> = async (values, deps) => {
  const found = await withCluster(await clusterOptions(values, deps), listTopics);
  const topics = found.map(({ name, topicId, partitions, isInternal }) => ({
    topic: name ?? '',
    topicId,
    partitions: partitions.length,
    isInternal,
  }));
  deps.output.out(
    values.output === 'json'
      ? jsonLine(topics)
      : table(
          ['TOPIC', 'PARTITIONS', 'ID'],
          topics.map(({ topic, partitions, topicId }) => [topic, String(partitions), topicId]),
        ),
  );
  return 0;
};
