import { crc32c } from '@node-rs/crc32';
import { headerAt } from './layout.ts';

/** The CRC32C that a whole batch should carry: over everything from the attributes to its end. */
export function computeBatchCrc(batch: Buffer): number {
  return crc32c(batch.subarray(headerAt.attributes));
}

/** Writes the right CRC into a batch whose covered bytes have changed. */
export function sealBatch(batch: Buffer): void {
  batch.writeUInt32BE(computeBatchCrc(batch), headerAt.crc);
}
