import { type ByteReader, type ByteWriter, UnreadableBytes } from '@weir/machine';
import type { TopicPartitions } from '../assignors/partitions.ts';
import {
  readNullable,
  readPartitions,
  readTexts,
  readTopics,
  writeNullable,
  writePartitions,
  writeTexts,
  writeTopics,
} from '../stored-fields.ts';
import { ShareGroup } from './share-group.ts';

/**
 * The stored form of a share group: its members and targets. The epoch that each member has, and its session, are not
 * stored: after a failover members continue with any epoch of the group, and sessions restart.
 *
 * Journals outlive releases: another layout gets another number, and the old one stays readable.
 */
const layout = 1;

/** As above, with the epoch of the targets after that of the group: targets of a change wait for their interval. */
const waitingLayout = 2;

/** Appends to a writer that already holds the type of the group. */
export function writeShareGroup(group: ShareGroup, writer: ByteWriter): void {
  const isWaiting = group.assignmentEpoch !== group.epoch;
  // Older releases read the first layout, which suffices as long as nothing waits.
  writer.u8(isWaiting ? waitingLayout : layout);
  writer.varint(group.epoch);
  if (isWaiting) writer.varint(group.assignmentEpoch);
  writeTopics(writer, group.topics);
  writer.varint(group.members.size);
  for (const { memberId, rackId, clientId, clientHost, names } of group.members.values()) {
    writer.text(memberId);
    writeNullable(writer, rackId);
    writer.text(clientId);
    writer.text(clientHost);
    writeTexts(writer, names);
    writePartitions(writer, group.targetOf(memberId));
  }
}

export function readShareGroup(groupId: string, reader: ByteReader, sessionDeadlineMs: number): ShareGroup {
  const found = reader.u8();
  if (found !== layout && found !== waitingLayout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a share group`);
  const group = new ShareGroup(groupId);
  group.epoch = reader.varint();
  group.assignmentEpoch = found === waitingLayout ? reader.varint() : group.epoch;
  group.topics = readTopics(reader);
  const targets = new Map<string, TopicPartitions>();
  for (let left = reader.varint(); left > 0; left--) {
    const memberId = reader.text();
    const rackId = readNullable(reader);
    const clientId = reader.text();
    const clientHost = reader.text();
    const names = readTexts(reader);
    targets.set(memberId, readPartitions(reader));
    const restored = { epoch: undefined, previousEpoch: 0, sentAssignment: undefined, sessionDeadlineMs };
    group.add({ memberId, rackId, clientId, clientHost, names, ...restored });
  }
  group.targets = targets;
  return group;
}
