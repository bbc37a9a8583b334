import { readFileRange } from '../file/read-file-range.ts';
import { scrubLogFile } from '../log-file/scrub-log-file.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import {
  checkNothingFollows,
  readRecord,
  type ScannedFrame,
  type ScannedSegment,
  SegmentDamaged,
  scanSegment,
} from './scan-segment.ts';
import { emptyBlock, SegmentFile } from './segment-file.ts';
import { placedFiles } from './segment-index.ts';

interface RecoveredSegment extends ScannedSegment {
  readonly path: string;
}

/** How many segments are read at a time. */
const scannedAtATime = 8;

/**
 * Reads the segments of a log that no process writes, oldest first. Only the last frame can be torn: every other one
 * was durable before the next was written. A torn one is erased, so that it never counts as damage later.
 */
export async function recoverSegments(
  paths: readonly string[],
): Promise<{ segments: RecoveredSegment[]; free: string[] }> {
  const segments: RecoveredSegment[] = [];
  const free: string[] = [];
  const left = paths.values();
  const scan = async () => {
    for (const path of left) {
      const scanned = await scanSegment(path);
      if (scanned === 'free') free.push(path);
      else segments.push({ path, ...scanned });
    }
  };
  await Promise.all(Array.from({ length: scannedAtATime }, scan));
  segments.sort((a, b) => a.header.number - b.header.number);
  const other = segments.find(({ header }) => header.logId !== segments[0]!.header.logId);
  if (other !== undefined) throw new SegmentDamaged(`${other.path}: it belongs to another log; remove it`);
  const last = segments.pop();
  for (const segment of segments) {
    if (segment.hasRest)
      throw new SegmentDamaged(`${segment.path}: it is damaged at byte ${segment.end}; restore a backup`);
  }
  if (last !== undefined) segments.push(await withoutTornFrame(last));
  for (const segment of segments) await checkNothingFollows(segment.path, segment);
  checkOrder(segments);
  if (segments.at(-1)?.frames.length === 0) {
    const { path } = segments.pop()!;
    await erase(path, 0);
    free.push(path);
  }
  return { segments, free: free.sort() };
}

async function withoutTornFrame(segment: RecoveredSegment): Promise<RecoveredSegment> {
  const { path, hasRest } = segment;
  if (hasRest) {
    await checkNothingFollows(path, { ...segment, end: segment.end + emptyBlock.length });
    await erase(path, segment.end);
    return { ...segment, hasRest: false };
  }
  const frame = segment.frames.at(-1);
  if (frame === undefined || (await isWhole(path, frame))) return segment;
  await erase(path, frame.at);
  return { ...segment, frames: segment.frames.slice(0, -1), end: frame.at };
}

/** Each segment says where the log was when it was begun. */
function checkOrder(segments: readonly RecoveredSegment[]): void {
  const byNumber = new Map(segments.map((segment) => [segment.header.number, segment]));
  for (const { header } of segments) {
    const previous = byNumber.get(header.previousNumber);
    const sequence = previous?.frames.at(-1)?.header.sequence;
    if (previous !== undefined && sequence !== header.previousSequence)
      throw new SegmentDamaged(`${previous.path}: it is damaged at byte ${previous.end}; restore a backup`);
  }
}

async function isWhole(path: string, frame: ScannedFrame): Promise<boolean> {
  if ((await readRecord(path, frame)) === undefined) return false;
  for (const { key, at, bytes } of placedFiles(frame)) {
    try {
      await scrubLogFile(oneFile(path, at, bytes), key);
    } catch {
      return false;
    }
  }
  return true;
}

/** As much of a store as a scrub needs. */
function oneFile(path: string, at: number, bytes: number): ObjectStore {
  const part = {
    async getRange(key: string, start: number, end: number) {
      const range = await readFileRange(path, at + Math.min(start, bytes), at + Math.min(end, bytes));
      if (range === undefined) throw new ObjectNotFound(key);
      return range;
    },
    async head(key: string) {
      return { key, bytes, modifiedMs: 0 };
    },
  };
  return part as unknown as ObjectStore;
}

async function erase(path: string, at: number): Promise<void> {
  const file = await SegmentFile.open(path, 'existing');
  try {
    await file.write([emptyBlock], at);
  } finally {
    file.close();
  }
}
