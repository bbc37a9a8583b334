import { createTopic } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

export const createTopicTool: Handler<'cli create-topic'> = async (values, deps) => {
  // The rules have checked that it is set.
  const name = values.topic!;
  const { partitions, config: configs } = values;
  const made = await onCluster(values, deps, (cluster) =>
    createTopic(cluster, { name, partitions, replicationFactor: values['replication-factor'], configs }),
  );
  return printResult(values, deps, {
    json: { topic: name, ...made },
    text: () =>
      table(
        ['TOPIC', 'PARTITIONS', 'REPLICATION', 'ID'],
        [[name, shownCount(made.partitions), shownCount(made.replicationFactor), made.topicId]],
      ),
  });
};

/** Old brokers do not return the number. */
function shownCount(count: number): string {
  return count < 0 ? '-' : String(count);
}
