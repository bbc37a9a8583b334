import { crc32 } from 'node:zlib';
import { NewerFormat } from '@weir/cluster';

/**
 * Packs the entries of one append into one blob, because a row costs more than an entry. Persisted: a new layout needs
 * a new version.
 *
 *     u8 version = 1 | u32 CRC-32 of what follows | per entry: u32 length, bytes
 */
export const rowVersion = 1;
const headBytes = 5;

/** Copies the entries, once, into a separate buffer that can be transferred to another thread. */
export function packEntries(entries: readonly Buffer[]): Buffer<ArrayBuffer> {
  let bytes = headBytes;
  for (const entry of entries) bytes += 4 + entry.length;
  // Not from Node's pool: its memory is shared with other buffers and could not be transferred.
  const packed = Buffer.allocUnsafeSlow(bytes);
  let at = headBytes;
  for (const entry of entries) {
    at = packed.writeUInt32LE(entry.length, at);
    at += entry.copy(packed, at);
  }
  packed.writeUInt8(rowVersion, 0);
  packed.writeUInt32LE(crc32(packed.subarray(headBytes)), 1);
  return packed;
}

/** Returns views of the entries in the blob. Throws if the blob is damaged. */
export function unpackEntries(packed: Uint8Array, count: number): Buffer[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.length < headBytes) throw new Error('a journal row is cut off');
  const version = bytes.readUInt8(0);
  if (version > rowVersion) throw new NewerFormat('version of journal rows', version, rowVersion);
  if (version !== rowVersion)
    throw new Error(`a journal row has version ${version}, this release reads ${rowVersion}`);
  if (bytes.readUInt32LE(1) !== crc32(bytes.subarray(headBytes)))
    throw new Error('a journal row does not match its checksum');
  const entries: Buffer[] = [];
  let at = headBytes;
  for (let i = 0; i < count; i++) {
    const length = bytes.readUInt32LE(at);
    entries.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  if (at !== bytes.length) throw new Error(`a journal row does not hold ${count} entries`);
  return entries;
}
