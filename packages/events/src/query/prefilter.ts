import type { RawPage } from '../event-source.ts';
import type { NeededBytes, NeededClause } from '../filter/bytes.ts';

/**
 * Marks the records of a page whose bytes may match a filter: 1 for those that have to be parsed. The first clause is
 * searched in the bytes of the whole page at once, the others only in the records that remain.
 */
export function candidates(page: RawPage, from: number, to: number, needed: NeededBytes): Uint8Array {
  const mask = new Uint8Array(page.timesMs.length);
  const [first, ...others] = needed;
  if (first === undefined) return mask.fill(1, from, to);
  const bytes = Buffer.from(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength);
  for (const needle of first) mark(page, bytes, from, to, Buffer.from(needle), mask);
  if (others.length === 0) return mask;
  for (let index = mask.indexOf(1); index !== -1; index = mask.indexOf(1, index + 1)) {
    const value = bytes.subarray(page.valueStarts[index], page.valueEnds[index]);
    if (!others.every((clause) => hasOne(value, clause))) mask[index] = 0;
  }
  return mask;
}

function mark(page: RawPage, bytes: Buffer, from: number, to: number, needle: Buffer, mask: Uint8Array) {
  const { valueStarts, valueEnds } = page;
  let index = from;
  if (from >= to) return;
  const end = valueEnds[to - 1]!;
  let place = bytes.indexOf(needle, valueStarts[from]);
  while (place !== -1 && place < end) {
    while (index < to && valueEnds[index]! <= place) index++;
    if (index >= to) return;
    // Record framing lies between two values.
    const isInside = place >= valueStarts[index]! && place + needle.length <= valueEnds[index]!;
    if (isInside) mask[index] = 1;
    place = bytes.indexOf(needle, isInside ? valueEnds[index]! : place + 1);
  }
}

function hasOne(value: Buffer, clause: NeededClause): boolean {
  return clause.some((needle) => value.indexOf(needle) !== -1);
}
