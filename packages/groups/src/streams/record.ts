import type { StreamsTopology } from '@weir/cluster';
import { type ByteReader, type ByteWriter, UnreadableBytes } from '@weir/machine';
import {
  readNullable,
  readPartitions,
  readTopics,
  writeNullable,
  writePartitions,
  writeTopics,
} from '../stored-fields.ts';
import { reconciliationStates, type TaskEpochs } from './reconcile.ts';
import type { TasksByKind } from './sticky-assignor.ts';
import type { StreamsGroup, StreamsMember } from './streams-group.ts';

/**
 * The stored form of a streams group: an entry of the group, with topology, topics and targets, and one per member, as
 * for consumer groups. Sessions, endpoints' epochs and the delay of a first assignment are not stored.
 *
 * Journals outlive releases: another layout gets another number, and the old one stays readable.
 */
const groupLayout = 1;
const memberLayout = 1;

/** Appends to a writer that already holds the type of the group. */
export function writeStreamsGroup(group: StreamsGroup, writer: ByteWriter): void {
  writer.u8(groupLayout);
  writer.varint(group.epoch);
  writer.varint(group.assignmentEpoch);
  writer.varint(group.standbyCount);
  writeNullable(writer, group.topology === undefined ? null : JSON.stringify(group.topology));
  writeTopics(writer, group.topics);
  writer.varint(group.members.size);
  for (const memberId of group.members.keys()) {
    writer.text(memberId);
    writeTasks(writer, group.tasksOf(memberId));
  }
}

/** Fills an empty group and returns the ids of its members; the caller reads their entries. */
export function readStreamsGroup(group: StreamsGroup, reader: ByteReader): string[] {
  const found = reader.u8();
  if (found !== groupLayout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a streams group`);
  group.epoch = reader.varint();
  group.assignmentEpoch = reader.varint();
  group.standbyCount = reader.varint();
  const topology = readNullable(reader);
  if (topology !== null) group.setTopology(JSON.parse(topology) as StreamsTopology);
  group.topics = readTopics(reader);
  const memberIds: string[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const memberId = reader.text();
    memberIds.push(memberId);
    const { active, standby } = readTasks(reader);
    group.targets.set(memberId, active);
    group.standbyTargets.set(memberId, standby);
  }
  return memberIds;
}

export function writeStreamsMember(member: StreamsMember, writer: ByteWriter): void {
  const { holding, endpoint } = member;
  writer.u8(memberLayout);
  writeNullable(writer, member.instanceId);
  writeNullable(writer, member.rackId);
  writer.text(member.clientId);
  writer.text(member.clientHost);
  writer.varint(member.rebalanceTimeoutMs);
  writer.varint(member.topologyEpoch);
  writer.text(member.processId);
  writeNullable(writer, endpoint === null ? null : JSON.stringify(endpoint));
  writer.text(JSON.stringify(member.clientTags));
  writer.zigzag(holding.epoch);
  writer.zigzag(holding.previousEpoch);
  writer.u8(reconciliationStates.indexOf(holding.state));
  writeTasks(writer, holding.assigned);
  writeTasks(writer, holding.revoking);
  writeEpochs(writer, holding.since);
}

/** Restores a member into its group. The new leader sets its deadlines. */
export function readStreamsMember(group: StreamsGroup, memberId: string, reader: ByteReader): StreamsMember {
  const found = reader.u8();
  if (found !== memberLayout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a member of a streams group`);
  const instanceId = readNullable(reader);
  const rackId = readNullable(reader);
  const clientId = reader.text();
  const clientHost = reader.text();
  const rebalanceTimeoutMs = reader.varint();
  const topologyEpoch = reader.varint();
  const processId = reader.text();
  const endpoint = readNullable(reader);
  const clientTags = JSON.parse(reader.text()) as StreamsMember['clientTags'];
  const epoch = reader.zigzag();
  const previousEpoch = reader.zigzag();
  const state = reconciliationStates[reader.u8()];
  if (state === undefined) throw new UnreadableBytes('a stored member has an invalid state');
  const assigned = readTasks(reader);
  const revoking = readTasks(reader);
  const since = readEpochs(reader);
  reader.end();
  const member: StreamsMember = {
    ...{ memberId, instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, topologyEpoch, processId },
    endpoint: endpoint === null ? null : (JSON.parse(endpoint) as StreamsMember['endpoint']),
    clientTags,
    holding: { epoch, previousEpoch, state, assigned, revoking, since },
    sessionDeadlineMs: 0,
    rebalanceDeadlineMs: undefined,
  };
  group.add(member);
  return member;
}

function writeTasks(writer: ByteWriter, { active, standby }: TasksByKind): void {
  writePartitions(writer, active);
  writePartitions(writer, standby);
}

function readTasks(reader: ByteReader): TasksByKind {
  const active = readPartitions(reader);
  return { active, standby: readPartitions(reader) };
}

function writeEpochs(writer: ByteWriter, epochs: TaskEpochs): void {
  writer.varint(epochs.size);
  for (const [subtopologyId, byPartition] of epochs) {
    writer.text(subtopologyId);
    writer.varint(byPartition.size);
    for (const [partition, epoch] of byPartition) {
      writer.varint(partition);
      writer.varint(epoch);
    }
  }
}

function readEpochs(reader: ByteReader): TaskEpochs {
  const epochs = new Map<string, Map<number, number>>();
  for (let left = reader.varint(); left > 0; left--) {
    const byPartition = new Map<number, number>();
    epochs.set(reader.text(), byPartition);
    for (let rest = reader.varint(); rest > 0; rest--) byPartition.set(reader.varint(), reader.varint());
  }
  return epochs;
}
