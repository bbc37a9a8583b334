import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import {
  buildRecordBatch,
  type CompressionCodec,
  codecIds,
  decompressRecords,
  RecordBatchView,
} from '@weir/wire';
import { inflatedBytesMax } from './inflated-size.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];

function batchOf(codec: CompressionCodec, value: Buffer): RecordBatchView {
  return new RecordBatchView(buildRecordBatch([{ timestamp: 0n, key: null, value }], { codec }));
}

test('no batch inflates beyond the computed maximum', () => {
  const random = seededRandom(11);
  const kinds = {
    zeros: (bytes: number) => Buffer.alloc(bytes),
    noise: (bytes: number) => Buffer.from(Array.from({ length: bytes }, () => random.below(256))),
    text: (bytes: number) => Buffer.from('the quick brown fox '.repeat(bytes / 20 + 1)).subarray(0, bytes),
  };
  for (const codec of codecs) {
    for (const [kind, make] of Object.entries(kinds)) {
      for (const bytes of [0, 1, 1_000, 100_000, 300_000]) {
        const batch = batchOf(codec, make(bytes));
        const inflated = decompressRecords(batch).length;
        assert.ok(inflatedBytesMax(batch) >= inflated, `${codec} ${kind} ${bytes}`);
      }
    }
  }
});

test('for usual batches the maximum is close enough to avoid decompression', () => {
  const value = Buffer.from('{"user":"somebody","event":"click","page":"/index.html"}\n'.repeat(300));
  const limits: Record<CompressionCodec, number> = {
    none: 20_000,
    snappy: 32 << 20,
    lz4: 32 << 20,
    gzip: 32 << 20,
    zstd: 256 << 10,
  };
  for (const codec of codecs) assert.ok(inflatedBytesMax(batchOf(codec, value)) <= limits[codec], codec);
});

test('data that is not zstd has no maximum', () => {
  const whole = batchOf('zstd', Buffer.alloc(10_000)).bytes;
  for (const cutTo of [62, 65, 67]) {
    assert.equal(inflatedBytesMax(new RecordBatchView(whole.subarray(0, cutTo))), Number.POSITIVE_INFINITY);
  }
  const other = Buffer.from(whole);
  other.fill(0xff, 61);
  assert.equal(inflatedBytesMax(new RecordBatchView(other)), Number.POSITIVE_INFINITY);
});
