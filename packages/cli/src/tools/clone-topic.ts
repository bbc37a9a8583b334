import type { CallOf, Client } from '@weir/api';
import { Failure } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';

type Clone = CallOf<'create_topic_clone'>;

/** Clones a topic, and prints where the partitions of the clone begin and end. */
export const cloneTopicTool: Handler<'cli clone-topic'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await clusterId(client, values.cluster);
  const { topic_id, partitions } = await orFailure(
    client.call('create_topic_clone', {
      virtual_cluster_id,
      source_topic_name: values.from!,
      topic_name: values.to!,
      configs: Object.fromEntries(values.config.map(({ name, value }) => [name, value])),
      ...(await pointOf(values, client, virtual_cluster_id)),
    }),
  );
  return printResult(values, deps, {
    json: { topic: values.to, topicId: topic_id, partitions },
    text: () =>
      table(
        ['TOPIC', 'PARTITION', 'START', 'END', 'REQUESTED'],
        partitions.map(({ partition, start_offset, end_offset, requested_offset }) => [
          values.to!,
          String(partition),
          String(start_offset),
          String(end_offset),
          requested_offset === null ? '-' : String(requested_offset),
        ]),
      ),
  });
};

async function pointOf(
  { at, from }: CommandValues<'cli clone-topic'>,
  client: Client,
  virtual_cluster_id: string,
): Promise<Pick<Clone, 'at_offsets' | 'at_timestamp'>> {
  if (at === undefined) return {};
  if ('timestampMs' in at) return { at_timestamp: new Date(at.timestampMs).toISOString() };
  if ('offsets' in at) return { at_offsets: at.offsets.map((one) => ({ ...one })) };
  const { partition_count: count } = await orFailure(
    client.call('describe_topic', { virtual_cluster_id, topic_name: from! }),
  );
  if (count > 1)
    throw new Failure(
      `-at: topic ${from} has ${count} partitions, and offset ${at.offset} is a different record in each; give 0:${at.offset},1:… or a time`,
    );
  return { at_offsets: [{ partition: 0, offset: at.offset }] };
}
