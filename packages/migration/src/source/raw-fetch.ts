import { fetchPlaces, KafkaRequestFailed, type Place } from '@weir/client';
import { errors, zeroUuid } from '@weir/wire';
import { exactNumber } from './exact-number.ts';
import { placeKey } from './place-key.ts';
import type { SourceCluster } from './source-cluster.ts';

/** Where the copy of a partition goes on. */
export interface FetchPosition extends Place {
  readonly topicId: string | null;
  readonly offset: number;
  /** The most bytes of this partition; if absent, those of the limits. */
  readonly bytesMax?: number | undefined;
  /** The leader epoch of the last batch that was copied, if known: the source then says whether its log diverged. */
  readonly lastEpoch?: number | undefined;
}

export interface RawFetchLimits {
  readonly answerBytesMax: number;
  readonly partitionBytesMax: number;
  /** How long the broker may wait for records. */
  readonly waitMs: number;
  /** Memory that the answer is received into; the records are views of it. */
  readonly memory?: ((bytes: number) => Buffer | undefined) | undefined;
}

/**
 * Why a broker sent no batches of a partition. `moved`: the leader has to be looked up again. `out-of-range`: its log
 * does not have the offset. `gone`: there is no such topic, or another one has its name. `denied`: the login may not
 * read it. `other`: anything else, which may pass.
 */
export type FetchFailure = 'moved' | 'out-of-range' | 'gone' | 'denied' | 'other';

export interface FetchedRaw extends Place {
  /** The bytes as the broker sent them; the last batch may be cut. The caller owns them. */
  readonly records: Buffer;
  /** The end of what is replicated at the source. */
  readonly highWatermark: number;
  /** -1 if the source does not say. */
  readonly logStart: number;
  /** Where the logs diverge, if the source found that: the epoch that both may share, and where it ends. */
  readonly diverging: { readonly epoch: number; readonly endOffset: number } | undefined;
}

export interface RefusedFetch extends Place {
  readonly failure: FetchFailure;
  /** One line. */
  readonly message: string;
}

export interface RawAnswer {
  readonly fetched: readonly FetchedRaw[];
  readonly refused: readonly RefusedFetch[];
  /** How long the broker wants no further request. */
  readonly throttleMs: number;
}

/**
 * Fetches partitions once from the broker that leads them, uncommitted records included. Of the first partition with
 * records there is at least one whole batch, whatever the limits; callers let partitions take turns at being first.
 */
export async function fetchRaw(
  source: SourceCluster,
  brokerId: number,
  positions: readonly FetchPosition[],
  { answerBytesMax, partitionBytesMax, waitMs, memory }: RawFetchLimits,
): Promise<RawAnswer> {
  const connection = await source.connectionTo(brokerId, 'fetches');
  const asked = new Set(positions.map(placeKey));
  const { answers, throttleMs } = await fetchPlaces(
    connection,
    positions.map(({ topicId, offset, lastEpoch, ...position }) => ({
      ...position,
      topicId: topicId ?? zeroUuid,
      offset: BigInt(offset),
      lastFetchedEpoch: lastEpoch,
    })),
    {
      maxWaitMs: waitMs,
      responseBytesMax: answerBytesMax,
      partitionBytesMax,
      timeoutMs: source.fetches.timeoutMs,
      isolation: 'read_uncommitted',
      rackId: '',
      memory,
    },
  );
  const fetched: FetchedRaw[] = [];
  const refused: RefusedFetch[] = [];
  for (const { topic, partition, result } of answers) {
    // A source that answers what was not asked must not make a copy of it.
    if (!asked.delete(placeKey({ topic, partition }))) continue;
    if (result instanceof KafkaRequestFailed)
      refused.push({ topic, partition, failure: failureOf(result.code), message: result.message });
    else {
      const { records, highWatermark, logStartOffset, divergingEpoch } = result;
      fetched.push({
        topic,
        partition,
        records,
        highWatermark: exactNumber(highWatermark),
        logStart: exactNumber(logStartOffset),
        diverging: divergingEpoch && {
          epoch: divergingEpoch.epoch,
          endOffset: exactNumber(divergingEpoch.endOffset),
        },
      });
    }
  }
  return { fetched, refused, throttleMs: Math.max(0, throttleMs) };
}

const failures: ReadonlyMap<number, FetchFailure> = new Map([
  [errors.NOT_LEADER_OR_FOLLOWER.code, 'moved'],
  [errors.FENCED_LEADER_EPOCH.code, 'moved'],
  [errors.UNKNOWN_LEADER_EPOCH.code, 'moved'],
  [errors.LEADER_NOT_AVAILABLE.code, 'moved'],
  [errors.REPLICA_NOT_AVAILABLE.code, 'moved'],
  [errors.OFFSET_NOT_AVAILABLE.code, 'moved'],
  [errors.KAFKA_STORAGE_ERROR.code, 'moved'],
  [errors.OFFSET_OUT_OF_RANGE.code, 'out-of-range'],
  [errors.UNKNOWN_TOPIC_OR_PARTITION.code, 'gone'],
  [errors.UNKNOWN_TOPIC_ID.code, 'gone'],
  [errors.INCONSISTENT_TOPIC_ID.code, 'gone'],
  [errors.TOPIC_AUTHORIZATION_FAILED.code, 'denied'],
]);

export function failureOf(code: number): FetchFailure {
  return failures.get(code) ?? 'other';
}
