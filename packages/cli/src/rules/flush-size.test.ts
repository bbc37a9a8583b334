import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { resolveFlushSizes } from './flush-size.ts';

test('the two flush flags are resolved together', () => {
  const cases: readonly [
    uncompressed: number | undefined,
    compressed: number | undefined,
    uncompressedMax: number,
    compressedMax: number | undefined,
    gatheredMax: number | undefined,
  ][] = [
    // -batchMaxSizeBytes, -batchMaxCompressedSizeBytes, and the resulting sizes
    [8 * MiB, undefined, 8 * MiB, undefined, undefined],
    [undefined, 4 * MiB, 64 * MiB, 4 * MiB, undefined],
    [undefined, undefined, 64 * MiB, MiB, 16_000_000],
    [8 * MiB, 4 * MiB, 8 * MiB, 4 * MiB, undefined],
  ];
  for (const [
    batchMaxSizeBytes,
    batchMaxCompressedSizeBytes,
    uncompressedBytesMax,
    compressedBytesMax,
    gatheredBytesMax,
  ] of cases) {
    assert.deepEqual(resolveFlushSizes({ batchMaxSizeBytes, batchMaxCompressedSizeBytes }), {
      uncompressedBytesMax,
      compressedBytesMax,
      gatheredBytesMax,
    });
  }
});
