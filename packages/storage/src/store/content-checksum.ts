import { crc32c } from '@node-rs/crc32';

/** CRC32C of slices as object stores take it: four bytes, the highest first, in base64. */
export function contentChecksum(slices: readonly Uint8Array[]): string {
  let crc = 0;
  for (const slice of slices) crc = crc32c(slice, crc);
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString('base64');
}
