import { type KafkaConnection, KafkaRequestFailed, listOffsets, type Place, subject } from '@weir/client';
import { errors } from '@weir/wire';
import { askLeaders, type LedPlace } from './by-leader.ts';
import { exactNumber } from './exact-number.ts';
import { placeKey } from './place-key.ts';
import { type FetchFailure, failureOf } from './raw-fetch.ts';
import type { SourceCluster } from './source-cluster.ts';

/** Where the log of a partition begins and ends. */
export interface LogEnds extends Place {
  readonly logStart: number;
  /** The end of what is replicated. */
  readonly endOffset: number;
  /** Of the last batch; -1 if the source does not say. */
  readonly endEpoch: number;
}

export interface NoLogEnds extends Place {
  readonly failure: FetchFailure;
  /** One line. */
  readonly message: string;
}

const [earliest, latest] = [-2n, -1n];

/** Asks the leaders of partitions where their logs begin and end. Each partition has one answer. */
export function logEnds(
  source: SourceCluster,
  places: readonly LedPlace[],
): Promise<readonly (LogEnds | NoLogEnds)[]> {
  return askLeaders(
    source,
    places,
    async (leader, some) => {
      // A request may name a partition once.
      const starts = await listed(source, leader, some, earliest);
      const ends = await listed(source, leader, some, latest);
      return some.map((place) => bothOf(place, starts, ends));
    },
    ({ topic, partition }, message) => ({ topic, partition, failure: 'moved', message }),
  );
}

type Listed = ReadonlyMap<string, Awaited<ReturnType<typeof listOffsets>>[number]>;

async function listed(
  { asks: { timeoutMs } }: SourceCluster,
  leader: KafkaConnection,
  places: readonly Place[],
  timestamp: bigint,
): Promise<Listed> {
  const asked = places.map(({ topic, partition }) => ({ topic, partition, timestamp }));
  const answers = await listOffsets(leader.transport(timeoutMs), asked, { timeoutMs });
  return new Map(answers.map((answer) => [placeKey(answer), answer]));
}

function bothOf({ topic, partition }: Place, starts: Listed, ends: Listed): LogEnds | NoLogEnds {
  const key = placeKey({ topic, partition });
  const [start, end] = [starts.get(key), ends.get(key)];
  const code = [start, end].find((one) => one?.errorCode !== errors.NONE.code)?.errorCode;
  if (start === undefined || end === undefined || code !== undefined) {
    const { message } = new KafkaRequestFailed(
      subject(topic, partition),
      code ?? errors.UNKNOWN_SERVER_ERROR.code,
    );
    return { topic, partition, failure: failureOf(code ?? errors.UNKNOWN_SERVER_ERROR.code), message };
  }
  const logStart = exactNumber(start.offset);
  const endOffset = exactNumber(end.offset);
  if (logStart < 0 || endOffset < 0)
    return {
      topic,
      partition,
      failure: 'other',
      message: `${subject(topic, partition)}: the source names no offsets`,
    };
  // Records may be deleted between the two answers.
  return { topic, partition, logStart: Math.min(logStart, endOffset), endOffset, endEpoch: end.leaderEpoch };
}
