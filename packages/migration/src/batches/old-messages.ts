/**
 * Messages of the formats before 2017, magic 0 and 1. A log has them one after another:
 *
 *     offset int64, size int32, crc int32, magic int8, attributes int8, [timestamp int64, magic 1], key, value
 *
 * Keys and values have their length before them as int32, -1 for null. A compressed message is a wrapper: its value is
 * such a sequence. Its offset is that of the last message inside; with magic 1 the offsets inside are relative.
 */
import { crc32 } from 'node:zlib';
import { type Clock, nextTurn } from '@weir/core';
import {
  type CompressionCodec,
  codecOfId,
  DecodeError,
  decompressOffThread,
  type TimestampType,
  withStandardHeaderChecksum,
} from '@weir/wire';
import { migrationLimits } from '../limits.ts';

export interface OldMessage {
  readonly offset: number;
  /** -1 with magic 0, which has none. */
  readonly timestamp: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** One entry of a log: a message, or the messages of a wrapper. */
export interface OldEntry {
  /** With `none` there is one message. */
  readonly codec: CompressionCodec;
  readonly timestampType: TimestampType;
  readonly messages: readonly OldMessage[];
  /** How much was decompressed. */
  readonly inflatedBytes: number;
}

/** Offset and size, which the size does not count. */
export const oldOverheadBytes = 12;
/** CRC, magic, attributes, and the lengths of key and value. */
export const oldSizeMin = 14;

const at = { crc: 12, magic: 16, attributes: 17, rest: 18 } as const;
/** Messages that are read before others get their turn. */
const messagesPerTurn = 10_000;
const codecBits = 0x07;
const appendTimeBit = 0x08;

/** An entry that is not what its format says. The message follows "the message at offset 5". */
export class BadMessage extends Error {
  override readonly name = 'BadMessage';
}

/** Reads one whole entry. Throws `BadMessage`. */
export async function readOldEntry(entry: Buffer, clock: Pick<Clock, 'after'>): Promise<OldEntry> {
  const computed = crc32(entry.subarray(at.magic));
  if (computed !== entry.readUInt32BE(at.crc))
    throw new BadMessage(`has the CRC ${entry.readUInt32BE(at.crc)}, which does not match its bytes`);
  const outer = readMessage(entry);
  const { codec, timestampType } = outer;
  if (codec === 'none') return { codec, timestampType, messages: [outer], inflatedBytes: 0 };
  if (outer.value === null) throw new BadMessage('is a wrapper without a value');
  const inside = await inflated(codec, outer.value, outer.magic, clock);
  return {
    codec,
    timestampType,
    messages: await messagesInside(inside, outer, clock),
    inflatedBytes: inside.length,
  };
}

interface ReadMessage extends OldMessage {
  readonly magic: number;
  readonly codec: CompressionCodec;
  readonly timestampType: TimestampType;
}

function readMessage(entry: Buffer): ReadMessage {
  const magic = entry.readInt8(at.magic);
  if (magic !== 0 && magic !== 1) throw new BadMessage(`has the magic ${magic} within an older format`);
  const attributes = entry.readInt8(at.attributes);
  const codec = codecOfId(attributes & codecBits);
  if (codec === undefined || codec === 'zstd')
    throw new BadMessage(`has the codec ${attributes & codecBits}, which its format does not have`);
  const offset = Number(entry.readBigInt64BE(0));
  if (offset < 0 || !Number.isSafeInteger(offset + 1))
    throw new BadMessage('has an offset that is no offset of a log');
  const hasTimestamp = magic === 1;
  const timestampBytes = hasTimestamp ? 8 : 0;
  if (entry.length < oldOverheadBytes + oldSizeMin + timestampBytes) throw new BadMessage('ends early');
  const key = nullable(entry, at.rest + timestampBytes);
  const value = nullable(entry, key.end);
  if (value.end !== entry.length) throw new BadMessage('has bytes after its value');
  return {
    offset,
    magic,
    codec,
    timestampType: hasTimestamp && attributes & appendTimeBit ? 'logAppendTime' : 'createTime',
    timestamp: hasTimestamp ? entry.readBigInt64BE(at.rest) : -1n,
    key: key.bytes,
    value: value.bytes,
  };
}

function nullable(entry: Buffer, start: number): { readonly bytes: Buffer | null; readonly end: number } {
  if (entry.length - start < 4) throw new BadMessage('ends early');
  const length = entry.readInt32BE(start);
  if (length === -1) return { bytes: null, end: start + 4 };
  const end = start + 4 + length;
  if (length < 0 || end > entry.length) throw new BadMessage(`has a key or value of ${length} bytes`);
  return { bytes: entry.subarray(start + 4, end), end };
}

async function inflated(
  codec: CompressionCodec,
  value: Buffer,
  magic: number,
  clock: Pick<Clock, 'after'>,
): Promise<Buffer> {
  // Clients of magic 0 computed the checksum of LZ4 headers over too much.
  const bytes = codec === 'lz4' && magic === 0 ? withStandardHeaderChecksum(value) : value;
  try {
    return await decompressOffThread(codec, bytes, migrationLimits.oldMessageInflatedBytesMax, {
      pause: () => nextTurn(clock),
    });
  } catch (error) {
    if (error instanceof DecodeError) throw new BadMessage(`cannot be decompressed: ${error.message}`);
    throw error;
  }
}

/** The last message inside may not be cut. */
async function messagesInside(
  inside: Buffer,
  outer: ReadMessage,
  clock: Pick<Clock, 'after'>,
): Promise<readonly OldMessage[]> {
  const found: OldMessage[] = [];
  for (let start = 0; start < inside.length; ) {
    if (inside.length - start < oldOverheadBytes + oldSizeMin)
      throw new BadMessage('ends within a message inside it');
    const size = inside.readInt32BE(start + 8);
    const end = start + oldOverheadBytes + size;
    if (size < oldSizeMin || end > inside.length)
      throw new BadMessage(`has a message of ${size} bytes inside it`);
    const { offset, timestamp, key, value, magic, codec } = readMessage(inside.subarray(start, end));
    if (codec !== 'none') throw new BadMessage('is a wrapper within a wrapper');
    if (magic !== outer.magic) throw new BadMessage('has messages of several formats inside it');
    found.push({ offset, timestamp, key, value });
    if (found.length > migrationLimits.oldMessageRecordsMax)
      throw new BadMessage(`has more than ${migrationLimits.oldMessageRecordsMax} messages inside it`);
    if (found.length % messagesPerTurn === 0) await nextTurn(clock);
    start = end;
  }
  const last = found.at(-1);
  if (last === undefined) throw new BadMessage('is a wrapper without messages');
  const base = outer.magic === 1 ? outer.offset - last.offset : 0;
  if (base < 0) throw new BadMessage('has offsets inside it that are above its own');
  const isAppendTime = outer.timestampType === 'logAppendTime';
  return found.map((message) => ({
    ...message,
    offset: base + message.offset,
    timestamp: isAppendTime ? outer.timestamp : message.timestamp,
  }));
}
