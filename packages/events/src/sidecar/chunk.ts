import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Chunk } from './format.ts';

/** Compresses a part of the file that will be at `start`. */
export function packChunk(
  raw: Uint8Array,
  start: number,
): { readonly chunk: Chunk; readonly stored: Uint8Array } {
  const stored = zstdCompressSync(raw, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  return {
    chunk: { start, length: stored.length, rawLength: raw.length, crc32: crc32(stored) },
    stored,
  };
}

/**
 * Decompresses a chunk, aligned for every number width. A corrupt chunk throws, since a wrong answer would look like a
 * right one.
 */
export function unpackChunk(
  stored: Uint8Array,
  { length, rawLength, crc32: expected }: Chunk,
): Uint8Array<ArrayBuffer> {
  if (stored.length !== length || crc32(stored) !== expected)
    throw new Error('a part of an event sidecar is broken; remove the sidecar, and it is written again');
  // One buffer of the right size: the default allocates many small ones and halves the speed.
  const raw = zstdDecompressSync(stored, {
    chunkSize: Math.max(64, rawLength + 64),
    maxOutputLength: Math.max(1, rawLength),
  });
  if (raw.length !== rawLength) throw new Error('a part of an event sidecar has another length than it says');
  return raw.byteOffset % 8 === 0 ? (raw as Uint8Array<ArrayBuffer>) : Uint8Array.from(raw);
}
