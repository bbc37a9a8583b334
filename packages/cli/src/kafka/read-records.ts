import { formatDurationMs, MiB } from '@weir/core';
import { type BatchRecord, batchRecords, DecodeError, recordBatches } from '@weir/wire';
import { Failure } from '../failure.ts';
import type { KafkaCluster } from './cluster.ts';
import { fetchBatches } from './fetch.ts';
import { allAnswers, type LeaderRequest, requestFromLeaders, subject } from './leaders.ts';

export interface ReadOptions {
  readonly topicName: string;
  /** The start offset and the current end of each partition. */
  readonly from: ReadonlyMap<number, { readonly offset: bigint; readonly end: bigint }>;
  readonly recordsMax: number;
  /** How long to wait for records after the ends. */
  readonly waitMs: number;
}

export interface ReadRecord extends BatchRecord {
  readonly partition: number;
}

const responseBytesMax = 16 * MiB;
const partitionBytesMax = 4 * MiB;
/** How long a broker may delay a fetch while there are no records. */
const longPollMaxMs = 500;

/** The records of one partition in an answer, and the next offset to read. */
interface Piece {
  readonly records: readonly BatchRecord[];
  readonly nextOffset: bigint;
}

/**
 * Reads partitions up to their ends, and then on until the wait time is over. Yields the records in pieces, each
 * ordered by partition and offset. Ends early and without an error when the user stops the command.
 */
export async function* readRecords(
  cluster: KafkaCluster,
  { topicName, from, recordsMax, waitMs }: ReadOptions,
): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const { clock, stop, timeoutMs } = cluster;
  const positions = new Map([...from].map(([partition, { offset }]) => [partition, offset]));
  const waitUntilMs = clock.monotonicMs() + waitMs;
  let progressAtMs = clock.monotonicMs();
  let left = recordsMax;
  while (left > 0 && !stop.aborted) {
    const nowMs = clock.monotonicMs();
    const behind = [...positions].filter(([partition, offset]) => offset < from.get(partition)!.end);
    const isWaiting = behind.length === 0;
    if (isWaiting && nowMs >= waitUntilMs) return;
    if (!isWaiting && nowMs - progressAtMs > timeoutMs) {
      throw new Failure(
        `${subject(topicName, behind[0]![0])}: no record at offset ${behind[0]![1]} for ` +
          `${formatDurationMs(timeoutMs)}, although the partition goes on to ${from.get(behind[0]![0])!.end}`,
      );
    }
    const maxWaitMs = isWaiting
      ? Math.min(longPollMaxMs, Math.max(1, Math.ceil(waitUntilMs - nowMs)))
      : longPollMaxMs;
    const fetchPositions = new Map(isWaiting ? positions : behind);
    const pieces = await fetchPieces(cluster, topicName, fetchPositions, maxWaitMs);
    const found: ReadRecord[] = [];
    for (const [partition, { records, nextOffset }] of [...pieces].sort(([a], [b]) => a - b)) {
      if (nextOffset > positions.get(partition)!) progressAtMs = clock.monotonicMs();
      positions.set(partition, nextOffset);
      for (const record of records) found.push({ ...record, partition });
    }
    const wanted = found.slice(0, left);
    left -= wanted.length;
    if (wanted.length > 0) yield wanted;
  }
}

async function fetchPieces(
  cluster: KafkaCluster,
  topicName: string,
  positions: ReadonlyMap<number, bigint>,
  maxWaitMs: number,
): Promise<ReadonlyMap<number, Piece>> {
  try {
    const request = fetchRequest(cluster, positions, maxWaitMs);
    return allAnswers(await requestFromLeaders(cluster, topicName, [...positions.keys()], request));
  } catch (error) {
    // A user who stops the command wants the records so far, and no error.
    if (cluster.stop.aborted && error instanceof Failure) return new Map();
    throw error;
  }
}

function fetchRequest(
  cluster: KafkaCluster,
  positions: ReadonlyMap<number, bigint>,
  maxWaitMs: number,
): LeaderRequest<Piece> {
  return async (leader, topic, partitions) => {
    const fetchPositions = new Map(partitions.map((partition) => [partition, positions.get(partition)!]));
    const found = await fetchBatches(leader, topic, fetchPositions, {
      maxWaitMs,
      responseBytesMax,
      partitionBytesMax,
      timeoutMs: cluster.timeoutMs,
    });
    const results = new Map<number, Piece | Failure>();
    for (const [partition, batches] of found) {
      const about = subject(topic.name!, partition);
      const fromOffset = positions.get(partition) ?? 0n;
      results.set(partition, batches instanceof Failure ? batches : readPiece(about, batches, fromOffset));
    }
    return results;
  };
}

/** Reads the batches of an answer. Batches are returned whole, so the first may begin before the requested offset. */
function readPiece(about: string, bytes: Buffer, fromOffset: bigint): Piece | Failure {
  const records: BatchRecord[] = [];
  let nextOffset = fromOffset;
  try {
    for (const batch of recordBatches(bytes, { partialTail: 'ignore' })) {
      if (!batch.hasValidCrc())
        return new Failure(`${about}: the batch at offset ${batch.baseOffset} is damaged`);
      if (batch.nextOffset > nextOffset) nextOffset = batch.nextOffset;
      // A control batch holds the end of a transaction and no user records.
      if (batch.isControl) continue;
      for (const record of batchRecords(batch)) if (record.offset >= fromOffset) records.push(record);
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return new Failure(`${about}: the answer cannot be read: ${error.message}`);
  }
  return { records, nextOffset };
}
