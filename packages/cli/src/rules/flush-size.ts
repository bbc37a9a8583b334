import { MiB } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { brokers } from '../flags/rows/takers.ts';
import type { Rule } from './rule.ts';

/** When the open file is cut. Whichever size is reached first decides. */
export interface FlushSizes {
  readonly uncompressedBytesMax: number;
  /** Absent when only the uncompressed size decides. An estimate, so that files can come out larger. */
  readonly compressedBytesMax: number | undefined;
}

/**
 * The contract gives two defaults for the compressed size: 1MiB in its only complete rule, and 16MB in a later remark.
 * The complete rule decides; 16MB is the most that a tuner of the flush size may choose on its own.
 */
export const compressedFlushBytesDefault = MiB;
export const compressedFlushBytesTunedMax = 16_000_000;
export const uncompressedFlushBytesDefault = 64 * MiB;

type Values = Pick<FlagValues, 'batchMaxSizeBytes' | 'batchMaxCompressedSizeBytes'>;

export function resolveFlushSizes({ batchMaxSizeBytes, batchMaxCompressedSizeBytes }: Values): FlushSizes {
  if (batchMaxSizeBytes !== undefined) {
    return { uncompressedBytesMax: batchMaxSizeBytes, compressedBytesMax: batchMaxCompressedSizeBytes };
  }
  return {
    uncompressedBytesMax: uncompressedFlushBytesDefault,
    compressedBytesMax: batchMaxCompressedSizeBytes ?? compressedFlushBytesDefault,
  };
}

export const flushSizeRule: Rule = {
  statement:
    'With only -batchMaxSizeBytes it alone decides; with only -batchMaxCompressedSizeBytes the uncompressed limit is ' +
    '64MiB; with neither the limits are 1MiB compressed and 64MiB uncompressed; with both a file is cut when either ' +
    'is exceeded.',
  flags: ['batchMaxSizeBytes', 'batchMaxCompressedSizeBytes'],
  commands: brokers,
};
