import { MiB } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { brokers } from '../flags/rows/takers.ts';
import type { Rule } from './rule.ts';

/** When the open file is cut. Whichever size is reached first decides. */
interface FlushSizes {
  readonly uncompressedBytesMax: number;
  /** Absent when only the uncompressed size decides. An estimate, so that files can come out larger. */
  readonly compressedBytesMax: number | undefined;
  /** Up to here a file may grow when many small requests share it; absent when a flag says where it is cut. */
  readonly gatheredBytesMax: number | undefined;
}

/**
 * The contract gives two defaults for the compressed size: 1MiB in its only complete rule, and 16MB in a later remark.
 * The complete rule says what is worth a file; while files follow each other closely, they may grow to the other.
 */
const compressedFlushBytesDefault = MiB;
const gatheredFlushBytesDefault = 16_000_000;
const uncompressedFlushBytesDefault = 64 * MiB;

type Values = Pick<FlagValues, 'batchMaxSizeBytes' | 'batchMaxCompressedSizeBytes'>;

export function resolveFlushSizes({ batchMaxSizeBytes, batchMaxCompressedSizeBytes }: Values): FlushSizes {
  if (batchMaxSizeBytes !== undefined) {
    return {
      uncompressedBytesMax: batchMaxSizeBytes,
      compressedBytesMax: batchMaxCompressedSizeBytes,
      gatheredBytesMax: undefined,
    };
  }
  return {
    uncompressedBytesMax: uncompressedFlushBytesDefault,
    compressedBytesMax: batchMaxCompressedSizeBytes ?? compressedFlushBytesDefault,
    gatheredBytesMax: batchMaxCompressedSizeBytes === undefined ? gatheredFlushBytesDefault : undefined,
  };
}

export const flushSizeRule: Rule = {
  statement:
    'With only -batchMaxSizeBytes it alone decides; with only -batchMaxCompressedSizeBytes the uncompressed limit is ' +
    '64MiB; with neither the limits are 1MiB compressed and 64MiB uncompressed, and a file of small requests may ' +
    'grow to 16MB while the file before it is less than 100ms old; with both a file is cut when either is exceeded.',
  flags: ['batchMaxSizeBytes', 'batchMaxCompressedSizeBytes'],
  commands: brokers,
};
