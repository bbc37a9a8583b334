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
