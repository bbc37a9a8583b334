import { crc32c } from '@node-rs/crc32';
import { storageLimits } from '../limits.ts';
import { isFileId } from './file-id.ts';
import {
  clusterIdBytesMax,
  columnBytes,
  crcBytes,
  type FooterColumn,
  type FormatVersion,
  footerAt,
  footerBytesOf,
  footerColumns,
  headerAt,
  magic,
  topicIdBytes,
  trailerAt,
  trailerBytes,
} from './layout.ts';

/** One row of the footer. Offsets are part of compacted files only. */
export interface SectionToEncode {
  /** Index among the topics of the file. */
  readonly topic: number;
  readonly partition: number;
  readonly byteStart: number;
  readonly byteLength: number;
  readonly batchCount: number;
  readonly recordCount: number;
  /** The first offset, and the one after the last. Only compacted files know their offsets. */
  readonly baseOffset?: number;
  readonly nextOffset?: number;
}

export function topicIdToBytes(topicId: string): Buffer {
  const id = Buffer.from(topicId, 'base64url');
  if (id.length !== topicIdBytes || id.toString('base64url') !== topicId) {
    throw new RangeError(`log file: ${JSON.stringify(topicId)} is not a topic id`);
  }
  return id;
}

/** The header of the last file, of which all but the id and the checksum are the same in the next one. */
let template: { readonly version: FormatVersion; readonly clusterId: string; readonly header: Buffer };

export function encodeHeader(version: FormatVersion, clusterId: string, fileId: string): Buffer {
  if (!isFileId(fileId)) throw new RangeError(`log file: ${JSON.stringify(fileId)} is not a file id`);
  if (template?.clusterId !== clusterId || template.version !== version)
    template = { version, clusterId, header: headerWithoutFileId(version, clusterId) };
  const header = Buffer.from(template.header);
  header.write(fileId, headerAt.fileId, 'hex');
  const crcStart = header.length - crcBytes;
  header.writeUInt32BE(crc32c(header.subarray(0, crcStart)), crcStart);
  return header;
}

function headerWithoutFileId(version: FormatVersion, clusterId: string): Buffer {
  const cluster = Buffer.from(clusterId, 'utf8');
  if (cluster.length === 0 || cluster.length > clusterIdBytesMax) {
    throw new RangeError(`log file: a cluster id has 1 to ${clusterIdBytesMax} bytes`);
  }
  const header = Buffer.alloc(headerAt.clusterId + cluster.length + crcBytes);
  magic.copy(header, headerAt.magic);
  header.writeUInt16BE(version, headerAt.version);
  header.writeUInt16BE(header.length, headerAt.headerBytes);
  header.writeUInt8(cluster.length, headerAt.clusterIdBytes);
  cluster.copy(header, headerAt.clusterId);
  return header;
}

/** A function per column, because a lookup by name is slow where the name is another one every time. */
const columnValues: Readonly<Record<FooterColumn['name'], (section: SectionToEncode) => number>> = {
  topic: ({ topic }) => topic,
  partition: ({ partition }) => partition,
  byteStart: ({ byteStart }) => byteStart,
  byteLength: ({ byteLength }) => byteLength,
  batchCount: ({ batchCount }) => batchCount,
  recordCount: ({ recordCount }) => recordCount,
  baseOffset: ({ baseOffset = 0 }) => baseOffset,
  nextOffset: ({ nextOffset = 0 }) => nextOffset,
};

/** Footer and trailer in one buffer, because they are always written together. */
export function encodeEnd(
  version: FormatVersion,
  topicIds: readonly Buffer[],
  sections: readonly SectionToEncode[],
  footerStart: number,
): Buffer {
  const footerBytes = footerBytesOf(version, topicIds.length, sections.length);
  if (footerBytes > storageLimits.logFileFooterBytesMax) {
    throw new RangeError(`log file: ${sections.length} partitions are too many for one file`);
  }
  const end = Buffer.alloc(footerBytes + trailerBytes);
  end.writeUInt32BE(topicIds.length, footerAt.topicCount);
  end.writeUInt32BE(sections.length, footerAt.sectionCount);
  let at: number = footerAt.topics;
  for (const id of topicIds) at += id.copy(end, at);
  for (const { name, type } of footerColumns[version]) {
    const read = columnValues[name];
    const bytes = columnBytes[type];
    for (let row = 0; row < sections.length; row++) {
      const value = read(sections[row]!);
      if (type === 'uint32') end.writeUInt32BE(value, at);
      else writeInt64(end, value, at);
      at += bytes;
    }
  }
  const trailer = end.subarray(footerBytes);
  writeInt64(trailer, footerStart, trailerAt.footerStart);
  trailer.writeUInt32BE(footerBytes, trailerAt.footerBytes);
  trailer.writeUInt32BE(crc32c(end.subarray(0, footerBytes)), trailerAt.footerCrc);
  magic.copy(trailer, trailerAt.magic);
  return end;
}

/** Without a bigint: values here are below 2^53. */
function writeInt64(target: Buffer, value: number, at: number): void {
  target.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  target.writeUInt32BE(value % 2 ** 32, at + 4);
}
