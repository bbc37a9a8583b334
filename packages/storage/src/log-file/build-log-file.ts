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
  const header = encodeHeader(formatVersions.written, clusterId, fileId);
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
  const end = encodeEnd(
    formatVersions.written,
    topics.map(({ id }) => id),
    sections.map(sectionToEncode),
    at,
  );
  slices.push(end);
  return { slices, fileBytes: at + end.length, placed };
}

/**
 * Returns the slices of the same file under another id. Only the header names it, and all headers of a cluster have the
 * same size, so that batches stay where they are.
 */
export function withFileId(slices: readonly Uint8Array[], clusterId: string, fileId: string): Uint8Array[] {
  return [encodeHeader(formatVersions.written, clusterId, fileId), ...slices.slice(1)];
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

function sectionToEncode({ topic, partition, batches, byteStart, byteLength, recordCount }: Section) {
  return { topic: topic.rank, partition, byteStart, byteLength, batchCount: batches.length, recordCount };
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
