import { crc32c } from '@node-rs/crc32';
import { KiB } from '@weir/core';
import { storageLimits } from '../limits.ts';
import type { CallOptions, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import type { SectionToEncode } from './encode-log-file.ts';
import {
  batchAt,
  batchHeaderBytes,
  batchLengthOverhead,
  columnBytes,
  crcBytes,
  type FooterColumn,
  type FormatVersion,
  fileIdBytes,
  footerAt,
  footerBytesOf,
  footerColumns,
  formatVersions,
  headerAt,
  headerBytesMax,
  magic,
  topicIdBytes,
  trailerAt,
  trailerBytes,
} from './layout.ts';
import { LogFileError, type LogFilePart } from './log-file-error.ts';

interface LogFileHeader {
  readonly version: FormatVersion;
  readonly clusterId: string;
  readonly fileId: string;
  /** Where the sections begin. */
  readonly headerBytes: number;
}

interface LogFileTrailer {
  readonly footerStart: number;
  readonly footerBytes: number;
  readonly footerCrc: number;
}

/** One partition's part of a file. */
interface LogFileSection extends Omit<SectionToEncode, 'topic'> {
  readonly topicId: string;
}

/** The description of a file: everything but its records. */
export interface LogFile extends LogFileHeader {
  readonly fileBytes: number;
  readonly sections: readonly LogFileSection[];
}

/**
 * A tail of this size holds the footer of more than a thousand partitions, and costs no more to read than a few bytes.
 */
const tailBytes = 64 * KiB;

/**
 * Reads header, trailer and footer of a stored file, in two requests after its size is known; the records are not read.
 */
export async function readLogFile(store: ObjectStore, key: string, options?: CallOptions): Promise<LogFile> {
  const info = await store.head(key, options);
  if (info === undefined) throw new ObjectNotFound(key);
  const fileBytes = info.bytes;
  const tailStart = Math.max(0, fileBytes - tailBytes);
  const [front, tail] = await Promise.all([
    store.getRange(key, 0, headerBytesMax, options),
    store.getRange(key, tailStart, fileBytes, options),
  ]);
  const trailer = parseTrailer(tail.subarray(-trailerBytes), fileBytes);
  const { footerStart, footerBytes } = trailer;
  const footer =
    footerStart >= tailStart
      ? tail.subarray(footerStart - tailStart, footerStart - tailStart + footerBytes)
      : await store.getRange(key, footerStart, footerStart + footerBytes, options);
  return assemble(parseHeader(front), trailer, footer, fileBytes);
}

/** Like `readLogFile`, for a file in memory. */
export function parseLogFile(bytes: Buffer): LogFile {
  const header = parseHeader(bytes);
  const trailer = parseTrailer(bytes.subarray(-trailerBytes), bytes.length);
  const footer = bytes.subarray(trailer.footerStart, trailer.footerStart + trailer.footerBytes);
  return assemble(header, trailer, footer, bytes.length);
}

/** The batches of a section, from the bytes between its `byteStart` and its end. */
export function batchesOfSection(section: LogFileSection, bytes: Buffer): Buffer[] {
  check('section', bytes.length === section.byteLength, `${bytes.length} bytes are not all of it`);
  const batches: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    check('section', bytes.length - at >= batchHeaderBytes, 'a batch is truncated');
    const length = bytes.readInt32BE(at + batchAt.batchLength) + batchLengthOverhead;
    check('section', length >= batchHeaderBytes && length <= bytes.length - at, 'a batch is truncated');
    batches.push(bytes.subarray(at, at + length));
    at += length;
  }
  check('section', batches.length === section.batchCount, `${batches.length} batches are not all of them`);
  return batches;
}

