import { crc32c } from '@node-rs/crc32';
import { headerAt } from './layout.ts';

/** The CRC32C of a whole batch: over everything from the attributes to its end. */
export function computeBatchCrc(batch: Buffer): number {
  return crc32c(batch.subarray(headerAt.attributes));
}

/** Like `computeBatchCrc`, for a batch in pieces. */
export function batchCrcOf(pieces: readonly Buffer[]): number {
  let crc = 0;
  let skipBytes: number = headerAt.attributes;
  for (const piece of pieces) {
    if (piece.length > skipBytes) crc = crc32c(skipBytes === 0 ? piece : piece.subarray(skipBytes), crc);
    skipBytes = Math.max(0, skipBytes - piece.length);
  }
  return crc;
}

/** Writes the correct CRC into a batch whose covered bytes have changed. */
export function sealBatch(batch: Buffer): void {
  batch.writeUInt32BE(computeBatchCrc(batch), headerAt.crc);
}
