import { Failure, formatDurationMs, MiB } from '@weir/core';
import {
  type BatchRecord,
  batchRecords,
  DecodeError,
  errors,
  recordBatches,
  type TimestampType,
} from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { abortedFilter } from './aborted-filter.ts';
import { type FetchedBatches, fetchBatches, type IsolationLevel } from './fetch.ts';
import { allAnswers, type LeaderRequest, requestFromLeaders, subject } from './leaders.ts';
import { offsetRanges } from './offsets.ts';
import { RememberedTopic } from './remembered-topic.ts';

export interface ReadOptions {
  readonly topicName: string;
  /** The start offset and the current end of each partition. */
  readonly from: ReadonlyMap<number, { readonly offset: bigint; readonly end: bigint }>;
  readonly recordsMax: number;
  /** How long to wait for records after the ends. */
  readonly waitMs: number;
  /** Ends the wait when no record has come for so long. */
  readonly idleMs?: number | undefined;
  readonly isolation?: IsolationLevel;
  /** Ends reading before it is complete. */
  readonly until?: AbortSignal;
  /** Where to go on after the next records to read were deleted. If absent, that is a failure. */
  readonly resetTo?: 'earliest' | 'latest';
  /** Receives the offsets to go on from, after the records before them were taken. */
  readonly progress?: Map<number, bigint>;
}

export interface ReadRecord extends BatchRecord {
  readonly partition: number;
  readonly timestampType: TimestampType;
}

const responseBytesMax = 16 * MiB;
const partitionBytesMax = 4 * MiB;
/** How long a broker may delay a fetch while there are no records. */
const longPollMaxMs = 500;

/** The records of one partition in an answer, and the next offset to read. */
interface Piece {
  readonly records: readonly Omit<ReadRecord, 'partition'>[];
  readonly nextOffset: bigint;
}

/**
 * Reads partitions up to their ends, and then on until the wait time is over. Yields the records in pieces, each
 * ordered by partition and offset. Ends early and without an error when the user stops the command.
 */
export async function* readRecords(
  cluster: KafkaCluster,
  options: ReadOptions,
): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const { topicName, from, recordsMax, waitMs, idleMs = Number.POSITIVE_INFINITY, until, progress } = options;
  const { clock, stop, timeoutMs } = cluster;
  const topic = new RememberedTopic(cluster, topicName);
  const positions = new Map([...from].map(([partition, { offset }]) => [partition, offset]));
  const waitUntilMs = clock.monotonicMs() + waitMs;
  let progressAtMs = clock.monotonicMs();
  let recordAtMs = progressAtMs;
  let left = recordsMax;
  while (left > 0 && !stop.aborted && until?.aborted !== true) {
    const nowMs = clock.monotonicMs();
    const behind = [...positions].filter(([partition, offset]) => offset < from.get(partition)!.end);
    const isWaiting = behind.length === 0;
    const endMs = Math.min(waitUntilMs, recordAtMs + idleMs);
    if (isWaiting && nowMs >= endMs) return;
    if (!isWaiting && nowMs - progressAtMs > timeoutMs) {
      throw new Failure(
        `${subject(topicName, behind[0]![0])}: no record at offset ${behind[0]![1]} for ` +
          `${formatDurationMs(timeoutMs)}, although the partition ends at ${from.get(behind[0]![0])!.end}`,
      );
    }
    const maxWaitMs = isWaiting
      ? Math.min(longPollMaxMs, Math.max(1, Math.ceil(endMs - nowMs)))
      : longPollMaxMs;
    if (positions.size === 0) {
      await cluster.pause(maxWaitMs);
      continue;
    }
    const fetchPositions = new Map(isWaiting ? positions : behind);
    const pieces = await fetchPieces(cluster, topic, options, fetchPositions, maxWaitMs);
    const found: ReadRecord[] = [];
    for (const [partition, { records, nextOffset }] of [...pieces].sort(([a], [b]) => a - b)) {
      if (nextOffset > positions.get(partition)!) progressAtMs = clock.monotonicMs();
      positions.set(partition, nextOffset);
      for (const record of records) found.push({ ...record, partition });
    }
    const wanted = found.slice(0, left);
    left -= wanted.length;
    if (wanted.length > 0) yield wanted;
    // Taking the records may have taken long, and does not count as time without a record.
    if (wanted.length > 0) recordAtMs = clock.monotonicMs();
    if (wanted.length === found.length)
      for (const [partition, offset] of positions) progress?.set(partition, offset);
    else for (const { partition, offset } of wanted) progress?.set(partition, offset + 1n);
  }
}

async function fetchPieces(
  cluster: KafkaCluster,
  topic: RememberedTopic,
  { isolation, resetTo }: ReadOptions,
  positions: ReadonlyMap<number, bigint>,
  maxWaitMs: number,
): Promise<ReadonlyMap<number, Piece>> {
  try {
    const request = fetchRequest(cluster, positions, maxWaitMs, isolation);
    const found = await requestFromLeaders(cluster, topic, [...positions.keys()], request);
    const lost = [...found.failures].filter(([, failure]) => resetTo !== undefined && isOutOfRange(failure));
    if (lost.length === 0) return allAnswers(found);
    const partitions = lost.map(([partition]) => partition);
    const ranges = allAnswers(await offsetRanges(cluster, topic.name, partitions, isolation));
    const pieces = new Map(found.answers);
    for (const partition of partitions)
      pieces.set(partition, { records: [], nextOffset: ranges.get(partition)![resetTo!] });
    return pieces;
  } catch (error) {
    // A user who stops the command wants the records so far, and no error.
    if (cluster.stop.aborted && error instanceof Failure) return new Map();
    throw error;
  }
}

function isOutOfRange(failure: Failure): boolean {
  return failure instanceof KafkaRequestFailed && failure.code === errors.OFFSET_OUT_OF_RANGE.code;
}

function fetchRequest(
  cluster: KafkaCluster,
  positions: ReadonlyMap<number, bigint>,
  maxWaitMs: number,
  isolation: IsolationLevel | undefined,
): LeaderRequest<Piece> {
  return async (leader, topic, partitions) => {
    const fetchPositions = new Map(partitions.map((partition) => [partition, positions.get(partition)!]));
    const limits = { maxWaitMs, responseBytesMax, partitionBytesMax, timeoutMs: cluster.timeoutMs };
    const found = await fetchBatches(leader, topic, fetchPositions, limits, isolation);
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
function readPiece(
  about: string,
  { records: bytes, aborted }: FetchedBatches,
  fromOffset: bigint,
): Piece | Failure {
  const records: Omit<ReadRecord, 'partition'>[] = [];
  const isLeftOut = abortedFilter(aborted);
  let nextOffset = fromOffset;
  try {
    for (const batch of recordBatches(bytes, { partialTail: 'ignore' })) {
      if (!batch.hasValidCrc())
        return new Failure(`${about}: the batch at offset ${batch.baseOffset} is damaged`);
      if (batch.nextOffset > nextOffset) nextOffset = batch.nextOffset;
      if (isLeftOut(batch)) continue;
      const { timestampType } = batch;
      for (const record of batchRecords(batch))
        if (record.offset >= fromOffset) records.push({ ...record, timestampType });
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return new Failure(`${about}: invalid response: ${error.message}`);
  }
  return { records, nextOffset };
}
