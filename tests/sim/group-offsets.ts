import { type AnyBrokerClient, refuse } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import type { Generation } from './membership.ts';

const requestTimeoutMs = 3_000;

/** Fetches the group's offsets in the partitions of a generation. Throws while transactional offsets are pending. */
export async function fetchPositions(
  client: AnyBrokerClient,
  { topicName, topicId }: Bootstrap,
  groupId: string,
  { partitions }: Generation,
): Promise<Map<number, number>> {
  const topics = [{ name: topicName, topicId, partitionIndexes: [...partitions] }];
  const body = { groups: [{ groupId, topics }], requireStable: true };
  const { groups } = await client.request('OffsetFetch', body, requestTimeoutMs);
  refuse('OffsetFetch', groups[0]!.errorCode);
  const positions = new Map<number, number>();
  for (const { partitionIndex, committedOffset, errorCode } of groups[0]!.topics[0]?.partitions ?? []) {
    refuse('OffsetFetch', errorCode);
    positions.set(partitionIndex, Math.max(0, Number(committedOffset)));
  }
  return positions;
}

/** Fetches from the positions and returns the offsets of some records of each partition. */
export async function fetchOffsets(
  client: AnyBrokerClient,
  { topicName, topicId }: Bootstrap,
  positions: ReadonlyMap<number, number>,
  recordsOf: (partition: number, fromOffset: number, bytes: Buffer) => readonly number[],
): Promise<Map<number, readonly number[]>> {
  const partitions = [...positions].map(([partition, offset]) => ({
    partition,
    fetchOffset: BigInt(offset),
    partitionMaxBytes: 2_000,
  }));
  const body = {
    maxWaitMs: 200,
    minBytes: 1,
    maxBytes: 8_000,
    topics: [{ topic: topicName, topicId, partitions }],
  };
  const answer = await client.request('Fetch', body, requestTimeoutMs);
  const found = new Map<number, readonly number[]>();
  for (const { partitionIndex, errorCode, records } of answer.responses[0]?.partitions ?? []) {
    refuse('Fetch', errorCode);
    const offsets = recordsOf(partitionIndex, positions.get(partitionIndex)!, records ?? Buffer.alloc(0));
    if (offsets.length > 0) found.set(partitionIndex, offsets);
  }
  return found;
}
