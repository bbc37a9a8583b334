import type { ArchiveEntry } from './archive-entry.ts';
import type { Expansion } from './expansion.ts';

const blockBytes = 512;
const nameBytesMax = 100;
/** Of records that say more about the next entry: long names, and whatever else there may be. */
const recordsBytesMax = 64 * 1024;

/** Prints entries as POSIX has it (pax), as Go's writer does: only names that do not fit have a record of their own. */
export function printTar(entries: readonly ArchiveEntry[], modifiedMs: number): Buffer {
  const blocks: Buffer[] = [];
  const seconds = Math.floor(modifiedMs / 1000);
  for (const { name, content } of entries) {
    const fits = name.length <= nameBytesMax && Buffer.byteLength(name) === name.length;
    if (!fits) {
      const record = paxRecord('path', name);
      blocks.push(header(shortened(name, 'PaxHeaders.0/'), record.length, 'x', seconds), padded(record));
    }
    blocks.push(header(fits ? name : shortened(name, ''), content.length, '0', seconds), padded(content));
  }
  // Two empty blocks are the end.
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function shortened(name: string, prefix: string): string {
  return `${prefix}${name.replaceAll(/[^\x20-\x7e]/g, '')}`.slice(0, nameBytesMax);
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (rest.length + String(length).length !== length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padded(content: Buffer): Buffer {
  const extra = -content.length & (blockBytes - 1);
  return extra === 0 ? content : Buffer.concat([content, Buffer.alloc(extra)]);
}

function header(name: string, size: number, type: string, seconds: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  block.write(name, 0, 'latin1');
  octal(0o666, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  block.write(' '.repeat(8), 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The sum of the bytes of a header, in which those of the sum are spaces. */
function checksumOf(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < blockBytes; at++) sum += at >= 148 && at < 156 ? 0x20 : block[at]!;
  return sum;
}

/** Reads the entries of an archive: ustar, pax and GNU. Contents are views of the archive. */
export function readTar(archive: Buffer, expansion: Expansion): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let nameOfNext: string | undefined;
  let sizeOfNext: number | undefined;
  let at = 0;
  while (at + blockBytes <= archive.length) {
    const block = archive.subarray(at, at + blockBytes);
    at += blockBytes;
    if (block.every((byte) => byte === 0)) break;
    if (numberIn(block, 148, 8) !== checksumOf(block)) throw new Error('the message is no tar archive');
    const type = String.fromCharCode(block[156]!);
    const isRecord = 'xgLK'.includes(type);
    const size = isRecord ? numberIn(block, 124, 12) : (sizeOfNext ?? numberIn(block, 124, 12));
    // Links, directories and devices have no content.
    const bytes = '123456'.includes(type) ? 0 : size;
    if (bytes > archive.length - at) throw new Error('the tar archive ends early');
    const content = archive.subarray(at, at + bytes);
    at += bytes + (-bytes & (blockBytes - 1));
    if (isRecord) {
      if (bytes > recordsBytesMax) throw new Error('the tar archive has a name that is too long');
      if (type === 'L') nameOfNext = textIn(content, 0, content.length);
      if (type === 'x') {
        const records = paxRecords(content);
        nameOfNext = records.get('path') ?? nameOfNext;
        sizeOfNext = records.has('size') ? Number(records.get('size')) : undefined;
        if (sizeOfNext !== undefined && !(sizeOfNext >= 0))
          throw new Error('the tar archive has a size that is none');
      }
      continue;
    }
    expansion.add(content.length);
    entries.push({ name: nameOfNext ?? nameIn(block), content });
    nameOfNext = undefined;
    sizeOfNext = undefined;
  }
  return entries;
}

function nameIn(block: Buffer): string {
  const name = textIn(block, 0, nameBytesMax);
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textIn(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textIn(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** In octal digits, or in binary if the first bit says so. */
function numberIn(block: Buffer, at: number, length: number): number {
  if ((block[at]! & 0x80) !== 0) {
    let value = block[at]! & 0x7f;
    for (let index = at + 1; index < at + length; index++) value = value * 256 + block[index]!;
    if (!Number.isSafeInteger(value)) throw new Error('the tar archive has a number that is too large');
    return value;
  }
  const digits = textIn(block, at, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw new Error('the message is no tar archive');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function paxRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, Math.max(at, space)));
    const end = at + length;
    if (space < 0 || !(length > 0) || !Number.isInteger(length) || end > content.length)
      throw new Error('the tar archive has a record that is none');
    const record = content.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}
