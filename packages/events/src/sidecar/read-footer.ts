import { crc32, zstdDecompressSync } from 'node:zlib';
import { KiB } from '@weir/core';
import type { EventSource, SidecarRef } from '../event-source.ts';
import { eventLimits } from '../limits.ts';
import { type Footer, footer as footerSchema, headBytes, magic, tailBytes, version } from './format.ts';

/** Large enough to get most footers with the first read. */
const guessBytes = 128 * KiB;

interface ReadFooter {
  readonly footer: Footer;
  readonly bytesRead: number;
}

/** Reads the layout of a sidecar: from the end, in one read or two. */
export async function readFooter(
  source: Pick<EventSource, 'readSidecar'>,
  ref: SidecarRef,
  signal: AbortSignal,
): Promise<ReadFooter> {
  const { byteLength } = ref;
  if (byteLength < headBytes + tailBytes) throw broken(ref, 'it is too short');
  const start = Math.max(0, byteLength - guessBytes);
  const [end] = await source.readSidecar(ref, [{ start, end: byteLength }], signal);
  const last = Buffer.from(end!.buffer, end!.byteOffset, end!.byteLength);
  if (last.length !== byteLength - start) throw broken(ref, 'it ends early');
  const [storedBytes, rawBytes, expected, foundVersion, foundMagic] = Array.from({ length: 5 }, (_, index) =>
    last.readUInt32LE(last.length - tailBytes + 4 * index),
  ) as [number, number, number, number, number];
  if (foundMagic !== magic) throw broken(ref, 'it is not a sidecar file');
  if (foundVersion !== version)
    throw broken(ref, `its version is ${foundVersion}, and this release reads ${version}`);
  if (storedBytes > byteLength - headBytes - tailBytes || rawBytes > eventLimits.sidecarFooterBytesMax)
    throw broken(ref, 'its footer is too long');
  const footerStart = byteLength - tailBytes - storedBytes;
  let stored = last.subarray(Math.max(0, footerStart - start), last.length - tailBytes);
  let bytesRead = last.length;
  if (footerStart < start) {
    const [rest] = await source.readSidecar(ref, [{ start: footerStart, end: start }], signal);
    stored = Buffer.concat([rest!, stored]);
    bytesRead += rest!.length;
  }
  if (stored.length !== storedBytes || crc32(stored) !== expected) throw broken(ref, 'its footer is broken');
  const json = zstdDecompressSync(stored, {
    chunkSize: Math.max(64, rawBytes + 64),
    maxOutputLength: Math.max(1, rawBytes),
  });
  const checked = footerSchema.safeParse(JSON.parse(json.toString()));
  if (!checked.success) throw broken(ref, 'its footer says what no writer of this version says');
  if (!covers(checked.data, ref)) throw broken(ref, 'it covers other events than it should');
  return { footer: checked.data, bytesRead };
}

/**
 * Whether the stripes cover the whole range without gaps. Events in a gap would be missing from answers without notice.
 */
function covers({ fromOffset, toOffset, stripes }: Footer, ref: SidecarRef): boolean {
  let offset = fromOffset;
  for (const stripe of stripes) {
    if (stripe.fromOffset !== offset) return false;
    offset += stripe.rows;
  }
  return fromOffset === ref.fromOffset && toOffset === ref.toOffset && offset === toOffset;
}

function broken({ id }: SidecarRef, why: string): Error {
  return new Error(`the event sidecar ${id} cannot be read: ${why}; remove it, and it is written again`);
}
