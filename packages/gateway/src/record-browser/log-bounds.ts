import { listOffsets } from '@weir/client';
import type { ReadRecordsQuery } from '@weir/cluster';
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
  const timestamp = BigInt(timestampMs);
  const listed = await listOffsets(
    kafka,
    partitions.map((partition) => ({ topic, partition, timestamp })),
    { isolation: 'read_committed', timeoutMs, version: listOffsetsVersion },
  );
  const found = new Map<number, number>();
  for (const { partition, errorCode, offset } of listed) {
    if (errorCode !== 0) throw refusalOf(errorCode, { act: 'read', topic, partition });
    if (offset >= 0n) found.set(partition, Number(offset));
  }
  if (listed.length === 0) throw new RecordRefused('notFound', `Topic ${topic} not found.`);
  return found;
}
