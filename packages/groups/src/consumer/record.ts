import { type ByteReader, type ByteWriter, UnreadableBytes } from '@weir/machine';
import { type AssignorName, isAssignorName } from '../assignors/assignor.ts';
import {
  readNullable,
  readPartitions,
  readProtocols,
  readTexts,
  readTopics,
  writeNullable,
  writePartitions,
  writeProtocols,
  writeTexts,
  writeTopics,
} from '../stored-fields.ts';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.ts';
import { reconciliationStates } from './reconcile.ts';
import { readSeenPattern } from './seen-pattern.ts';
import { restoreTopicPattern } from './topic-pattern.ts';

/**
 * The stored form of a consumer group: an entry of the group, with topics and targets, and one per member, so that the
 * heartbeats that move a member to its target write only that member. Sessions are not stored: after a failover they
 * restart.
 *
 * Journals outlive releases: another layout gets another number, and the old one stays readable.
 */
const groupLayout = 1;
const memberLayout = 1;

/** The key of a member entry. The length delimits the group id, whatever it contains. */
export function memberKey(groupId: string, memberId: string): string {
  return `${groupId.length}/${groupId}/${memberId}`;
}

/** Appends to a writer that already holds the type of the group. */
export function writeConsumerGroup(group: ConsumerGroup, writer: ByteWriter): void {
  writer.u8(groupLayout);
  writer.varint(group.epoch);
  writer.varint(group.assignmentEpoch);
  writer.text(group.assignor);
  writeTopics(writer, group.topics);
  writer.varint(group.members.size);
  for (const memberId of group.members.keys()) {
    writer.text(memberId);
    writePartitions(writer, group.targetOf(memberId));
  }
}

/** Fills an empty group and returns the ids of its members; the caller reads their entries. */
export function readConsumerGroup(group: ConsumerGroup, reader: ByteReader): string[] {
  const found = reader.u8();
  if (found !== groupLayout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a consumer group`);
  group.epoch = reader.varint();
  group.assignmentEpoch = reader.varint();
  const assignor = reader.text();
  if (isAssignorName(assignor)) group.assignor = assignor;
  group.topics = readTopics(reader);
  const memberIds: string[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const memberId = reader.text();
    memberIds.push(memberId);
    group.targets.set(memberId, readPartitions(reader));
  }
  return memberIds;
}

export function writeConsumerMember(member: ConsumerMember, writer: ByteWriter): void {
  const { holding, subscription, classic } = member;
  writer.u8(memberLayout);
  writeNullable(writer, member.instanceId);
  writeNullable(writer, member.rackId);
  writer.text(member.clientId);
  writer.text(member.clientHost);
  writer.varint(member.rebalanceTimeoutMs);
  writeNullable(writer, member.assignor);
  writeTexts(writer, subscription.names);
  writer.text(subscription.pattern);
  writer.zigzag(holding.epoch);
  writer.zigzag(holding.previousEpoch);
  writer.u8(reconciliationStates.indexOf(holding.state));
  writePartitions(writer, holding.assigned);
  writePartitions(writer, holding.revoking);
  writer.u8(classic === null ? 0 : 1);
  if (classic === null) return;
  writer.varint(classic.sessionTimeoutMs);
  writeProtocols(writer, classic.protocols);
}

/**
 * A restored member, or the reason why it cannot be restored: an earlier release accepted patterns that this one
 * refuses.
 */
type ReadMember =
  | { readonly member: ConsumerMember; readonly problem?: undefined }
  | { readonly problem: string };

/** Restores a member into its group. The new leader sets its deadlines. */
export function readConsumerMember(group: ConsumerGroup, memberId: string, reader: ByteReader): ReadMember {
  const found = reader.u8();
  if (found !== memberLayout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a member`);
  const instanceId = readNullable(reader);
  const rackId = readNullable(reader);
  const clientId = reader.text();
  const clientHost = reader.text();
  const rebalanceTimeoutMs = reader.varint();
  const assignor = readNullable(reader);
  const names = readTexts(reader);
  const pattern = reader.text();
  const epoch = reader.zigzag();
  const previousEpoch = reader.zigzag();
  const state = reconciliationStates[reader.u8()];
  if (state === undefined) throw new UnreadableBytes('a stored member has an invalid state');
  const assigned = readPartitions(reader);
  const revoking = readPartitions(reader);
  const classic =
    reader.u8() === 0 ? null : { sessionTimeoutMs: reader.varint(), protocols: readProtocols(reader) };
  reader.end();
  const member: ConsumerMember = {
    memberId,
    instanceId,
    rackId,
    clientId,
    clientHost,
    rebalanceTimeoutMs,
    assignor: assignor !== null && isAssignorName(assignor) ? (assignor satisfies AssignorName) : null,
    classic,
    subscription: { names, pattern },
    holding: { epoch, previousEpoch, state, assigned, revoking },
    sessionDeadlineMs: 0,
    rebalanceDeadlineMs: undefined,
  };
  const { expression } = readSeenPattern(pattern);
  const compiled =
    expression === '' ? undefined : (group.compiled(expression) ?? restoreTopicPattern(expression));
  if (compiled?.problem !== undefined) return { problem: compiled.problem };
  group.add(member, compiled, true);
  return { member };
}
