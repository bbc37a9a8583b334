import { crc32, zstdCompressSync } from 'node:zlib';
import { parseObject } from '../event-object.ts';
import type { RawPage, SidecarRef } from '../event-source.ts';
import { buildBloom } from './bloom.ts';
import { packChunk } from './chunk.ts';
import type { BuiltColumn } from './column-builder.ts';
import {
  type Chunk,
  type Column,
  type Footer,
  headBytes,
  inlineCellsCharsMax,
  inlineCellsMax,
  magic,
  type Stripe,
  tailBytes,
  version,
} from './format.ts';
import { type BuiltStripe, StripeBuilder } from './stripe-builder.ts';
import { encodeTimes } from './times.ts';

export interface BuildOptions {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly signal: AbortSignal;
  /** Receives the file piece by piece, in order. */
  write(piece: Uint8Array): Promise<void> | void;
  /** Events per stripe; fewer in tests. */
  readonly stripeEvents?: number;
}

/**
 * Writes the sidecar of a range from its records in order, with one stripe in memory. If the records end before the
 * range does, so does the sidecar; without records it writes and returns nothing. Records must be contiguous, except
 * for a gap at the front.
 */
export async function buildSidecar(
  pages: AsyncIterable<RawPage>,
  { fromOffset, toOffset, signal, write, stripeEvents }: BuildOptions,
): Promise<Omit<SidecarRef, 'id'> | undefined> {
  let position = 0;
  const stripes: Stripe[] = [];
  let builder = new StripeBuilder(stripeEvents);
  let firstOffset: number | undefined;
  let nextOffset = fromOffset;

  for await (const page of pages) {
    signal.throwIfAborted();
    const bytes = Buffer.from(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength);
    const end = Math.min(page.timesMs.length, toOffset - page.firstOffset);
    for (let index = Math.max(0, nextOffset - page.firstOffset); index < end; index++) {
      const offset = page.firstOffset + index;
      if (firstOffset !== undefined && offset !== nextOffset)
        throw new Error(
          `the events ${nextOffset} to ${offset} are missing, so that no sidecar can cover them`,
        );
      firstOffset ??= offset;
      nextOffset = offset + 1;
      builder.add(
        page.timesMs[index]!,
        parseObject(bytes.toString('utf8', page.valueStarts[index], page.valueEnds[index])),
      );
      if (builder.isFull) await endStripe();
    }
  }
  if (builder.rows > 0) await endStripe();
  if (firstOffset === undefined) return undefined;

  const footer: Footer = {
    fromOffset: firstOffset,
    toOffset: nextOffset,
    minTimeMs: stripes.reduce((least, { minTimeMs }) => Math.min(least, minTimeMs), Number.POSITIVE_INFINITY),
    maxTimeMs: stripes.reduce((most, { maxTimeMs }) => Math.max(most, maxTimeMs), Number.NEGATIVE_INFINITY),
    stripes,
  };
  await append(footerBytes(footer));
  return {
    fromOffset: footer.fromOffset,
    toOffset: footer.toOffset,
    minTimeMs: footer.minTimeMs,
    maxTimeMs: footer.maxTimeMs,
    byteLength: position,
  };

  async function endStripe(): Promise<void> {
    if (position === 0) await append(head());
    const built = builder.finish();
    builder = new StripeBuilder(stripeEvents);
    const { stripe, pieces } = packStripe(built, nextOffset - built.rows, position);
    for (const piece of pieces) await append(piece);
    stripes.push(stripe);
  }

  async function append(piece: Uint8Array): Promise<void> {
    signal.throwIfAborted();
    await write(piece);
    position += piece.length;
  }
}

function head(): Uint8Array {
  const bytes = Buffer.alloc(headBytes);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt32LE(version, 4);
  return bytes;
}

function footerBytes(footer: Footer): Uint8Array {
  const raw = Buffer.from(JSON.stringify(footer));
  const stored = zstdCompressSync(raw);
  const tail = Buffer.alloc(tailBytes);
  [stored.length, raw.length, crc32(stored), version, magic].forEach((word, index) => {
    tail.writeUInt32LE(word, 4 * index);
  });
  return Buffer.concat([stored, tail]);
}

/** Columns that most queries read are adjacent, next to the times. */
const kindOrder = { codes: 0, numbers: 1, opaque: 2 } as const;

function packStripe(
  { rows, timesMs, isReadable, isComplete, columns }: BuiltStripe,
  fromOffset: number,
  start: number,
): { readonly stripe: Stripe; readonly pieces: readonly Uint8Array[] } {
  const pieces: Uint8Array[] = [];
  let position = start;
  const minTimeMs = timesMs.reduce((least, timeMs) => Math.min(least, timeMs));
  const maxTimeMs = timesMs.reduce((most, timeMs) => Math.max(most, timeMs));
  const { timeEncoding, bytes } = encodeTimes(timesMs, minTimeMs);
  const stripe: Stripe = {
    fromOffset,
    rows,
    minTimeMs,
    maxTimeMs,
    timeEncoding,
    times: pack(bytes),
    readable: isReadable.includes(0) ? pack(isReadable) : undefined,
    isComplete,
    columns: columns
      .toSorted((one, other) => kindOrder[one.column.kind] - kindOrder[other.column.kind])
      .map(({ path, column }) => packColumn([...path], column)),
  };
  return { stripe, pieces };

  function pack(raw: Uint8Array): Chunk {
    const { chunk, stored } = packChunk(raw, position);
    pieces.push(stored);
    position += stored.length;
    return chunk;
  }

  function packColumn(path: string[], column: BuiltColumn): Column {
    const { kind, missing } = column;
    switch (kind) {
      case 'codes': {
        const { codes } = column;
        const cells = [...column.cells];
        const json = JSON.stringify(cells);
        const isInline = cells.length <= inlineCellsMax && json.length <= inlineCellsCharsMax;
        const isConstant = cells.length === 1 || (cells.length === 2 && missing === 0);
        return {
          kind,
          path,
          missing,
          cellCount: cells.length,
          cells: isInline ? cells : undefined,
          dictionary: isInline ? undefined : pack(Buffer.from(json)),
          codes: isConstant ? undefined : pack(cells.length <= 256 ? Uint8Array.from(codes) : bytesOf(codes)),
        };
      }
      case 'numbers':
        return { kind, path, missing, numbers: pack(bytesOf(column.numbers)) };
      case 'opaque':
        return { kind, path, missing, bloom: column.hashes && pack(buildBloom(column.hashes)) };
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
