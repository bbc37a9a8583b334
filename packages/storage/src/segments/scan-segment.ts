import { type FileHandle, open } from 'node:fs/promises';
import { MiB } from '@weir/core';
import {
  blockBytes,
  decodeFrameHeader,
  decodeFrameTable,
  decodeSegmentHeader,
  type FrameHeader,
  type FrameTable,
  frameBytes,
  frameHeaderBytes,
  inBlocks,
  matchesRecordCrc,
  type SegmentHeader,
} from './frame.ts';

export interface ScannedFrame {
  /** Where it begins in the segment. */
  readonly at: number;
  readonly header: FrameHeader;
  readonly table: FrameTable;
}

export interface ScannedSegment {
  readonly header: SegmentHeader;
  readonly frames: readonly ScannedFrame[];
  /** Where the next frame would begin. */
  readonly end: number;
  readonly fileBytes: number;
  /** Whether something of a further frame is at the end: it is torn, or damaged. */
  readonly hasRest: boolean;
}

/** A segment that cannot be read, in one line. */
export class SegmentDamaged extends Error {
  override readonly name = 'SegmentDamaged';
}

/** How much of a segment is read at once in search of frames. */
const searchedBytes = MiB;

/** Reads the headers and tables of a segment, `from` a frame that was found before; `free` if it has none. */
export async function scanSegment(
  path: string,
  from?: Pick<ScannedSegment, 'header' | 'end'>,
): Promise<ScannedSegment | 'free'> {
  await using file = await open(path, 'r');
  const fileBytes = (await file.stat()).size;
  const header = decodeSegmentHeader(await readAt(file, 0, blockBytes));
  if (header === 'free') return 'free';
  if (header === 'damaged') throw new SegmentDamaged(`${path}: its header is damaged; restore a backup`);
  const frames: ScannedFrame[] = [];
  let at = from?.header.generation === header.generation ? from.end : blockBytes;
  for (;;) {
    const frame = await frameAt(file, at, header.generation, fileBytes);
    if (frame === undefined) break;
    frames.push(frame);
    at += inBlocks(frameBytes(frame.header));
  }
  const rest = await readAt(file, at, frameHeaderBytes);
  const hasRest = decodeFrameHeader(rest, header.generation) !== undefined;
  return { header, frames, end: at, fileBytes, hasRest };
}

/** Fails if there are frames behind the end, which then is not the end: what comes between them is damaged. */
export async function checkNothingFollows(
  path: string,
  { header, end, fileBytes }: ScannedSegment,
): Promise<void> {
  await using file = await open(path, 'r');
  for (let at = end; at < fileBytes; at += searchedBytes) {
    const piece = await readAt(file, at, searchedBytes);
    for (let block = 0; block < piece.length; block += blockBytes) {
      if (decodeFrameHeader(piece.subarray(block), header.generation) === undefined) continue;
      if ((await frameAt(file, at + block, header.generation, fileBytes)) === undefined) continue;
      throw new SegmentDamaged(`${path}: it is damaged at byte ${end}; restore a backup`);
    }
  }
}

/** The record of a frame; `undefined` if it does not match its checksum. */
export async function readRecord(path: string, { at, header }: ScannedFrame): Promise<Buffer | undefined> {
  await using file = await open(path, 'r');
  const record = await readAt(file, at + frameHeaderBytes + header.tableBytes, header.recordBytes);
  return matchesRecordCrc(header, record) ? record : undefined;
}

async function frameAt(
  file: FileHandle,
  at: number,
  generation: string,
  fileBytes: number,
): Promise<ScannedFrame | undefined> {
  const block = await readAt(file, at, blockBytes);
  const header = decodeFrameHeader(block, generation);
  if (header === undefined || at + frameBytes(header) > fileBytes) return undefined;
  const wanted = frameHeaderBytes + header.tableBytes;
  const table = decodeFrameTable(header, wanted <= block.length ? block : await readAt(file, at, wanted));
  return table && { at, header, table };
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
