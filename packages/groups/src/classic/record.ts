import { type ByteReader, type ByteWriter, UnreadableBytes } from '@weir/machine';
import {
  readBytes,
  readNullable,
  readProtocols,
  writeBytes,
  writeNullable,
  writeProtocols,
} from '../stored-fields.ts';
import { ClassicGroup, type ClassicState, type Member } from './classic-group.ts';

/**
 * The stored form of a classic group: its generation with members and assignment. Sessions and waiting requests are not
 * stored: after a failover sessions restart and clients retry.
 *
 * Journals outlive releases: another layout gets another number, and the old one stays readable.
 */
const layout = 1;

/** The index is the code. A group that prepares a rebalance is not stored; its previous generation is. */
const storedStates = ['Empty', 'CompletingRebalance', 'Stable'] as const satisfies readonly ClassicState[];

type StoredState = (typeof storedStates)[number];

/** Appends to a writer that already holds the type of the group. */
export function writeClassicGroup(group: ClassicGroup, writer: ByteWriter): void {
  writer.u8(layout);
  const state = storedStates.indexOf(group.state as StoredState);
  if (state < 0) throw new TypeError(`a classic group in state ${group.state} cannot be stored`);
  writer.u8(state);
  writer.varint(group.generationId);
  writeNullable(writer, group.protocolType);
  writeNullable(writer, group.protocolName);
  writeNullable(writer, group.leaderId);
  writer.varint(group.emptySinceMs === undefined ? 0 : group.emptySinceMs + 1);
  writer.varint(group.members.size);
  for (const member of group.members.values()) writeMember(writer, member);
}

export function readClassicGroup(groupId: string, reader: ByteReader, nowMs: number): ClassicGroup {
  const found = reader.u8();
  if (found !== layout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a classic group`);
  const state = storedStates[reader.u8()];
  if (state === undefined) throw new UnreadableBytes('a stored classic group has an invalid state');
  const group = new ClassicGroup(groupId);
  group.state = state;
  group.generationId = reader.varint();
  group.protocolType = readNullable(reader);
  group.protocolName = readNullable(reader);
  const leaderId = readNullable(reader);
  const emptySinceMsPlusOne = reader.varint();
  if (emptySinceMsPlusOne > 0) group.emptySinceMs = emptySinceMsPlusOne - 1;
  for (let left = reader.varint(); left > 0; left--) group.add(readMember(reader, nowMs));
  group.leaderId = leaderId;
  if (state === 'CompletingRebalance') {
    for (const memberId of group.members.keys()) group.unsynced.add(memberId);
    group.syncDeadlineMs = nowMs + group.rebalanceTimeoutMs;
  }
  return group;
}

function writeMember(writer: ByteWriter, member: Readonly<Member>): void {
  writer.text(member.memberId);
  writeNullable(writer, member.groupInstanceId);
  writer.text(member.clientId);
  writer.text(member.clientHost);
  writer.varint(member.sessionTimeoutMs);
  writer.varint(member.rebalanceTimeoutMs);
  writeProtocols(writer, member.protocols);
  writeBytes(writer, member.assignment);
}

function readMember(reader: ByteReader, nowMs: number): Member {
  const memberId = reader.text();
  const groupInstanceId = readNullable(reader);
  const clientId = reader.text();
  const clientHost = reader.text();
  const sessionTimeoutMs = reader.varint();
  const rebalanceTimeoutMs = reader.varint();
  const protocols = readProtocols(reader);
  return {
    memberId,
    groupInstanceId,
    clientId,
    clientHost,
    sessionTimeoutMs,
    rebalanceTimeoutMs,
    protocols,
    assignment: readBytes(reader),
    join: undefined,
    sync: undefined,
    isNew: false,
    agentId: undefined,
    deadlineMs: nowMs + sessionTimeoutMs,
  };
}
