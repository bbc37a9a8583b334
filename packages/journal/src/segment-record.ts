import { packEntries, unpackEntries } from './packed-entries.ts';

/**
 * The entries of one append as a record in a segment. Persisted: a new layout needs a new version.
 *
 *     u8 version = 1 | u16 length, cluster id | u48 epoch | u48 first position | u32 count | packed entries
 */
const recordVersion = 1;

export interface SegmentRecord {
  readonly clusterId: string;
  readonly epoch: number;
  readonly firstPosition: number;
  readonly count: number;
  readonly packed: Buffer;
}

/** Copies the entries. */
export function segmentRecord(
  clusterId: string,
  epoch: number,
  firstPosition: number,
  entries: readonly Buffer[],
): SegmentRecord {
  return { clusterId, epoch, firstPosition, count: entries.length, packed: packEntries(entries) };
}

export function encodeRecord({ clusterId, epoch, firstPosition, count, packed }: SegmentRecord): Buffer {
  const idBytes = Buffer.byteLength(clusterId);
  const encoded = Buffer.allocUnsafe(3 + idBytes + 16 + packed.length);
  let at = encoded.writeUInt8(recordVersion, 0);
  at = encoded.writeUInt16LE(idBytes, at);
  at += encoded.write(clusterId, at);
  at = encoded.writeUIntLE(epoch, at, 6);
  at = encoded.writeUIntLE(firstPosition, at, 6);
  at = encoded.writeUInt32LE(count, at);
  packed.copy(encoded, at);
  return encoded;
}

export function decodeRecord(encoded: Buffer): SegmentRecord {
  const version = encoded.readUInt8(0);
  if (version !== recordVersion)
    throw new Error(`a record in a segment has version ${version}, this release reads ${recordVersion}`);
  const at = 3 + encoded.readUInt16LE(1);
  return {
    clusterId: encoded.toString('utf8', 3, at),
    epoch: encoded.readUIntLE(at, 6),
    firstPosition: encoded.readUIntLE(at + 6, 6),
    count: encoded.readUInt32LE(at + 12),
    packed: encoded.subarray(at + 16),
  };
}

export function entriesOf({ packed, count }: SegmentRecord): Buffer[] {
  return unpackEntries(packed, count);
}
