import { partitionSizes, printAddress } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

export const describeLogDirsTool: Handler<'cli describe-log-dirs'> = async (values, deps) => {
  const sizes = await onCluster(values, deps, (cluster) => partitionSizes(cluster, values.topic));
  return printResult(values, deps, {
    json: sizes.map(({ broker, ...size }) => ({
      brokerId: broker.nodeId,
      broker: printAddress(broker),
      ...size,
    })),
    text: () =>
      table(
        ['TOPIC', 'PARTITION', 'BYTES', 'LAG', 'BROKER', 'DIRECTORY'],
        sizes.map(({ topic, partition, bytes, offsetLag, broker, directory }) => [
          topic,
          String(partition),
          String(bytes),
          String(offsetLag),
          `${broker.nodeId} (${printAddress(broker)})`,
          directory,
        ]),
      ),
  });
};
