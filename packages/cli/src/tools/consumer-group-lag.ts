import {
  committedOffsets,
  describeGroupIfKnown,
  type GroupMemberDescription,
  type KafkaCluster,
  KafkaRequestFailed,
  offsetRanges,
} from '@weir/client';
import { Failure } from '@weir/core';
import { errors } from '@weir/wire';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

export const consumerGroupLagTool: Handler<'cli consumer-group-lag'> = async (values, deps) => {
  const { output } = deps;
  const groupId = values.group!;
  const lag = await onCluster(values, deps, (cluster) => groupLag(cluster, groupId, values.topic));
  printResult(values, deps, {
    json: lag,
    text: () =>
      `group ${groupId}, state ${lag.state}, total lag ${lag.totalLag}\n` +
      table(header, lag.partitions.map(cells)),
  });
  const problems = lag.partitions.map(({ problem }) => problem).filter((problem) => problem !== null);
  for (const problem of new Set(problems)) {
    output.err(`weir cli consumer-group-lag: ${escapeControls(problem)}\n`);
  }
  return problems.length === 0 ? 0 : 1;
};

const header = ['TOPIC', 'PARTITION', 'COMMITTED', 'LATEST', 'LAG', 'MEMBER', 'HOST'];

interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  /** Null if a member reads the partition and the group has committed nothing yet. */
  readonly committedOffset: bigint | null;
  readonly latestOffset: bigint | null;
  readonly lag: bigint | null;
  readonly memberId: string | null;
  readonly clientHost: string | null;
  /** Why the latest offset is not known. */
  readonly problem: string | null;
}

interface GroupLag {
  readonly group: string;
  readonly state: string;
  readonly totalLag: bigint;
  readonly partitions: readonly PartitionLag[];
}

async function groupLag(
  cluster: KafkaCluster,
  groupId: string,
  onlyTopic: string | undefined,
): Promise<GroupLag> {
  const [group, committed] = await Promise.all([
    describeGroupIfKnown(cluster, groupId),
    committedOffsets(cluster, groupId),
  ]);
  if (group === undefined && committed.size === 0) {
    throw new KafkaRequestFailed(`group ${groupId}`, errors.GROUP_ID_NOT_FOUND.code);
  }
  const readers = readersOf(group?.members ?? []);
  const topics = [...new Set([...committed.keys(), ...readers.keys()])].sort();
  const wanted = onlyTopic === undefined ? topics : topics.filter((topic) => topic === onlyTopic);
  if (onlyTopic !== undefined && wanted.length === 0) {
    throw new Failure(`group ${groupId} has no members and no committed offsets for topic ${onlyTopic}`);
  }
  const partitions: PartitionLag[] = [];
  for (const topic of wanted) {
    const offsets = committed.get(topic) ?? new Map<number, bigint>();
    const readBy = readers.get(topic) ?? new Map<number, GroupMemberDescription>();
    partitions.push(...(await topicLag(cluster, topic, offsets, readBy)));
  }
  const totalLag = partitions.reduce((sum, { lag }) => sum + (lag ?? 0n), 0n);
  return { group: groupId, state: group?.state ?? 'Empty', totalLag, partitions };
}

type Readers = ReadonlyMap<number, GroupMemberDescription>;

function readersOf(members: readonly GroupMemberDescription[]): ReadonlyMap<string, Readers> {
  const readers = new Map<string, Map<number, GroupMemberDescription>>();
  for (const member of members) {
    for (const { topic, partitions } of member.partitions) {
      const ofTopic = readers.get(topic) ?? new Map<number, GroupMemberDescription>();
      for (const partition of partitions) ofTopic.set(partition, member);
      readers.set(topic, ofTopic);
    }
  }
  return readers;
}

async function topicLag(
  cluster: KafkaCluster,
  topic: string,
  committed: ReadonlyMap<number, bigint>,
  readers: Readers,
): Promise<readonly PartitionLag[]> {
  const partitions = [...new Set([...committed.keys(), ...readers.keys()])].sort((a, b) => a - b);
  const { answers, failures } = await offsetRanges(cluster, topic, partitions);
  return partitions.map((partition) => {
    const committedOffset = committed.get(partition) ?? null;
    const range = answers.get(partition);
    const latestOffset = range?.latest ?? null;
    // Without a commit, no available record was read.
    const readOffset = committedOffset ?? range?.earliest ?? null;
    const reader = readers.get(partition);
    return {
      topic,
      partition,
      committedOffset,
      latestOffset,
      // A recreated topic may end before the committed offset.
      lag: latestOffset === null || readOffset === null ? null : max(latestOffset - readOffset, 0n),
      memberId: reader?.memberId ?? null,
      clientHost: reader?.clientHost ?? null,
      problem: failures.get(partition)?.message ?? null,
    };
  });
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function cells(row: PartitionLag): readonly string[] {
  return [
    row.topic,
    String(row.partition),
    String(row.committedOffset ?? '-'),
    String(row.latestOffset ?? '-'),
    String(row.lag ?? '-'),
    row.memberId ?? '-',
    row.clientHost ?? '-',
  ];
}
