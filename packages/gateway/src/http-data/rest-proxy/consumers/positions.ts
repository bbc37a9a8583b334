import { listOffsets, type Place } from '@weir/client';
import { errors } from '@weir/wire';
import type { HandlerClient } from '../../handler-client.ts';
import { kafkaProblem } from '../proxy-problems.ts';
import type { OffsetReset } from './consumer-config.ts';
import { illegalState } from './consumer-problems.ts';
import { committedOffsets } from './group-offsets.ts';
import type { HeldPartition } from './held-partitions.ts';

interface Asked extends Place {
  readonly timestampMs: number;
}

interface FoundOffset extends Place {
  /** `undefined` if there is none, for a time after the last record, or if the partition cannot be asked now. */
  readonly offset: number | undefined;
  readonly errorCode: number;
}

/** Times that stand for the ends of a partition. */
export const atEnd = -1;
export const atBeginning = -2;

/** The last version that asks for nothing else. */
const listOffsetsVersion = 6;
const timeoutMs = 30_000;

/** Finds the offset of the first record at or after a time, or an end. Throws a problem for what does not pass. */
async function offsetsAt(client: HandlerClient, asked: readonly Asked[]): Promise<readonly FoundOffset[]> {
  if (asked.length === 0) return [];
  const listed = await listOffsets(
    client,
    asked.map((entry) => ({ ...entry, timestamp: BigInt(entry.timestampMs) })),
    { timeoutMs, version: listOffsetsVersion },
  );
  return listed.map(({ offset, ...found }) => {
    if (found.errorCode === errors.TOPIC_AUTHORIZATION_FAILED.code)
      throw kafkaProblem(found.topic, found.errorCode);
    return { ...found, offset: found.errorCode === 0 && offset >= 0n ? Number(offset) : undefined };
  });
}

/** Like `offsetsAt` for partitions that must exist; times after the last record are the end. */
export async function requiredOffsetsAt(
  client: HandlerClient,
  asked: readonly Asked[],
): Promise<readonly (Place & { readonly offset: number })[]> {
  const found = await offsetsAt(client, asked);
  const failed = found.find(({ errorCode }) => errorCode !== 0);
  if (failed !== undefined) throw kafkaProblem(failed.topic, failed.errorCode);
  const late = found.filter(({ offset }) => offset === undefined);
  const ends = late.length === 0 ? [] : await requiredOffsetsAt(client, atTime(late, atEnd));
  return [
    ...found.flatMap(({ offset, ...place }) => (offset === undefined ? [] : [{ ...place, offset }])),
    ...ends,
  ];
}

export function atTime(places: readonly Place[], timestampMs: number): Asked[] {
  return places.map(({ topic, partition }) => ({ topic, partition, timestampMs }));
}

/**
 * Finds positions of partitions that have none: committed offsets, or an end. A partition that cannot be asked now, or
 * does not exist, keeps none, as in Kafka's consumer.
 */
export async function findPositions(
  client: HandlerClient,
  groupId: string,
  unknown: readonly HeldPartition[],
  reset: OffsetReset,
): Promise<void> {
  if (unknown.length === 0) return;
  const byPlace = new Map(unknown.map((held) => [`${held.topic}/${held.partition}`, held]));
  for (const { topic, partition, offset } of await committedOffsets(client, groupId, unknown)) {
    const held = byPlace.get(`${topic}/${partition}`);
    if (held === undefined || offset < 0) continue;
    held.position = offset;
    held.committed = offset;
  }
  await resetPositions(
    client,
    unknown.filter(({ position }) => position === undefined),
    reset,
  );
}

/** Moves partitions to an end, by the setting `auto.offset.reset`. */
export async function resetPositions(
  client: HandlerClient,
  lost: readonly HeldPartition[],
  reset: OffsetReset,
): Promise<void> {
  const [first] = lost;
  if (first === undefined) return;
  if (reset === 'none')
    throw illegalState(
      `Partition ${first.partition} of topic ${first.topic} has no offset to begin at, and auto.offset.reset is none.`,
    );
  const byPlace = new Map(lost.map((held) => [`${held.topic}/${held.partition}`, held]));
  const asked = atTime(lost, reset === 'earliest' ? atBeginning : atEnd);
  for (const { topic, partition, offset } of await offsetsAt(client, asked)) {
    const held = byPlace.get(`${topic}/${partition}`);
    if (held !== undefined) held.position = offset;
  }
}
