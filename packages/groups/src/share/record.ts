import { type ByteReader, type ByteWriter, UnreadableBytes } from '@weir/machine';
import type { TopicPartitions } from '../assignors/partitions.ts';
import { ShareGroup } from './share-group.ts';

/**
 * The stored form of a share group: its members and targets. The epoch that each member has, and its session, are not
 * stored: after a failover members continue with any epoch of the group, and sessions restart.
 *
 * Journals outlive releases: another layout gets another number, and the old one stays readable.
 */
const layout = 1;

/** Appends to a writer that already holds the type of the group. */
export function writeShareGroup(group: ShareGroup, writer: ByteWriter): void {
  writer.u8(layout);
  writer.varint(group.epoch);
  writer.varint(group.topics.size);
  for (const [topicId, partitionCount] of group.topics) {
    writer.text(topicId);
    writer.varint(partitionCount);
  }
  writer.varint(group.members.size);
  for (const { memberId, rackId, clientId, clientHost, names } of group.members.values()) {
    writer.text(memberId);
    writer.u8(rackId === null ? 0 : 1);
    if (rackId !== null) writer.text(rackId);
    writer.text(clientId);
    writer.text(clientHost);
    writer.varint(names.length);
    for (const name of names) writer.text(name);
    writePartitions(writer, group.targetOf(memberId));
  }
}

export function readShareGroup(groupId: string, reader: ByteReader, sessionDeadlineMs: number): ShareGroup {
  const found = reader.u8();
  if (found !== layout) throw new UnreadableBytes(`this release knows no layout ${found} of a share group`);
  const group = new ShareGroup(groupId);
  group.epoch = reader.varint();
  const topics = new Map<string, number>();
  for (let left = reader.varint(); left > 0; left--) topics.set(reader.text(), reader.varint());
  group.topics = topics;
  const targets = new Map<string, TopicPartitions>();
  for (let left = reader.varint(); left > 0; left--) {
    const memberId = reader.text();
    const rackId = reader.u8() === 0 ? null : reader.text();
    const clientId = reader.text();
    const clientHost = reader.text();
    const names: string[] = [];
    for (let rest = reader.varint(); rest > 0; rest--) names.push(reader.text());
    targets.set(memberId, readPartitions(reader));
    const restored = { epoch: undefined, previousEpoch: 0, sentAssignment: undefined, sessionDeadlineMs };
    group.add({ memberId, rackId, clientId, clientHost, names, ...restored });
  }
  group.targets = targets;
  return group;
}

function writePartitions(writer: ByteWriter, partitions: TopicPartitions): void {
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

function readPartitions(reader: ByteReader): TopicPartitions {
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
