import { type CompressionCodec, type CompressOptions, codecIds, compress } from '../compression/index.ts';
import type { RecordBatchView } from './batch.ts';
import { sealBatch } from './crc.ts';
import { attributeBits, headerAt, headerBytes, lengthOverheadBytes } from './layout.ts';
import { decompressRecords } from './record-cursor.ts';

/**
 * What a broker changes in a batch that it did not write. The functions take the bytes of one whole batch.
 *
 * The base offset and the leader epoch are outside the CRC and cost nothing. Everything else is inside, and costs one
 * pass over the batch.
 */

/**
 * A batch's offset and leader epoch are in its first 16 bytes, with the length between them; the CRC and the bytes it
 * covers come later. So a fetch can send 16 rewritten bytes and then the stored batch from byte 16 on, and a cached
 * page does not change however many readers it has. Copying the whole 61-byte header would have no advantage.
 */
export const positionHeadBytes: 16 = headerAt.magic;

/** Writes the offset and the leader epoch into the batch itself, whose bytes the caller must own. */
export function rewritePosition(batch: Buffer, baseOffset: bigint, partitionLeaderEpoch: number): void {
  batch.writeBigInt64BE(baseOffset, headerAt.baseOffset);
  batch.writeInt32BE(partitionLeaderEpoch, headerAt.partitionLeaderEpoch);
}

/**
 * Writes the first `positionHeadBytes` of a batch of this size at `target[at]`, with a new offset, which must be exact
 * as a number, and leader epoch. Returns the position after them. One pooled target serves all batches of a response.
 */
export function writePositionHead(
  target: Buffer,
  at: number,
  batchBytes: number,
  baseOffset: number,
  partitionLeaderEpoch: number,
): number {
  target.writeInt32BE(Math.floor(baseOffset / 2 ** 32), at + headerAt.baseOffset);
  target.writeUInt32BE(baseOffset % 2 ** 32, at + headerAt.baseOffset + 4);
  target.writeInt32BE(batchBytes - lengthOverheadBytes, at + headerAt.batchLength);
  target.writeInt32BE(partitionLeaderEpoch, at + headerAt.partitionLeaderEpoch);
  return at + positionHeadBytes;
}

/** The batch at a new position as two pieces to send in order: a new head, and a slice of the batch. */
export function repositioned(
  batch: Buffer,
  baseOffset: bigint,
  partitionLeaderEpoch: number,
): readonly [head: Buffer, tail: Buffer] {
  const head = Buffer.from(batch.subarray(0, positionHeadBytes));
  rewritePosition(head, baseOffset, partitionLeaderEpoch);
  return [head, batch.subarray(positionHeadBytes)];
}

/** Sets the broker's time for every record of the batch: the timestamp type and the max timestamp. */
export function rewriteAppendTime(batch: Buffer, appendTimestamp: bigint): void {
  const attributes = batch.readInt16BE(headerAt.attributes);
  batch.writeInt16BE(attributes | attributeBits.logAppendTime, headerAt.attributes);
  rewriteMaxTimestamp(batch, appendTimestamp);
}

/** Corrects a max timestamp; some clients send the last record's instead of the latest. */
export function rewriteMaxTimestamp(batch: Buffer, maxTimestamp: bigint): void {
  batch.writeBigInt64BE(maxTimestamp, headerAt.maxTimestamp);
  sealBatch(batch);
}

/**
 * Builds a batch that differs only in its compression, for topics that configure a codec. The records are not parsed.
 * Throws `DecodeError` if they do not decompress.
 */
export function recompressBatch(
  batch: RecordBatchView,
  codec: CompressionCodec,
  options: CompressOptions & { readonly outputBytesMax?: number } = {},
): Buffer {
  const records = compress(codec, decompressRecords(batch, options.outputBytesMax), options);
  const recompressed = Buffer.allocUnsafe(headerBytes + records.length);
  recompressed.set(batch.bytes.subarray(0, headerBytes));
  recompressed.set(records, headerBytes);
  recompressed.writeInt32BE(recompressed.length - lengthOverheadBytes, headerAt.batchLength);
  recompressed.writeInt16BE((batch.attributes & ~attributeBits.codec) | codecIds[codec], headerAt.attributes);
  sealBatch(recompressed);
  return recompressed;
}
