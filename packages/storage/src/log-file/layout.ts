/**
 * The layout of a log file. All integers are big-endian; docs/reference/log-file.md describes every byte.
 *
 *      ┌────────┬───────────────┬───────────────┬─────┬────────┬─────────┐
 *      │ header │ section 0     │ section 1     │  …  │ footer │ trailer │
 *      └────────┴───────────────┴───────────────┴─────┴────────┴─────────┘
 *                 one per partition: its record           ▲        │
 *                 batches, one after the other            └────────┘
 *
 * These bytes are in buckets for as long as their records are retained. A change of any number requires a higher
 * version of the format.
 */
export const magic = Buffer.from('WEIRLOGF', 'latin1');

/** `written`: files of the write path. `compacted`: files of level 1 and above, whose batches have their offsets. */
export const formatVersions = { written: 1, compacted: 2 } as const;
export type FormatVersion = (typeof formatVersions)[keyof typeof formatVersions];

/** The header up to the cluster id, which has a variable length; a CRC follows it. */
export const headerAt = {
  magic: 0,
  version: 8,
  /** The length of the whole header including the CRC: where the sections begin. */
  headerBytes: 10,
  fileId: 12,
  clusterIdBytes: 28,
  clusterId: 29,
} as const;

export const crcBytes = 4;
export const fileIdBytes = 16;
export const clusterIdBytesMax = 255;
/** Enough to read any header. */
export const headerBytesMax = headerAt.clusterId + clusterIdBytesMax + crcBytes;

/** The footer: two counts, the ids of the topics, then the columns, each with one entry per section. */
export const footerAt = { topicCount: 0, sectionCount: 4, topics: 8 } as const;

export const topicIdBytes = 16;

/** In the order of the file. `int64` columns are read as numbers, exact up to 2^53. */
const writtenColumns = [
  { name: 'topic', type: 'uint32' },
  { name: 'partition', type: 'uint32' },
  { name: 'byteStart', type: 'int64' },
  { name: 'byteLength', type: 'int64' },
  { name: 'batchCount', type: 'uint32' },
  { name: 'recordCount', type: 'int64' },
] as const;

const compactedColumns = [
  ...writtenColumns,
  { name: 'baseOffset', type: 'int64' },
  { name: 'nextOffset', type: 'int64' },
] as const;

export type FooterColumn = (typeof compactedColumns)[number];

export const footerColumns: Readonly<Record<FormatVersion, readonly FooterColumn[]>> = {
  [formatVersions.written]: writtenColumns,
  [formatVersions.compacted]: compactedColumns,
};

export const columnBytes = { uint32: 4, int64: 8 } as const;

export const trailerAt = { footerStart: 0, footerBytes: 8, footerCrc: 12, magic: 16 } as const;

export const trailerBytes = trailerAt.magic + magic.length;

/** The fields of a Kafka record batch (magic 2) that this format needs. Batches are never re-encoded here. */
export const batchAt = { batchLength: 8, crc: 17, attributes: 21, recordCount: 57 } as const;

/** The batch length excludes itself and the fields before it. */
export const batchLengthOverhead = 12;
export const batchHeaderBytes = 61;

export function footerBytesOf(version: FormatVersion, topicCount: number, sectionCount: number): number {
  const sectionBytes = footerColumns[version].reduce((sum, { type }) => sum + columnBytes[type], 0);
  return footerAt.topics + topicCount * topicIdBytes + sectionCount * sectionBytes;
}
