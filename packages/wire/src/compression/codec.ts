/**
 * The compression codecs of a record batch. The ids are the low three bits of the batch's attributes and can never
 * change; topic configurations use the names.
 */
export const codecIds = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

export type CompressionCodec = keyof typeof codecIds;

const codecsById: readonly CompressionCodec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

/** Returns `undefined` for an unassigned id. */
export function codecOfId(id: number): CompressionCodec | undefined {
  return codecsById[id];
}
