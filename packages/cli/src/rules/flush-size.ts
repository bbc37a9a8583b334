import { MiB } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { brokers } from '../flags/rows/takers.ts';
import type { Rule } from './rule.ts';

/** When the open file is closed: at the size that is reached first. */
interface FlushSizes {
  readonly uncompressedBytesMax: number;
  /** Absent if only the uncompressed size counts. It is an estimate, so files can become larger. */
  readonly compressedBytesMax: number | undefined;
  /** Size that a file may reach while it waits for more requests; absent if a flag sets the size. */
  readonly gatheredBytesMax: number | undefined;
}

/**
 * The contract gives two defaults for the compressed size: 1MiB in its only complete rule, and 16MB in a later remark.
 * The complete rule gives the size that justifies a file; while it waits for more requests, it may grow to the other.
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
    '64MiB; with neither the limits are 1MiB compressed and 64MiB uncompressed, and a file that reaches them waits a ' +
    'little for more requests, until it has 16MB and what clients are just sending; with both a file is cut when ' +
    'either is exceeded.',
  flags: ['batchMaxSizeBytes', 'batchMaxCompressedSizeBytes'],
  commands: brokers,
};
