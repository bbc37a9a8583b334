import { consumerAssignment, DecodeError, decodePrefix } from '@weir/wire';

export interface AssignedPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

const versionBytes = 2;

/**
 * What a member of a classic group was told to read. A consumer wrote it, of whatever make and version: later versions begin like the last
 * that we know, and what cannot be read is nothing.
 */
export function assignedPartitions(assignment: Uint8Array): readonly AssignedPartitions[] {
  if (assignment.length < versionBytes) return [];
  const bytes = Buffer.from(assignment.buffer, assignment.byteOffset, assignment.byteLength);
  const version = bytes.readInt16BE(0);
  if (version < 0) return [];
  try {
    const known = Math.min(version, consumerAssignment.versions.highest);
    return decodePrefix(consumerAssignment, known, bytes, versionBytes).value.assignedPartitions;
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}
