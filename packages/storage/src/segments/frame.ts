import { crc32c } from '@node-rs/crc32';

/**
 * The layout of segments, persisted: a new layout needs a new version.
 *
 *     segment:  header, padded | frame, padded | frame, padded | …          everything begins at a multiple of 4 KiB
 *     header:   magic 8 | crc 4 | version 4 | log id 16 | generation 8 | number 6+2 | number of the previous one 6+2
 *               | its last frame 6+2
 *     frame:    magic 4 | crc 4 | generation 8 | sequence 6+2 | written ms 6+2 | table bytes 4 | files 4 | deletions 4
 *               | record bytes 4 | record crc 4 | content bytes 6+6 | table | record | content of the files
 *     table:    per file: content bytes 6, key bytes 2, key; per deletion: key bytes 2, key
 *
 * A segment that is used again gets a new generation, which is drawn: frames of earlier ones do not count, and content,
 * which clients choose, cannot look like a frame. The checksum of a header covers what follows it up to the end of the
 * table. Content has no checksum of its own: it consists of log files, whose batches have theirs.
 */
export const blockBytes = 4096;

const segmentMagic = Buffer.from('WEIRSEG1');
const segmentVersion = 1;
const segmentHeaderBytes = 64;
const frameMagic = Buffer.from('WFRM');
export const frameHeaderBytes = 64;
export const generationBytes = 8;
export const logIdBytes = 16;

export interface SegmentHeader {
  /** Of the log, in hex. */
  readonly logId: string;
  /** In hex. */
  readonly generation: string;
  /** Grows from one segment of the log to the next. */
  readonly number: number;
  /** The segment that was written before, 0 if there was none, and its last frame. */
  readonly previousNumber: number;
  readonly previousSequence: number;
}

export interface FrameHeader {
  readonly generation: string;
  /** Grows from frame to frame. */
  readonly sequence: number;
  readonly writtenMs: number;
  readonly tableBytes: number;
  readonly fileCount: number;
  readonly deletionCount: number;
  readonly recordBytes: number;
  readonly recordCrc: number;
  readonly contentBytes: number;
}

export interface FrameTable {
  readonly files: readonly { readonly key: string; readonly bytes: number }[];
  readonly deletions: readonly string[];
}

/** Rounds up to whole blocks. */
export function inBlocks(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

/** The bytes of a frame without the padding after it. */
export function frameBytes({ tableBytes, recordBytes, contentBytes }: FrameHeader): number {
  return frameHeaderBytes + tableBytes + recordBytes + contentBytes;
}

/** One block. */
export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const block = Buffer.alloc(blockBytes);
  segmentMagic.copy(block, 0);
  block.writeUInt32LE(segmentVersion, 12);
  block.write(header.logId, 16, 'hex');
  block.write(header.generation, 32, 'hex');
  block.writeUIntLE(header.number, 40, 6);
  block.writeUIntLE(header.previousNumber, 48, 6);
  block.writeUIntLE(header.previousSequence, 56, 6);
  block.writeUInt32LE(crc32c(block.subarray(12, segmentHeaderBytes)), 8);
  return block;
}

/**
 * Reads the first block of a segment. `free` if nothing was written yet: a header is within one sector of a disk, so
 * that it is there as a whole or not at all.
 */
export function decodeSegmentHeader(block: Buffer): SegmentHeader | 'free' | 'damaged' {
  const header = block.subarray(0, segmentHeaderBytes);
  if (header.every((byte) => byte === 0)) return 'free';
  if (header.length < segmentHeaderBytes || !header.subarray(0, 8).equals(segmentMagic)) return 'damaged';
  if (header.readUInt32LE(8) !== crc32c(header.subarray(12))) return 'damaged';
  const version = header.readUInt32LE(12);
  if (version !== segmentVersion)
    throw new Error(`a segment has version ${version}, this release reads ${segmentVersion}`);
  return {
    logId: header.toString('hex', 16, 16 + logIdBytes),
    generation: header.toString('hex', 32, 32 + generationBytes),
    number: header.readUIntLE(40, 6),
    previousNumber: header.readUIntLE(48, 6),
    previousSequence: header.readUIntLE(56, 6),
  };
}

