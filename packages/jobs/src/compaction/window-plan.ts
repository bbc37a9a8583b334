/** A stored range that a merge copies. */
export interface InputRange {
  readonly fileId: string;
  readonly byteStart: number;
  readonly byteEnd: number;
}

/** Bytes of a file that are read by one request: one or more of the ranges, and small gaps between them. */
interface ReadWindow {
  readonly fileId: string;
  readonly byteStart: number;
  byteEnd: number;
  /** The last range in it, after which it is released. */
  lastRange: number;
}

interface WindowPlan {
  /** In the order in which they are needed. */
  readonly windows: readonly ReadWindow[];
  /** The window of each range. */
  readonly windowOf: Uint32Array;
}

export interface WindowLimits {
  /** A window ends before it is larger, unless a single range is. */
  readonly windowBytesMax: number;
  /** Bytes between two ranges that are read and discarded rather than left out by another request. */
  readonly gapBytesMax: number;
}

/**
 * Groups ranges, given in the order of the output, into windows. Files and output have the same order, topics and then
 * partitions, so the windows of a file follow each other and each byte is read once. Where that does not hold, a range
 * begins a window of its own.
 */
export function planWindows(ranges: readonly InputRange[], limits: WindowLimits): WindowPlan {
  const { windowBytesMax, gapBytesMax } = limits;
  const windows: ReadWindow[] = [];
  const windowOf = new Uint32Array(ranges.length);
  const openOf = new Map<string, number>();
  for (const [index, { fileId, byteStart, byteEnd }] of ranges.entries()) {
    const open = openOf.get(fileId);
    const window = open === undefined ? undefined : windows[open]!;
    if (
      window !== undefined &&
      byteStart >= window.byteEnd &&
      byteStart - window.byteEnd <= gapBytesMax &&
      byteEnd - window.byteStart <= windowBytesMax
    ) {
      window.byteEnd = byteEnd;
      window.lastRange = index;
      windowOf[index] = open!;
      continue;
    }
    windowOf[index] = windows.length;
    openOf.set(fileId, windows.length);
    windows.push({ fileId, byteStart, byteEnd, lastRange: index });
  }
  return { windows, windowOf };
}
