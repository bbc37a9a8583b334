/**
 * What consumers of a classic group tell each other through the bytes that brokers pass on unread: a version and one message.
 * Clients of other makes are members too, and theirs may be of a later version, which begins like the last that we know.
 */

import {
  consumerAssignment,
  consumerSubscription,
  type Decoded,
  DecodeError,
  decodePrefix,
  type Encodable,
  encodeMessage,
  type Message,
} from '@weir/wire';

/** Partitions by topic. */
export type NamedPartitions = ReadonlyMap<string, readonly number[]>;

/** The protocol type of groups whose members understand these bytes. */
export const consumerProtocolType = 'consumer';

const versionBytes = 2;

export function writeSubscription(topics: readonly string[]): Buffer {
  return write(consumerSubscription, { topics });
}

/** The topics of a member, or `undefined` for bytes that are no subscription. */
export function readSubscription(bytes: Buffer): readonly string[] | undefined {
  return read(consumerSubscription, bytes)?.topics;
}

export function writeAssignment(partitions: NamedPartitions): Buffer {
  return write(consumerAssignment, {
    assignedPartitions: [...partitions].map(([topic, indexes]) => ({ topic, partitions: indexes })),
  });
}

/** `undefined` for bytes that are no assignment. No bytes at all are an assignment of nothing. */
export function readAssignment(bytes: Buffer): NamedPartitions | undefined {
  if (bytes.length === 0) return new Map();
  const assignment = read(consumerAssignment, bytes);
  if (assignment === undefined) return undefined;
  return new Map(assignment.assignedPartitions.map(({ topic, partitions }) => [topic, partitions]));
}

/** Nothing of ours needs more than v0, and every client reads it. */
function write<M extends Message>(message: M, value: Encodable<M>): Buffer {
  return Buffer.concat([Buffer.alloc(versionBytes), ...encodeMessage(message, 0, value)]);
}

function read<M extends Message>(message: M, bytes: Buffer): Decoded<M> | undefined {
  if (bytes.length < versionBytes) return undefined;
  const version = bytes.readInt16BE(0);
  if (version < 0) return undefined;
  try {
    const known = Math.min(version, message.versions.highest);
    return decodePrefix(message, known, bytes, versionBytes).value;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
