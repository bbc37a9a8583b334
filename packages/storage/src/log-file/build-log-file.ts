import { crc32c } from '@node-rs/crc32';
import { storageLimits } from '../limits.ts';
import { isFileId } from './file-id.ts';
import {
  batchAt,
  batchHeaderBytes,
  batchLengthOverhead,
  clusterIdBytesMax,
  columnBytes,
  crcBytes,
  footerAt,
  footerBytesOf,
  footerColumns,
  formatVersion,
  headerAt,
  magic,
  topicIdBytes,
  trailerAt,
  trailerBytes,
} from './layout.ts';

export interface BatchToStore {
  /** A Kafka UUID: 22 characters of URL-safe base64. */
  readonly topicId: string;
  readonly partition: number;
  /** One whole record batch. */
  readonly bytes: Buffer;
}

interface LogFileToBuild {
  readonly clusterId: string;
  readonly fileId: string;
  readonly batches: readonly BatchToStore[];
}

interface PlacedBatch {
  /** How many batches precede it in the file. */
  readonly order: number;
  readonly byteStart: number;
}

interface BuiltLogFile {
  /** The whole file; the batches are views of the input. */
  readonly slices: Uint8Array[];
  readonly fileBytes: number;
  /** The location of each batch, in the order of the input. */
  readonly placed: PlacedBatch[];
}

/**
 * Builds a file without copying batches. Sections are sorted by topic id (by its bytes) and partition; within a section
 * batches retain the order of arrival.
 */
export function buildLogFile({ clusterId, fileId, batches }: LogFileToBuild): BuiltLogFile {
  const header = encodeHeader(clusterId, fileId);
  const { topics, sections } = gather(batches);

  const slices: Uint8Array[] = [header];
  const placed = new Array<PlacedBatch>(batches.length);
  let at = header.length;
  let order = 0;
  for (const section of sections) {
    section.byteStart = at;
    for (const index of section.batches) {
      const { bytes } = batches[index]!;
      placed[index] = { order: order++, byteStart: at };
      slices.push(bytes);
      section.recordCount += bytes.readInt32BE(batchAt.recordCount);
      at += bytes.length;
    }
    section.byteLength = at - section.byteStart;
  }
  const end = encodeEnd(topics, sections, at);
  slices.push(end);
  return { slices, fileBytes: at + end.length, placed };
}

interface Topic {
  readonly id: Buffer;
  readonly sections: Map<number, Section>;
  /** Its index among the sorted topics of the file. */
  rank: number;
}

interface Section {
  readonly topic: Topic;
  readonly partition: number;
  /** Indexes of its batches, in the order of arrival. */
  readonly batches: number[];
  byteStart: number;
  byteLength: number;
  recordCount: number;
}

/** Sorts sections, not batches: a file has many batches and few sections. */
function gather(batches: readonly BatchToStore[]): { topics: Topic[]; sections: Section[] } {
  const topics = new Map<string, Topic>();
  for (let index = 0; index < batches.length; index++) {
    const batch = batches[index]!;
    checkBatch(batch);
    let topic = topics.get(batch.topicId);
    if (topic === undefined) {
      topic = { id: topicIdToBytes(batch.topicId), sections: new Map(), rank: 0 };
      topics.set(batch.topicId, topic);
    }
    const section = topic.sections.get(batch.partition);
    if (section === undefined) {
      const { partition } = batch;
      const begun = { topic, partition, batches: [index], byteStart: 0, byteLength: 0, recordCount: 0 };
      topic.sections.set(partition, begun);
    } else {
      section.batches.push(index);
    }
  }
  const sortedTopics = [...topics.values()].sort((a, b) => a.id.compare(b.id));
  const sections: Section[] = [];
  for (const [rank, topic] of sortedTopics.entries()) {
    topic.rank = rank;
    // A typed array sorts numbers without a comparison callback.
    for (const partition of Uint32Array.from(topic.sections.keys()).sort()) {
      sections.push(topic.sections.get(partition)!);
    }
  }
  return { topics: sortedTopics, sections };
}

