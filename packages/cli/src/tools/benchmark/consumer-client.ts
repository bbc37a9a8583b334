import type { FetchLimits } from '@weir/client';
import { consumeByGroup, endsOf, RememberedTopic } from '@weir/client';
import { PartitionReader } from './partition-reader.ts';
import type { BenchmarkClient } from './run-benchmark.ts';

interface ConsumerLoad {
  readonly topicName: string;
  /** Where to start in a partition without a committed offset. */
  readonly from: 'earliest' | 'latest';
  readonly limits: FetchLimits;
  readonly clients: number;
  /** Ends the benchmark; negative for no limit. */
  readonly recordsMax: number;
}

/** Reads this client's share of the partitions, which are distributed round robin over the clients. */
export async function consumeByAssignment(client: BenchmarkClient, load: ConsumerLoad): Promise<void> {
  const { cluster, index } = client;
  const topic = new RememberedTopic(cluster, load.topicName);
  const { partitions } = (await cluster.retrying(() => topic.find())).topic;
  const own = partitions
    .map(({ partitionIndex }) => partitionIndex)
    .filter((partition) => partition % load.clients === index);
  const from = await endsOf(cluster, load.topicName, load.from, own);
  await readerOf(client, load, topic, from).run();
}

/** Reads what a group assigns to this client. */
export async function consumeAsMember(
  client: BenchmarkClient,
  load: ConsumerLoad,
  groupId: string,
): Promise<void> {
  const { cluster, options } = client;
  const topic = new RememberedTopic(cluster, load.topicName);
  await cluster.retrying(() => topic.find());
  await consumeByGroup(cluster, options, {
    groupId,
    topicName: load.topicName,
    from: load.from,
    open: (from) => readerOf(client, load, topic, from),
    // A benchmark that has read enough stops all its clients.
    isComplete: () => false,
  });
}

function readerOf(
  { cluster, meter, finish }: BenchmarkClient,
  { limits, recordsMax }: ConsumerLoad,
  topic: RememberedTopic,
  from: ReadonlyMap<number, bigint>,
): PartitionReader {
  const onProgress = () => {
    if (recordsMax >= 0 && meter.records >= recordsMax) finish();
  };
  return new PartitionReader({ cluster, topic, limits, meter, onProgress }, from);
}
