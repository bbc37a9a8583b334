import type { KafkaCluster } from '@weir/client';
import {
  allAnswers,
  committedOffsets,
  fetchBatches,
  GroupMember,
  KafkaRequestFailed,
  offsetRanges,
  RememberedTopic,
  requestFromLeaders,
} from '@weir/client';
import type { Failure } from '@weir/core';
import { KiB } from '@weir/core';
import { errors, recordBatches } from '@weir/wire';

export interface GroupReading {
  readonly groupId: string;
  readonly topicName: string;
  /**
   * `reads` does so and commits, `stuck` commits where it starts and never again, `leaves` does the same and leaves the
   * group at once.
   */
  readonly habit: 'reads' | 'stuck' | 'leaves';
  /** Without it, as many as there are. */
  readonly recordsPerSecondMax?: number;
  readonly isReadCommitted?: boolean;
}

const sessionTimeoutMs = 30_000;
const rebalanceTimeoutMs = 30_000;
/** A member that keeps up reads, commits and sends its heartbeat once in this time. */
const roundMs = 2_000;
const fetchLimits = { maxWaitMs: 500, responseBytesMax: 512 * KiB, partitionBytesMax: 64 * KiB } as const;
/** A slow reader leaves most of what it is sent: without a limit it would read its whole lag again and again. */
const slowPartitionBytesMax = 2 * KiB;

/** Reads one topic as a member of a group, in one of several habits, until the demo stops. */
export async function readInGroup(cluster: KafkaCluster, reading: GroupReading): Promise<void> {
  const { groupId, topicName, habit } = reading;
  const topic = new RememberedTopic(cluster, topicName);
  const member = new GroupMember(cluster, { groupId, topicName, sessionTimeoutMs, rebalanceTimeoutMs });
  while (!cluster.stop.aborted) {
    const positions = await startPositions(cluster, reading, await member.join());
    if ((await member.commit(positions)) === 'rebalancing') continue;
    if (habit === 'leaves') return await member.leave(cluster);
    const { recordsPerSecondMax = Number.POSITIVE_INFINITY } = reading;
    const perRound = (recordsPerSecondMax * roundMs) / 1000;
    let allowance = 0;
    for (;;) {
      await cluster.pause(roundMs);
      if (cluster.stop.aborted) return;
      if ((await member.heartbeat()) === 'rebalancing') break;
      if (habit === 'stuck') continue;
      allowance = Math.min(allowance, perRound) + perRound;
      const records = await advance(cluster, topic, reading, positions, allowance);
      allowance -= records;
      if (records > 0 && (await member.commit(positions)) === 'rebalancing') break;
    }
    await member.commit(positions);
  }
}

/** The committed offsets, and the beginning of partitions without one. */
async function startPositions(
  cluster: KafkaCluster,
  { groupId, topicName }: GroupReading,
  partitions: readonly number[],
): Promise<Map<number, bigint>> {
  const committed = (await committedOffsets(cluster, groupId)).get(topicName);
  const ranges = allAnswers(await offsetRanges(cluster, topicName, partitions));
  return new Map(
    partitions.map((partition) => [partition, committed?.get(partition) ?? ranges.get(partition)!.earliest]),
  );
}

/** Reads once from every partition, and returns the number of records that it read. */
async function advance(
  cluster: KafkaCluster,
  topic: RememberedTopic,
  { isReadCommitted = false }: GroupReading,
  positions: Map<number, bigint>,
  recordsMax: number,
): Promise<number> {
  if (positions.size === 0) return 0;
  const isSlow = recordsMax < Number.POSITIVE_INFINITY;
  const limits = {
    ...fetchLimits,
    ...(isSlow ? { partitionBytesMax: slowPartitionBytesMax } : {}),
    timeoutMs: cluster.timeoutMs,
  };
  const isolation = isReadCommitted ? 'read_committed' : 'read_uncommitted';
  const { answers, failures } = await requestFromLeaders(
    cluster,
    topic,
    [...positions.keys()],
    (leader, found, partitions) =>
      fetchBatches(
        leader,
        found,
        new Map(partitions.map((one) => [one, positions.get(one)!])),
        limits,
        isolation,
      ),
  );
  for (const [partition, failure] of failures) await startAnew(cluster, topic, positions, partition, failure);
  let records = 0;
  let partitionsLeft = answers.size;
  for (const [partition, { records: batches }] of answers) {
    const from = positions.get(partition)!;
    const share = Math.max(0, Math.round((recordsMax - records) / partitionsLeft--));
    const read = Math.min(Number(endOf(batches, from) - from), share);
    positions.set(partition, from + BigInt(read));
    records += read;
  }
  return records;
}

function endOf(bytes: Buffer, from: bigint): bigint {
  let end = from;
  for (const batch of recordBatches(bytes, { partialTail: 'ignore' })) {
    if (batch.nextOffset > end) end = batch.nextOffset;
  }
  return end;
}

/**
 * A slow reader loses records to retention, as a real one does. It goes on at the end and falls behind again; at the
 * beginning its lag would stay what retention keeps, and grow no more.
 */
async function startAnew(
  cluster: KafkaCluster,
  { name }: RememberedTopic,
  positions: Map<number, bigint>,
  partition: number,
  failure: Failure,
): Promise<void> {
  const isOutOfRange =
    failure instanceof KafkaRequestFailed && failure.code === errors.OFFSET_OUT_OF_RANGE.code;
  if (!isOutOfRange) throw failure;
  const range = allAnswers(await offsetRanges(cluster, name, [partition])).get(partition)!;
  positions.set(partition, range.latest);
}