/** `bytes` begin with the header; the rest is ignored. */
export function parseHeader(bytes: Buffer): LogFileHeader {
  check('header', bytes.length >= headerAt.clusterId, 'truncated');
  check('header', bytes.subarray(0, magic.length).equals(magic), 'not a log file');
  const version = bytes.readUInt16BE(headerAt.version);
  check('header', isKnownVersion(version), `version ${version} is none that this release reads`);
  const headerBytes = bytes.readUInt16BE(headerAt.headerBytes);
  const crcStart = headerBytes - crcBytes;
  const clusterIdBytes = bytes.readUInt8(headerAt.clusterIdBytes);
  check('header', crcStart === headerAt.clusterId + clusterIdBytes, 'its lengths disagree');
  check('header', bytes.length >= headerBytes, 'truncated');
  check('header', bytes.readUInt32BE(crcStart) === crc32c(bytes.subarray(0, crcStart)), 'wrong checksum');
  return {
    version,
    clusterId: bytes.toString('utf8', headerAt.clusterId, crcStart),
    fileId: bytes.toString('hex', headerAt.fileId, headerAt.fileId + fileIdBytes),
    headerBytes,
  };
}

function isKnownVersion(version: number): version is FormatVersion {
  return (Object.values(formatVersions) as number[]).includes(version);
}

/** `bytes` are the end of the file. */
function parseTrailer(bytes: Buffer, fileBytes: number): LogFileTrailer {
  check('trailer', bytes.length === trailerBytes, 'truncated');
  check('trailer', bytes.subarray(trailerAt.magic).equals(magic), 'not a log file, or only a part of one');
  const footerStart = readInt64(bytes, trailerAt.footerStart);
  const footerBytes = bytes.readUInt32BE(trailerAt.footerBytes);
  check(
    'trailer',
    footerBytes <= storageLimits.logFileFooterBytesMax &&
      footerStart + footerBytes + trailerBytes === fileBytes,
    'the footer is not where it should be',
  );
  return { footerStart, footerBytes, footerCrc: bytes.readUInt32BE(trailerAt.footerCrc) };
}

/** The sections that the footer lists. Checks that they are contiguous between header and footer. */
function parseFooter(
  footer: Buffer,
  trailer: LogFileTrailer,
  { version, headerBytes: dataStart }: LogFileHeader,
): LogFileSection[] {
  check('footer', footer.length === trailer.footerBytes && footer.length >= footerAt.topics, 'truncated');
  check('footer', crc32c(footer) === trailer.footerCrc, 'wrong checksum');
  const topicCount = footer.readUInt32BE(footerAt.topicCount);
  const sectionCount = footer.readUInt32BE(footerAt.sectionCount);
  check(
    'footer',
    footer.length === footerBytesOf(version, topicCount, sectionCount),
    'its counts and its length disagree',
  );

  const topicIds: string[] = [];
  let at: number = footerAt.topics;
  for (let i = 0; i < topicCount; i++, at += topicIdBytes) {
    topicIds.push(footer.toString('base64url', at, at + topicIdBytes));
  }
  const columns = new Map<string, Float64Array>();
  for (const { name, type } of footerColumns[version]) {
    const values = new Float64Array(sectionCount);
    for (let i = 0; i < sectionCount; i++, at += columnBytes[type]) {
      values[i] = type === 'uint32' ? footer.readUInt32BE(at) : readInt64(footer, at);
    }
    columns.set(name, values);
  }

  const sections: LogFileSection[] = [];
  let expectedStart = dataStart;
  for (let i = 0; i < sectionCount; i++) {
    const value = (name: FooterColumn['name']) => columns.get(name)![i]!;
    const topicId = topicIds[value('topic')];
    check('footer', topicId !== undefined, `section ${i} has no topic`);
    const section: LogFileSection = {
      topicId,
      partition: value('partition'),
      byteStart: value('byteStart'),
      byteLength: value('byteLength'),
      batchCount: value('batchCount'),
      recordCount: value('recordCount'),
      ...(version === formatVersions.compacted
        ? { baseOffset: value('baseOffset'), nextOffset: value('nextOffset') }
        : {}),
    };
    check('footer', section.byteStart === expectedStart, `section ${i} is not behind the one before it`);
    expectedStart += section.byteLength;
    sections.push(section);
  }
  check('footer', expectedStart === trailer.footerStart, 'the sections do not fill the file');
  return sections;
}

function assemble(
  header: LogFileHeader,
  trailer: LogFileTrailer,
  footer: Buffer,
  fileBytes: number,
): LogFile {
  return { ...header, fileBytes, sections: parseFooter(footer, trailer, header) };
}

function readInt64(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function check(part: LogFilePart, isRight: boolean, problem: string): asserts isRight {
  if (!isRight) throw new LogFileError(part, problem);
}
