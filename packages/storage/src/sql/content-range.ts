/** A copy of bytes `start` to `end` of a content, in memory of its own, which can be transferred to a thread. */
export function copyRange(content: readonly Uint8Array[], start: number, end: number): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(end - start);
  let sliceStart = 0;
  for (const slice of content) {
    const sliceEnd = sliceStart + slice.length;
    if (sliceStart >= end) break;
    if (sliceEnd > start) {
      const from = Math.max(start, sliceStart);
      copy.set(slice.subarray(from - sliceStart, Math.min(end, sliceEnd) - sliceStart), from - start);
    }
    sliceStart = sliceEnd;
  }
  return copy;
}
