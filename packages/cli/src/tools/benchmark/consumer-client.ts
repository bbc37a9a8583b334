import { KafkaCluster, withCluster } from '../../kafka/cluster.ts';
import { committedOffsets } from '../../kafka/committed-offsets.ts';
import type { FetchLimits } from '../../kafka/fetch.ts';
import { GroupMember } from '../../kafka/group-member.ts';
import { allAnswers } from '../../kafka/leaders.ts';
import { offsetRanges } from '../../kafka/offsets.ts';
import { RememberedTopic } from '../../kafka/remembered-topic.ts';
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
  const from = await endsOf(cluster, load, own);
  await readerOf(client, load, topic, from).run();
}

const sessionTimeoutMs = 30_000;
const rebalanceTimeoutMs = 60_000;
const heartbeatEveryMs = 3_000;

/**
 * Reads what the group assigns to this client, and commits with every heartbeat, before every rebalance and at the end.
 * A stopped client leaves the group, so that the others get its partitions at once.
 */
export async function consumeByGroup(
  client: BenchmarkClient,
  load: ConsumerLoad,
  groupId: string,
): Promise<void> {
  const { cluster, options } = client;
  const topic = new RememberedTopic(cluster, load.topicName);
  await cluster.retrying(() => topic.find());
  // Brokers answer the requests of one connection in order, so a heartbeat must not queue behind a fetch. And a member
  // commits and leaves after the benchmark was stopped.
  const over = new AbortController();
  const groupOptions = { ...options, stop: over.signal };
  const groupCluster = new KafkaCluster(groupOptions);
  const member = new GroupMember(groupCluster, {
    groupId,
    topicName: load.topicName,
    sessionTimeoutMs,
    rebalanceTimeoutMs,
  });
  try {
    while (!cluster.stop.aborted) {
      const partitions = await unlessStopped(cluster, member.join());
      if (partitions === undefined) break;
      const from = await groupPositions(cluster, groupCluster, load, groupId, partitions);
      const reader = readerOf(client, load, topic, from);
      await readWhileMember(cluster, member, reader);
      await member.commit(reader.positions);
    }
    // A JoinGroup request may still be waiting on the member's connection, and no request behind it would be answered.
    await withCluster(groupOptions, (leaving) => member.leave(leaving));
  } finally {
    // A JoinGroup request that is still waiting must not be retried.
    over.abort();
    await groupCluster.close();
  }
}

/** Reads until the group rebalances, or the benchmark ends. */
async function readWhileMember(
  cluster: KafkaCluster,
  member: GroupMember,
  reader: PartitionReader,
): Promise<void> {
  const reading = reader.run();
  let isReading = true;
  const ended = reading.finally(() => {
    isReading = false;
  });
  // The failure is handled where `ended` is awaited below.
  ended.catch(() => {});
  while (isReading && !cluster.stop.aborted) {
    await Promise.race([cluster.pause(heartbeatEveryMs), ended]);
    if (cluster.stop.aborted) break;
    if ((await member.heartbeat()) === 'rebalancing') break;
    if ((await member.commit(reader.positions)) === 'rebalancing') break;
  }
  reader.stop();
  await reading;
}

async function groupPositions(
  cluster: KafkaCluster,
  groupCluster: KafkaCluster,
  load: ConsumerLoad,
  groupId: string,
  partitions: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  const committed = (await committedOffsets(groupCluster, groupId)).get(load.topicName);
  const fresh = partitions.filter((partition) => !committed?.has(partition));
  const positions = new Map(await endsOf(cluster, load, fresh));
  for (const partition of partitions) {
    const offset = committed?.get(partition);
    if (offset !== undefined) positions.set(partition, offset);
  }
  return positions;
}

async function endsOf(
  cluster: KafkaCluster,
  { topicName, from }: ConsumerLoad,
  partitions: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  if (partitions.length === 0) return new Map();
  const ranges = allAnswers(await offsetRanges(cluster, topicName, partitions));
  return new Map([...ranges].map(([partition, range]) => [partition, range[from]]));
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

/** Returns `undefined` if the benchmark ended first. */
async function unlessStopped<Result>(
  { stop }: KafkaCluster,
  result: Promise<Result>,
): Promise<Result | undefined> {
  let onStop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    onStop = () => resolve(undefined);
    if (stop.aborted) onStop();
    else stop.addEventListener('abort', onStop);
  });
  // Failures after the end are ignored.
  result.catch(() => {});
  try {
    return await Promise.race([result, stopped]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}
