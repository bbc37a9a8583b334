import { encodeEnd, encodeHeader, topicIdToBytes } from './encode-log-file.ts';
import { batchAt, batchHeaderBytes, batchLengthOverhead, formatVersions } from './layout.ts';

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

/** Where batches are in a file, as columns in the order of the input. */
export interface PlacedBatches {
  /** How many batches precede it in the file. */
  readonly order: Uint32Array;
  readonly byteStart: Uint32Array;
}

interface BuiltLogFile {
  /** The whole file; the batches are views of the input. */
  readonly slices: Uint8Array[];
  readonly fileBytes: number;
  readonly placed: PlacedBatches;
}

/**
 * Builds a file without copying batches. Sections are sorted by topic id (by its bytes) and partition; within a section
 * batches retain the order of arrival.
 */
export function buildLogFile({ clusterId, fileId, batches }: LogFileToBuild): BuiltLogFile {
  const header = encodeHeader(formatVersions.written, clusterId, fileId);
  const next = new Uint32Array(batches.length);
  const { topicIds, sections } = gather(batches, next);

  const slices: Uint8Array[] = [header];
  const order = new Uint32Array(batches.length);
  const byteStart = new Uint32Array(batches.length);
  let at = header.length;
  for (const section of sections) {
    section.byteStart = at;
    let index = section.first;
    for (let left = section.batchCount; left > 0; left--) {
      const { bytes } = batches[index]!;
      order[index] = slices.length - 1;
      byteStart[index] = at;
      slices.push(bytes);
      at += bytes.length;
      index = next[index]!;
    }
    section.byteLength = at - section.byteStart;
  }
  const end = encodeEnd(formatVersions.written, topicIds, sections, at);
  slices.push(end);
  return { slices, fileBytes: at + end.length, placed: { order, byteStart } };
}

/**
 * Returns the slices of the same file under another id. Only the header names it, and all headers of a cluster have the
 * same size, so that batches stay where they are.
 */
export function withFileId(slices: readonly Uint8Array[], clusterId: string, fileId: string): Uint8Array[] {
  return [encodeHeader(formatVersions.written, clusterId, fileId), ...slices.slice(1)];
}

interface Topic {
  readonly topicId: string;
  readonly id: Buffer;
  readonly sections: Map<number, Section>;
}

interface Section {
  /** The index of its topic among the sorted topics of the file. */
  topic: number;
  readonly partition: number;
  /** Index of its first batch. Batches of a section are a list, so that a section needs no array. */
  readonly first: number;
  last: number;
  batchCount: number;
  recordCount: number;
  byteStart: number;
  byteLength: number;
}

/**
 * Sorts sections, not batches: a file has many batches and few sections. In `next`, every batch gets the index of the
 * next one of its section.
 */
function gather(
  batches: readonly BatchToStore[],
  next: Uint32Array,
): { topicIds: Buffer[]; sections: Section[] } {
  const topics: Topic[] = [];
  let byId: Map<string, Topic> | undefined;
  /** Batches of one topic often follow each other. */
  let topic: Topic | undefined;
  for (let index = 0; index < batches.length; index++) {
    const { topicId, partition, bytes } = batches[index]!;
    checkBatch(partition, bytes);
    if (topic?.topicId !== topicId) {
      byId ??= new Map();
      topic = byId.get(topicId);
      if (topic === undefined) {
        topic = { topicId, id: topicIdToBytes(topicId), sections: new Map() };
        byId.set(topicId, topic);
        topics.push(topic);
      }
    }
    const recordCount = bytes.readInt32BE(batchAt.recordCount);
    const section = topic.sections.get(partition);
    if (section === undefined) {
      topic.sections.set(partition, {
        topic: 0,
        partition,
        first: index,
        last: index,
        batchCount: 1,
        recordCount,
        byteStart: 0,
        byteLength: 0,
      });
    } else {
      next[section.last] = index;
      section.last = index;
      section.batchCount++;
      section.recordCount += recordCount;
    }
  }
  if (topics.length > 1) topics.sort((a, b) => a.id.compare(b.id));
  const sections: Section[] = [];
  for (let rank = 0; rank < topics.length; rank++) {
    const ofTopic = topics[rank]!.sections;
    // A typed array sorts numbers without a comparison callback.
    const partitions = new Uint32Array(ofTopic.size);
    let filled = 0;
    for (const partition of ofTopic.keys()) partitions[filled++] = partition;
    for (const partition of partitions.sort()) {
      const section = ofTopic.get(partition)!;
      section.topic = rank;
      sections.push(section);
    }
  }
  return { topicIds: topics.map(({ id }) => id), sections };
}

function checkBatch(partition: number, bytes: Buffer): void {
  if (!Number.isInteger(partition) || partition < 0 || partition > 0x7fff_ffff) {
    throw new RangeError(`log file: ${partition} is not a partition`);
  }
  if (
    bytes.length < batchHeaderBytes ||
    bytes.readInt32BE(batchAt.batchLength) + batchLengthOverhead !== bytes.length ||
    bytes.readInt32BE(batchAt.recordCount) < 0
  ) {
    throw new RangeError(`log file: ${bytes.length} bytes are not exactly one record batch`);
  }
}
