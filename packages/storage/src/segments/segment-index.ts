import { frameHeaderBytes } from './frame.ts';
import type { ScannedFrame } from './scan-segment.ts';

interface PlacedFile {
  readonly key: string;
  readonly at: number;
  readonly bytes: number;
}

/** Where the files of a frame are in its segment. */
export function placedFiles({ at, header, table }: ScannedFrame): PlacedFile[] {
  let next = at + frameHeaderBytes + header.tableBytes + header.recordBytes;
  return table.files.map(({ key, bytes }) => {
    const placed = { key, at: next, bytes };
    next += bytes;
    return placed;
  });
}
