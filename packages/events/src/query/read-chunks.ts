import { KiB } from '@weir/core';
import type { ByteRange, EventSource, SidecarRef } from '../event-source.ts';
import type { Chunk } from '../sidecar/format.ts';
import type { StoredChunks } from '../sidecar/stripe-chunks.ts';

/** Chunks that are this close are read together, since another read costs more than the bytes between them. */
const gapBytesMax = 64 * KiB;

/** Reads the chunks of a stripe, in ascending order, with few reads. */
export async function readChunks(
  source: EventSource,
  ref: SidecarRef,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<{ readonly stored: StoredChunks; readonly bytesRead: number }> {
  const ranges = rangesOfChunks(chunks);
  const read = await source.readSidecar(ref, ranges, signal);
  const stored = new Map<number, Uint8Array>();
  for (const { start, length } of chunks) {
    const index = ranges.findIndex((range) => start >= range.start && start + length <= range.end);
    const from = start - ranges[index]!.start;
    stored.set(start, read[index]!.subarray(from, from + length));
  }
  return { stored, bytesRead: ranges.reduce((sum, { start, end }) => sum + end - start, 0) };
}

/** Returns the byte ranges to read for ascending chunks. */
export function rangesOfChunks(chunks: readonly Chunk[]): readonly ByteRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { start, length } of chunks) {
    const last = ranges.at(-1);
    if (last !== undefined && start - last.end <= gapBytesMax) last.end = start + length;
    else ranges.push({ start, end: start + length });
  }
  return ranges;
}