interface FrameToEncode {
  readonly generation: string;
  readonly sequence: number;
  readonly writtenMs: number;
  readonly files: FrameTable['files'];
  readonly deletions: readonly string[];
  readonly record: Uint8Array;
}

/** Header, table and record; the content of the files follows. */
export function encodeFrame(frame: FrameToEncode): Buffer {
  let tableBytes = 0;
  let contentBytes = 0;
  for (const { key, bytes } of frame.files) {
    tableBytes += 8 + Buffer.byteLength(key);
    contentBytes += bytes;
  }
  for (const key of frame.deletions) tableBytes += 2 + Buffer.byteLength(key);
  const encoded = Buffer.alloc(frameHeaderBytes + tableBytes + frame.record.length);
  frameMagic.copy(encoded, 0);
  encoded.write(frame.generation, 8, 'hex');
  encoded.writeUIntLE(frame.sequence, 16, 6);
  encoded.writeUIntLE(Math.max(0, Math.floor(frame.writtenMs)), 24, 6);
  encoded.writeUInt32LE(tableBytes, 32);
  encoded.writeUInt32LE(frame.files.length, 36);
  encoded.writeUInt32LE(frame.deletions.length, 40);
  encoded.writeUInt32LE(frame.record.length, 44);
  encoded.writeUInt32LE(crc32c(frame.record), 48);
  encoded.writeUIntLE(contentBytes, 52, 6);
  let at = frameHeaderBytes;
  for (const { key, bytes } of frame.files) {
    at = encoded.writeUIntLE(bytes, at, 6);
    at = writeKey(encoded, key, at);
  }
  for (const key of frame.deletions) at = writeKey(encoded, key, at);
  encoded.set(frame.record, at);
  encoded.writeUInt32LE(crc32c(encoded.subarray(8, frameHeaderBytes + tableBytes)), 4);
  return encoded;
}

function writeKey(into: Buffer, key: string, at: number): number {
  const bytes = into.write(key, at + 2);
  into.writeUInt16LE(bytes, at);
  return at + 2 + bytes;
}

/** Reads a header without its checksum, which needs the table; `undefined` if none of this generation is here. */
export function decodeFrameHeader(bytes: Buffer, generation: string): FrameHeader | undefined {
  if (bytes.length < frameHeaderBytes || !bytes.subarray(0, 4).equals(frameMagic)) return undefined;
  const header = {
    generation: bytes.toString('hex', 8, 8 + generationBytes),
    sequence: bytes.readUIntLE(16, 6),
    writtenMs: bytes.readUIntLE(24, 6),
    tableBytes: bytes.readUInt32LE(32),
    fileCount: bytes.readUInt32LE(36),
    deletionCount: bytes.readUInt32LE(40),
    recordBytes: bytes.readUInt32LE(44),
    recordCrc: bytes.readUInt32LE(48),
    contentBytes: bytes.readUIntLE(52, 6),
  };
  return header.generation === generation ? header : undefined;
}

/** Reads the table of a frame from its header and table; `undefined` if they do not match their checksum. */
export function decodeFrameTable(header: FrameHeader, bytes: Buffer): FrameTable | undefined {
  const end = frameHeaderBytes + header.tableBytes;
  if (bytes.length < end || bytes.readUInt32LE(4) !== crc32c(bytes.subarray(8, end))) return undefined;
  let at = frameHeaderBytes;
  const readKey = () => {
    const keyEnd = at + 2 + bytes.readUInt16LE(at);
    const key = bytes.toString('utf8', at + 2, keyEnd);
    at = keyEnd;
    return key;
  };
  const files = Array.from({ length: header.fileCount }, () => {
    const contentBytes = bytes.readUIntLE(at, 6);
    at += 6;
    return { key: readKey(), bytes: contentBytes };
  });
  const deletions = Array.from({ length: header.deletionCount }, readKey);
  return { files, deletions };
}

export function matchesRecordCrc({ recordCrc }: FrameHeader, record: Buffer): boolean {
  return crc32c(record) === recordCrc;
}
