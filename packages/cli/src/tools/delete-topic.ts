import { deleteTopic, withCluster } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { clusterOptions } from './connection.ts';

export const deleteTopicTool: Handler<'cli delete-topic'> = async (values, deps) => {
  const name = values.topic!;
  await withCluster(await clusterOptions(values, deps), (cluster) => deleteTopic(cluster, name));
  printResult(values, deps, {
    json: { topic: name, deleted: true },
    text: () => `deleted topic ${name}\n`,
  });
  return 0;
};
