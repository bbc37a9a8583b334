/**
 * What the summaries of snapshots say about the source. Every commit carries all of it on, so that the newest snapshot
 * has it, whatever expires.
 */
import { newestSummary, type TableMetadata } from '@weir/iceberg';

/** For each partition of the topic the offset of the next record that the table does not have: `{"0":"17"}`. */
const sourceOffsetsKey = 'service.source-offsets';

/** The id of the topic that these offsets are of. */
export const topicIdKey = 'service.source-topic-id';

/** Identifies the commit of a writer of records. */
export const commitIdKey = 'service.commit-id';

/** The file of kept records that was replayed last. */
export const replayIdKey = 'service.replay-id';

/** Partitions that wait at a record that cannot be a row, with its offset. */
const stoppedKey = 'service.stopped-partitions';

/** Of a table of kept records: the only writer that may add some. */
export const writerIdKey = 'service.writer-id';

const carriedKeys = [
  sourceOffsetsKey,
  topicIdKey,
  commitIdKey,
  replayIdKey,
  stoppedKey,
  writerIdKey,
] as const;

/** What the summary of a new snapshot has to have of those before it: that of compactions and deletions too. */
export function carriedSummary(metadata: TableMetadata): Record<string, string> {
  const carried: Record<string, string> = {};
  for (const key of carriedKeys) {
    const found = newestSummary(metadata, key);
    if (found !== undefined) carried[key] = found.value;
  }
  return carried;
}

/** By partition of the topic, the next offset. */
export type SourceOffsets = ReadonlyMap<number, bigint>;

export function sourceOffsetsOf(metadata: TableMetadata): SourceOffsets {
  return offsetsUnder(metadata, sourceOffsetsKey);
}

export function sourceOffsetsSummary(offsets: SourceOffsets): Record<string, string> {
  return { [sourceOffsetsKey]: offsetsText(offsets) };
}

export function stoppedOf(metadata: TableMetadata): Map<number, bigint> {
  return offsetsUnder(metadata, stoppedKey);
}

export function stoppedSummary(stopped: SourceOffsets): Record<string, string> {
  return { [stoppedKey]: offsetsText(stopped) };
}

function offsetsUnder(metadata: TableMetadata, key: string): Map<number, bigint> {
  const text = newestSummary(metadata, key)?.value ?? '{}';
  return new Map(
    Object.entries(JSON.parse(text) as Record<string, string>).map(([partition, offset]) => [
      Number(partition),
      BigInt(offset),
    ]),
  );
}

function offsetsText(offsets: SourceOffsets): string {
  const inOrder = [...offsets].sort(([one], [other]) => one - other);
  return JSON.stringify(
    Object.fromEntries(inOrder.map(([partition, offset]) => [partition, String(offset)])),
  );
}
