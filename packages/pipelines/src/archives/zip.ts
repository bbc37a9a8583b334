import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ArchiveEntry } from './archive-entry.ts';
import type { Expansion } from './expansion.ts';

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;
const headBytes = { local: 30, central: 46, end: 22 } as const;
const methods = { stored: 0, deflated: 8 } as const;
const utf8Flag = 0x0800;
const encryptedFlag = 0x0001;
const version = 20;
const entriesMax = 0xffff - 1;
const bytesMax = 0xffff_ffff - 1;

/** Prints entries, compressed. */
export function printZip(entries: readonly ArchiveEntry[], modifiedMs: number): Buffer {
  if (entries.length > entriesMax) throw new Error(`a zip archive has at most ${entriesMax} messages`);
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content } of entries) {
    const packed = deflateRawSync(content);
    const nameBytes = Buffer.from(name);
    if (nameBytes.length > 0xffff) throw new Error('a path of a zip archive has at most 65535 bytes');
    const common = commonHead(nameBytes, content, packed, modifiedMs);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(signatures.local);
    const central = Buffer.alloc(6);
    central.writeUInt32LE(signatures.central);
    central.writeUInt16LE((3 << 8) | version, 4);
    const rest = Buffer.alloc(14);
    // The mode of a file of Unix: -rw-rw-rw-.
    rest.writeUInt32LE((0o100666 << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    directory.push(central, common, rest, nameBytes);
    pieces.push(local, common, nameBytes, packed);
    at += local.length + common.length + nameBytes.length + packed.length;
    if (at > bytesMax) throw new Error('a zip archive has less than 4 GiB');
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(headBytes.end);
  end.writeUInt32LE(signatures.end);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, ...directory, end]);
}

/** What both heads of an entry have in common: from the version to the length of the extra field. */
function commonHead(name: Buffer, content: Buffer, packed: Buffer, modifiedMs: number): Buffer {
  const head = Buffer.alloc(26);
  const modified = new Date(modifiedMs);
  const year = Math.max(0, modified.getUTCFullYear() - 1980);
  head.writeUInt16LE(version, 0);
  head.writeUInt16LE(utf8Flag, 2);
  head.writeUInt16LE(methods.deflated, 4);
  head.writeUInt16LE(
    (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1),
    6,
  );
  head.writeUInt16LE((year << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate(), 8);
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(packed.length, 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(name.length, 22);
  return head;
}

/** Reads the entries of an archive by its directory. */
export function readZip(archive: Buffer, expansion: Expansion): ArchiveEntry[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  if (count > entriesMax || at > bytesMax) throw new Error('zip archives of 4 GiB or more cannot be read');
  const entries: ArchiveEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + headBytes.central > end || archive.readUInt32LE(at) !== signatures.central)
      throw new Error('the zip archive has a directory that cannot be read');
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + headBytes.central, at + headBytes.central + nameBytes);
    const content = contentOf(archive, at, expansion.bytesLeft);
    expansion.add(content.length);
    entries.push({ name, content });
    at += headBytes.central + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

/** Where the end of the directory is: behind it there is only a comment, whose length it has. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - headBytes.end - 0xffff);
  for (let at = archive.length - headBytes.end; at >= first; at--)
    if (
      archive.readUInt32LE(at) === signatures.end &&
      at + headBytes.end + archive.readUInt16LE(at + 20) === archive.length
    )
      return at;
  throw new Error('the message is no zip archive');
}

function contentOf(archive: Buffer, entry: number, outputBytesMax: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const checksum = archive.readUInt32LE(entry + 16);
  const packedBytes = archive.readUInt32LE(entry + 20);
  const contentBytes = archive.readUInt32LE(entry + 24);
  const local = archive.readUInt32LE(entry + 42);
  if ((archive.readUInt16LE(entry + 8) & encryptedFlag) !== 0)
    throw new Error('the zip archive is encrypted');
  if (local + headBytes.local > archive.length || archive.readUInt32LE(local) !== signatures.local)
    throw new Error('the zip archive has an entry that cannot be read');
  const start = local + headBytes.local + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  if (start + packedBytes > archive.length) throw new Error('the zip archive ends early');
  const packed = archive.subarray(start, start + packedBytes);
  if (contentBytes > outputBytesMax)
    throw new Error('the zip archive has more bytes in it than a message may become');
  const content = unpacked(method, packed, contentBytes);
  if (content.length !== contentBytes || crc32(content) !== checksum)
    throw new Error('the zip archive has an entry with a wrong checksum');
  return content;
}

function unpacked(method: number, packed: Buffer, contentBytes: number): Buffer {
  if (method === methods.stored) return packed;
  if (method !== methods.deflated)
    throw new Error(`the zip archive has an entry of method ${method}; only stored and deflated can be read`);
  // The directory says how much it is; more than that is a wrong checksum, and not worth making.
  return inflateRawSync(packed, { maxOutputLength: contentBytes + 1 });
}
