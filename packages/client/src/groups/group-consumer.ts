/** Reads a topic as one member of a consumer group, which may have others. */

import { type ClusterOptions, KafkaCluster, withCluster } from '../cluster.ts';
import { allAnswers } from '../records/leaders.ts';
import { offsetRanges } from '../records/offsets.ts';
import { committedOffsets } from './committed-offsets.ts';
import { GroupMember } from './group-member.ts';

/** Reads the partitions of a member between two rebalances. */
export interface MemberReader {
  /** The offset of the next record of each partition, which is committed. */
  readonly positions: ReadonlyMap<number, bigint>;
  /** Reads until it is stopped or has what it wants. */
  run(): Promise<void>;
  stop(): void;
}

interface GroupReading {
  readonly groupId: string;
  readonly topicName: string;
  /** Where to start in a partition without a committed offset. */
  readonly from: 'earliest' | 'latest';
  open(from: ReadonlyMap<number, bigint>): MemberReader;
  /** Whether the last reader had what it wants, so that the member leaves. */
  isComplete(): boolean;
}

const sessionTimeoutMs = 30_000;
const rebalanceTimeoutMs = 60_000;
const heartbeatEveryMs = 3_000;

/**
 * Reads what the group assigns to this member, and commits with every heartbeat, before every rebalance and at the end.
 * A stopped member leaves the group, so that the others get its partitions at once.
 */
export async function consumeByGroup(
  cluster: KafkaCluster,
  options: ClusterOptions,
  reading: GroupReading,
): Promise<void> {
  const { groupId, topicName } = reading;
  // Brokers answer the requests of one connection in order, so a heartbeat must not queue behind a fetch. And a member
  // commits and leaves after the command was stopped.
  const over = new AbortController();
  const groupOptions = { ...options, stop: over.signal };
  const groupCluster = new KafkaCluster(groupOptions);
  const member = new GroupMember(groupCluster, { groupId, topicName, sessionTimeoutMs, rebalanceTimeoutMs });
  try {
    while (!cluster.stop.aborted && !reading.isComplete()) {
      const partitions = await unlessStopped(cluster, member.join());
      if (partitions === undefined) break;
      const from = await groupPositions(cluster, groupCluster, reading, partitions);
      const reader = reading.open(from);
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

/** Reads until the group rebalances, or there is nothing left to read. */
async function readWhileMember(
  cluster: KafkaCluster,
  member: GroupMember,
  reader: MemberReader,
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
  { groupId, topicName, from }: GroupReading,
  partitions: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  const committed = (await committedOffsets(groupCluster, groupId)).get(topicName);
  const fresh = partitions.filter((partition) => !committed?.has(partition));
  const positions = new Map(await endsOf(cluster, topicName, from, fresh));
  for (const partition of partitions) {
    const offset = committed?.get(partition);
    if (offset !== undefined) positions.set(partition, offset);
  }
  return positions;
}

/** One of the two ends of each partition. */
export async function endsOf(
  cluster: KafkaCluster,
  topicName: string,
  end: 'earliest' | 'latest',
  partitions: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  if (partitions.length === 0) return new Map();
  const ranges = allAnswers(await offsetRanges(cluster, topicName, partitions));
  return new Map([...ranges].map(([partition, range]) => [partition, range[end]]));
}

/** Returns `undefined` if the command was stopped first. */
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
