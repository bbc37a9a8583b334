import { apis } from '@weir/wire';
import { byTopic, type Place } from '../place.ts';
import type { Transport } from '../transport.ts';
import { type IsolationLevel, isolationOnTheWire } from './fetch.ts';

/** What is asked for in place of a time: the ends of a partition. */
export const latestTime = -1n;
export const earliestTime = -2n;

interface ListOptions {
  /** Committed records end before the first open transaction. */
  readonly isolation?: IsolationLevel;
  /** How long the broker may wait for its storage. */
  readonly timeoutMs: number;
  /** Later versions know more positions in place of a time. */
  readonly version?: number;
}

interface ListedOffset extends Place {
  readonly errorCode: number;
  /** -1 if there is none, for a time after the last record. */
  readonly offset: bigint;
  /** Of the record there; -1 if the broker does not say. */
  readonly leaderEpoch: number;
}

/** Asks once for the offset of the first record at or after a time, or for an end, of each partition. */
export async function listOffsets(
  leader: Transport,
  asked: readonly (Place & { readonly timestamp: bigint })[],
  { isolation = 'read_uncommitted', timeoutMs, version = apis.ListOffsets.highestStableVersion }: ListOptions,
): Promise<readonly ListedOffset[]> {
  const { topics } = await leader.call(apis.ListOffsets, version, (chosen) => ({
    replicaId: -1,
    isolationLevel: chosen >= 2 ? isolationOnTheWire[isolation] : 0,
    topics: [...byTopic(asked)].map(([name, ofTopic]) => ({
      name,
      partitions: ofTopic.map(({ partition, timestamp }) => ({
        partitionIndex: partition,
        currentLeaderEpoch: -1,
        timestamp,
      })),
    })),
    timeoutMs,
  }));
  return topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, errorCode, offset = -1n, leaderEpoch = -1 }) => ({
      topic: name,
      partition: partitionIndex,
      errorCode,
      offset,
      leaderEpoch,
    })),
  );
}
