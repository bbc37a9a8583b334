/** Decompresses one block of LZ4 without a frame, as `LZ4_RAW` pages are, to exactly so many bytes. */
export function decompressLz4Block(input: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  let from = 0;
  let to = 0;
  const fail = (): never => {
    throw new Error('a page is no block of LZ4');
  };
  const lengthOf = (short: number): number => {
    let length = short;
    if (short === 15) for (let more = 255; more === 255; length += more) more = input[from++] ?? fail();
    return length;
  };
  while (from < input.length) {
    const token = input[from++]!;
    const literals = lengthOf(token >> 4);
    if (from + literals > input.length || to + literals > size) fail();
    output.set(input.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= input.length) break;
    const distance = input[from]! | ((input[from + 1] ?? 0) << 8);
    from += 2;
    const length = lengthOf(token & 15) + 4;
    if (distance === 0 || distance > to || to + length > size) fail();
    // The match may overlap with what it makes.
    for (let end = to + length; to < end; to++) output[to] = output[to - distance]!;
  }
  if (to !== size) fail();
  return output;
}

/** Matches end before these bytes, and begin before the larger number of them. */
const lastLiterals = 5;
const matchMargin = 12;

/** Compresses to one block of LZ4. */
export function compressLz4Block(input: Uint8Array): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const parts: Uint8Array[] = [];
  const known = new Int32Array(1 << 14).fill(-1);
  let anchor = 0;
  for (let at = 0; at + matchMargin < input.length; ) {
    const hash = Math.imul(view.getUint32(at, true), 2_654_435_761) >>> 18;
    const before = known[hash]!;
    known[hash] = at;
    const isMatch = before >= 0 && at - before <= 0xffff && view.getUint32(before) === view.getUint32(at);
    if (!isMatch) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < input.length - lastLiterals && input[before + length] === input[at + length])
      length++;
    parts.push(sequence(input.subarray(anchor, at), { distance: at - before, length }));
    at += length;
    anchor = at;
  }
  parts.push(sequence(input.subarray(anchor)));
  return Buffer.concat(parts);
}

/** Literals, and a match behind them. */
function sequence(
  literals: Uint8Array,
  match?: { readonly distance: number; readonly length: number },
): Buffer {
  const matched = match === undefined ? 0 : match.length - 4;
  const token = (Math.min(15, literals.length) << 4) | Math.min(15, matched);
  const parts: Uint8Array[] = [Buffer.from([token, ...moreOf(literals.length)]), literals];
  if (match !== undefined)
    parts.push(Buffer.from([match.distance & 0xff, match.distance >> 8, ...moreOf(matched)]));
  return Buffer.concat(parts);
}

function moreOf(length: number): number[] {
  if (length < 15) return [];
  const more: number[] = [];
  let left = length - 15;
  for (; left >= 255; left -= 255) more.push(255);
  return [...more, left];
}
