import { unpackChunk } from './chunk.ts';
import { type Cell, type Chunk, type CodesColumn, cells as cellsSchema, type Stripe } from './format.ts';
import { decodeTimes } from './times.ts';

/** The chunks of a stripe that were read, by their start. */
export type StoredChunks = ReadonlyMap<number, Uint8Array>;

/** Decompresses chunks on demand, each once. */
export class ChunkBytes {
  readonly #stored: StoredChunks;
  readonly #raw = new Map<number, Uint8Array<ArrayBuffer>>();

  constructor(stored: StoredChunks) {
    this.#stored = stored;
  }

  raw(chunk: Chunk): Uint8Array<ArrayBuffer> {
    const known = this.#raw.get(chunk.start);
    if (known !== undefined) return known;
    const stored = this.#stored.get(chunk.start);
    if (stored === undefined) throw new Error('a part of an event sidecar was not read');
    const raw = unpackChunk(stored, chunk);
    this.#raw.set(chunk.start, raw);
    return raw;
  }

  cells(chunk: Chunk): readonly Cell[] {
    return cellsSchema.parse(JSON.parse(Buffer.from(this.raw(chunk)).toString()));
  }

  /** Returns the cell number of every event. */
  codes({ codes, cellCount }: CodesColumn, rows: number): Uint8Array | Uint16Array {
    if (codes === undefined) return new Uint8Array(rows).fill(cellCount === 1 ? 0 : 1);
    const raw = this.raw(codes);
    return cellCount <= 256
      ? sized(raw, rows)
      : new Uint16Array(sized(raw, 2 * rows).buffer, raw.byteOffset, rows);
  }

  numbers(chunk: Chunk, rows: number): Float64Array {
    const raw = sized(this.raw(chunk), 8 * rows);
    return new Float64Array(raw.buffer, raw.byteOffset, rows);
  }

  times(stripe: Stripe): Float64Array {
    return decodeTimes(this.raw(stripe.times), stripe);
  }
}

function sized(raw: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> {
  if (raw.length !== bytes)
    throw new Error('a column of an event sidecar is longer or shorter than its stripe');
  return raw;
}
