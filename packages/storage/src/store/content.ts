import { coreLimits } from '@weir/core';

export function contentBytes(content: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const slice of content) bytes += slice.length;
  return bytes;
}

/**
 * Returns the same content in fewer slices: runs of small ones are copied into one, because a `writev` entry and a call
 * into the checksum cost more than the copy. Large ones are not copied.
 */
export function joinSmallSlices(content: readonly Uint8Array[]): Uint8Array[] {
  const joined: Uint8Array[] = [];
  let at = 0;
  while (at < content.length) {
    let end = at;
    let runBytes = 0;
    while (end < content.length && content[end]!.length < coreLimits.copiedSliceBytesMax) {
      runBytes += content[end++]!.length;
    }
    if (end - at > 1) {
      const run = Buffer.allocUnsafe(runBytes);
      let filled = 0;
      for (; at < end; at++) {
        run.set(content[at]!, filled);
        filled += content[at]!.length;
      }
      if (runBytes > 0) joined.push(run);
    } else {
      const slice = content[at++]!;
      if (slice.length > 0) joined.push(slice);
    }
  }
  return joined;
}

/** Splits content into parts of `partBytes`, the last one perhaps shorter, without copying. */
export function partsOf(content: readonly Uint8Array[], partBytes: number): Uint8Array[][] {
  const parts: Uint8Array[][] = [];
  let part: Uint8Array[] = [];
  let missing = partBytes;
  for (const slice of content) {
    for (let at = 0; at < slice.length; ) {
      const end = Math.min(slice.length, at + missing);
      part.push(slice.subarray(at, end));
      missing -= end - at;
      at = end;
      if (missing > 0) continue;
      parts.push(part);
      part = [];
      missing = partBytes;
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
