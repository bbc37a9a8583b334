import type { Handler } from '../handler.ts';
import { printAddress } from '../kafka/address.ts';
import { withCluster } from '../kafka/cluster.ts';
import { partitionSizes } from '../kafka/log-dirs.ts';
import { clusterOptions } from './connection.ts';
import { jsonLine } from './record-text.ts';
import { table } from './table.ts';

export const describeLogDirsTool: Handler<'cli describe-log-dirs'> = async (values, deps) => {
  const sizes = await withCluster(await clusterOptions(values, deps), (cluster) =>
    partitionSizes(cluster, values.topic),
  );
  deps.output.out(
    values.output === 'json'
      ? jsonLine(
          sizes.map(({ broker, ...size }) => ({
            brokerId: broker.nodeId,
            broker: printAddress(broker),
            ...size,
          })),
        )
      : table(
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
  );
  return 0;
};
