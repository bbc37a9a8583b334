import type { Handler } from '../handler.ts';
import { withCluster } from '../kafka/cluster.ts';
import { deleteTopic } from '../kafka/topics.ts';
import { clusterOptions } from './connection.ts';
import { jsonLine } from './record-text.ts';

export const deleteTopicTool: Handler<'cli delete-topic'> = async (values, deps) => {
  const name = values.topic!;
  await withCluster(await clusterOptions(values, deps), (cluster) => deleteTopic(cluster, name));
  deps.output.out(
    values.output === 'json' ? jsonLine({ topic: name, deleted: true }) : `deleted topic ${name}\n`,
  );
  return 0;
};
