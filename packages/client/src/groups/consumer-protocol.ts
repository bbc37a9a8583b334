/**
 * The messages that members of a classic consumer group exchange as opaque bytes through the broker: a version and one
 * message. Other clients are members too, and may send a later version, which begins like the latest one known here.
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

/** The protocol type of groups whose members use these messages. */
export const consumerProtocolType = 'consumer';

const versionBytes = 2;

export function writeSubscription(topics: readonly string[]): Buffer {
  return write(consumerSubscription, { topics });
}

/** The topics of a member, or `undefined` if the bytes are no subscription. */
export function readSubscription(bytes: Buffer): readonly string[] | undefined {
  return read(consumerSubscription, bytes)?.topics;
}

export function writeAssignment(partitions: NamedPartitions): Buffer {
  return write(consumerAssignment, {
    assignedPartitions: [...partitions].map(([topic, indexes]) => ({ topic, partitions: indexes })),
  });
}

/** Returns `undefined` if the bytes are no assignment. Empty bytes are an empty assignment. */
export function readAssignment(bytes: Buffer): NamedPartitions | undefined {
  if (bytes.length === 0) return new Map();
  const assignment = read(consumerAssignment, bytes);
  if (assignment === undefined) return undefined;
  return new Map(assignment.assignedPartitions.map(({ topic, partitions }) => [topic, partitions]));
}

/** Writes v0, which suffices here and which every client reads. */
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
