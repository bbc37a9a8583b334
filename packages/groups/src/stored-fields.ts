import type { NamedBytes } from '@weir/cluster';
import type { ByteReader, ByteWriter } from '@weir/machine';
import type { TopicPartitions } from './assignors/partitions.ts';

/** The fields that stored groups of several types have. Journals outlive releases, so the form of a field stays. */

export function writeNullable(writer: ByteWriter, text: string | null): void {
  writer.u8(text === null ? 0 : 1);
  if (text !== null) writer.text(text);
}

export function readNullable(reader: ByteReader): string | null {
  return reader.u8() === 0 ? null : reader.text();
}

export function writeTexts(writer: ByteWriter, texts: readonly string[]): void {
  writer.varint(texts.length);
  for (const text of texts) writer.text(text);
}

export function readTexts(reader: ByteReader): string[] {
  const texts: string[] = [];
  for (let left = reader.varint(); left > 0; left--) texts.push(reader.text());
  return texts;
}

export function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  writer.varint(bytes.length);
  writer.raw(bytes);
}

/** Returns a view of the stored bytes, which are immutable and live until the group is stored again. */
export function readBytes(reader: ByteReader): Uint8Array {
  return reader.raw(reader.varint());
}

/** Writes the protocols of a classic member. */
export function writeProtocols(writer: ByteWriter, protocols: readonly NamedBytes[]): void {
  writer.varint(protocols.length);
  for (const { name, metadata } of protocols) {
    writer.text(name);
    writeBytes(writer, metadata);
  }
}

export function readProtocols(reader: ByteReader): NamedBytes[] {
  const protocols: NamedBytes[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    protocols.push({ name: reader.text(), metadata: readBytes(reader) });
  }
  return protocols;
}

/** Writes the topics of a group with their partition counts. */
export function writeTopics(writer: ByteWriter, topics: ReadonlyMap<string, number>): void {
  writer.varint(topics.size);
  for (const [topicId, partitionCount] of topics) {
    writer.text(topicId);
    writer.varint(partitionCount);
  }
}

export function readTopics(reader: ByteReader): Map<string, number> {
  const topics = new Map<string, number>();
  for (let left = reader.varint(); left > 0; left--) topics.set(reader.text(), reader.varint());
  return topics;
}

export function writePartitions(writer: ByteWriter, partitions: TopicPartitions): void {
  writer.varint(partitions.size);
  for (const [topicId, numbers] of partitions) {
    writer.text(topicId);
    writer.varint(numbers.length);
    let before = 0;
    for (const number of numbers) {
      writer.varint(number - before);
      before = number;
    }
  }
}

export function readPartitions(reader: ByteReader): TopicPartitions {
  const partitions = new Map<string, readonly number[]>();
  for (let left = reader.varint(); left > 0; left--) {
    const topicId = reader.text();
    const numbers: number[] = [];
    let number = 0;
    for (let rest = reader.varint(); rest > 0; rest--) {
      number += reader.varint();
      numbers.push(number);
    }
    partitions.set(topicId, numbers);
  }
  return partitions;
}