function checkBatch({ partition, bytes }: BatchToStore): void {
  if (!Number.isInteger(partition) || partition < 0 || partition > 0x7fff_ffff) {
    throw new RangeError(`log file: ${partition} is no partition`);
  }
  if (
    bytes.length < batchHeaderBytes ||
    bytes.readInt32BE(batchAt.batchLength) + batchLengthOverhead !== bytes.length ||
    bytes.readInt32BE(batchAt.recordCount) < 0
  ) {
    throw new RangeError(`log file: ${bytes.length} bytes are not exactly one record batch`);
  }
}

function topicIdToBytes(topicId: string): Buffer {
  const id = Buffer.from(topicId, 'base64url');
  if (id.length !== topicIdBytes || id.toString('base64url') !== topicId) {
    throw new RangeError(`log file: ${JSON.stringify(topicId)} is no topic id`);
  }
  return id;
}

function encodeHeader(clusterId: string, fileId: string): Buffer {
  const cluster = Buffer.from(clusterId, 'utf8');
  if (cluster.length === 0 || cluster.length > clusterIdBytesMax) {
    throw new RangeError(`log file: a cluster id has 1 to ${clusterIdBytesMax} bytes`);
  }
  if (!isFileId(fileId)) throw new RangeError(`log file: ${JSON.stringify(fileId)} is no file id`);
  const crcStart = headerAt.clusterId + cluster.length;
  const header = Buffer.alloc(crcStart + crcBytes);
  magic.copy(header, headerAt.magic);
  header.writeUInt16BE(formatVersion, headerAt.version);
  header.writeUInt16BE(header.length, headerAt.headerBytes);
  header.write(fileId, headerAt.fileId, 'hex');
  header.writeUInt8(cluster.length, headerAt.clusterIdBytes);
  cluster.copy(header, headerAt.clusterId);
  header.writeUInt32BE(crc32c(header.subarray(0, crcStart)), crcStart);
  return header;
}

/** Footer and trailer in one buffer, because they are always written together. */
function encodeEnd(topics: readonly Topic[], sections: readonly Section[], footerStart: number): Buffer {
  const footerBytes = footerBytesOf(topics.length, sections.length);
  if (footerBytes > storageLimits.logFileFooterBytesMax) {
    throw new RangeError(`log file: ${sections.length} partitions are too many for one file`);
  }
  const end = Buffer.alloc(footerBytes + trailerBytes);
  end.writeUInt32BE(topics.length, footerAt.topicCount);
  end.writeUInt32BE(sections.length, footerAt.sectionCount);
  let at: number = footerAt.topics;
  for (const { id } of topics) at += id.copy(end, at);
  for (const { name, type } of footerColumns) {
    const columnOf = columnValues[name];
    for (const section of sections) {
      const value = columnOf(section);
      if (type === 'uint32') end.writeUInt32BE(value, at);
      else writeInt64(end, value, at);
      at += columnBytes[type];
    }
  }
  const trailer = end.subarray(footerBytes);
  writeInt64(trailer, footerStart, trailerAt.footerStart);
  trailer.writeUInt32BE(footerBytes, trailerAt.footerBytes);
  trailer.writeUInt32BE(crc32c(end.subarray(0, footerBytes)), trailerAt.footerCrc);
  magic.copy(trailer, trailerAt.magic);
  return end;
}

const columnValues: Readonly<Record<(typeof footerColumns)[number]['name'], (section: Section) => number>> = {
  topic: ({ topic }) => topic.rank,
  partition: ({ partition }) => partition,
  byteStart: ({ byteStart }) => byteStart,
  byteLength: ({ byteLength }) => byteLength,
  batchCount: ({ batches }) => batches.length,
  recordCount: ({ recordCount }) => recordCount,
};

/** Without a bigint: values here are below 2^53. */
function writeInt64(target: Buffer, value: number, at: number): void {
  target.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  target.writeUInt32BE(value % 2 ** 32, at + 4);
}
