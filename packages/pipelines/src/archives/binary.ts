import type { Expansion } from './expansion.ts';

const lengthBytes = 4;

/** Bento's own format: the number of parts, and each part after its length, as big-endian integers. */
export function printBinary(parts: readonly Buffer[]): Buffer {
  return Buffer.concat([lengthOf(parts.length), ...parts.flatMap((part) => [lengthOf(part.length), part])]);
}

function lengthOf(value: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function readBinary(archive: Buffer, expansion: Expansion): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  const length = () => {
    if (at + lengthBytes > archive.length) throw new Error('the message is no binary archive');
    at += lengthBytes;
    return archive.readUInt32BE(at - lengthBytes);
  };
  const count = length();
  for (let index = 0; index < count; index++) {
    const bytes = length();
    if (at + bytes > archive.length) throw new Error('the message is no binary archive');
    expansion.add(bytes);
    parts.push(archive.subarray(at, at + bytes));
    at += bytes;
  }
  return parts;
}
