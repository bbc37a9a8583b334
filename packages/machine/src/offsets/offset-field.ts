import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';

/**
 * How a committed offset is written. Entries and snapshots without a negative offset are unsigned, as they were before
 * negative offsets could be stored, so that releases from before read them.
 */
export type OffsetLayout = 'unsigned' | 'signed';

export function layoutOf(offsets: Iterable<{ readonly offset: number }>): OffsetLayout {
  for (const { offset } of offsets) if (offset < 0) return 'signed';
  return 'unsigned';
}

/** Signed: a byte that is 1 for a negative offset, then `offset`, or `-1 - offset` for a negative one. */
export function writeOffset(writer: ByteWriter, offset: number, layout: OffsetLayout): void {
  const isNegative = offset < 0;
  if (layout === 'signed') writer.u8(isNegative ? 1 : 0);
  writer.varint(isNegative ? -1 - offset : offset);
}

export function readOffset(reader: ByteReader, layout: OffsetLayout): number {
  const isNegative = layout === 'signed' && reader.u8() === 1;
  const value = reader.varint();
  return isNegative ? -1 - value : value;
}
