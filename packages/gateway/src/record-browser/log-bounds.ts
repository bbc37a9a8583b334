import type { ReadRecordsQuery } from '@weir/cluster';
import { apis } from '@weir/wire';
import type { HandlerClient } from '../http-data/handler-client.ts';
import type { BrowserClient } from './browser-client.ts';
import { RecordRefused, refusalOf } from './record-refused.ts';

/** The offsets of a partition that can be read, and where a read begins. */
export interface LogBounds {
  readonly partition: number;
  readonly logStart: number;
  readonly end: number;
  readonly position: number;
}

/** Times that stand for the ends of a partition. */
const atEnd = -1;
const atBeginning = -2;

/** The last version that asks for nothing else. */
const listOffsetsVersion = 6;
const timeoutMs = 10_000;
const committedOnly = 1;

/** Asks for the ends of partitions, which needs the right to describe the topic, and for the start of a read. */
export async function logBounds(
  query: ReadRecordsQuery,
  client: BrowserClient,
): Promise<readonly LogBounds[]> {
  const { start, direction, timestampMs, offset = 0, positions = [] } = query;
  return await client.use(async (kafka) => {
    const begins = await offsetsAt(kafka, query, atBeginning);
    const ends = await offsetsAt(kafka, query, atEnd);
    const times =
      start === 'time' && timestampMs !== undefined ? await offsetsAt(kafka, query, timestampMs) : undefined;
    const given = new Map(positions.map((position) => [position.partition, position.offset]));
    return query.partitions.map((partition): LogBounds => {
      const logStart = begins.get(partition) ?? 0;
      const end = ends.get(partition) ?? logStart;
      const found = {
        newest: end,
        oldest: logStart,
        offset,
        // Times after the last record are the end.
        time: times?.get(partition) ?? end,
        positions: given.get(partition) ?? (direction === 'older' ? logStart : end),
      }[start];
      return { partition, logStart, end, position: found };
    });
  });
}

async function offsetsAt(
  kafka: HandlerClient,
  { topic, partitions }: ReadRecordsQuery,
  timestampMs: number,
): Promise<ReadonlyMap<number, number>> {
  const { topics } = await kafka.call(
    apis.ListOffsets,
    listOffsetsVersion,
    {
      replicaId: -1,
      isolationLevel: committedOnly,
      topics: [
        {
          name: topic,
          partitions: partitions.map((partition) => ({
            partitionIndex: partition,
            currentLeaderEpoch: -1,
            timestamp: BigInt(timestampMs),
          })),
        },
      ],
      timeoutMs,
    },
    0,
  );
  const found = new Map<number, number>();
  for (const { partitionIndex, errorCode, offset = -1n } of topics.flatMap((one) => one.partitions)) {
    if (errorCode !== 0) throw refusalOf(errorCode, { act: 'read', topic, partition: partitionIndex });
    if (offset >= 0n) found.set(partitionIndex, Number(offset));
  }
  if (topics.length === 0) throw new RecordRefused('notFound', `There is no topic ${topic}.`);
  return found;
}
