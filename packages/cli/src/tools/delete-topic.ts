import { deleteTopic } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { onCluster } from './connection.ts';

export const deleteTopicTool: Handler<'cli delete-topic'> = async (values, deps) => {
  const name = values.topic!;
  await onCluster(values, deps, (cluster) => deleteTopic(cluster, name));
  return printResult(values, deps, {
    json: { topic: name, deleted: true },
    text: () => `deleted topic ${name}\n`,
  });
};
