import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { javaBatches } from '../../testing/golden-batches.ts';
import { type CompressionCodec, codecIds } from '../compression/index.ts';
import { RecordBatchView } from './batch.ts';
import { batchRecords, decompressRecords } from './record-cursor.ts';
import {
  positionHeadBytes,
  recompressBatch,
  repositioned,
  rewriteAppendTime,
  rewriteMaxTimestamp,
  rewritePosition,
  writePositionHead,
} from './rewrite.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];
const offset = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

test('a new position changes offset and epoch and leaves the CRC valid', () => {
  fc.assert(
    fc.property(offset, fc.integer(), (baseOffset, leaderEpoch) => {
      const batch = new RecordBatchView(Buffer.from(javaBatches.lz4));
      rewritePosition(batch.bytes, baseOffset, leaderEpoch);
      assert.equal(batch.baseOffset, baseOffset);
      assert.equal(batch.partitionLeaderEpoch, leaderEpoch);
      assert.ok(batch.hasValidCrc());
      assert.ok(batch.bytes.subarray(16).equals(javaBatches.lz4.subarray(16)));
    }),
  );
});

test('head and tail together are the rewritten batch, and the stored bytes do not change', () => {
  fc.assert(
    fc.property(offset, fc.integer(), (baseOffset, leaderEpoch) => {
      const stored = Buffer.from(javaBatches.zstd);
      const rewritten = Buffer.from(stored);
      rewritePosition(rewritten, baseOffset, leaderEpoch);

      const [head, tail] = repositioned(stored, baseOffset, leaderEpoch);
      assert.equal(head.length, positionHeadBytes);
      assert.equal(tail.buffer, stored.buffer);
      assert.ok(Buffer.concat([head, tail]).equals(rewritten));
      assert.ok(stored.equals(javaBatches.zstd));
    }),
  );
});

test('heads of many batches share one buffer', () => {
  const heads = Buffer.alloc(2 * positionHeadBytes);
  const next = writePositionHead(heads, 0, javaBatches.none.length, 7, 1);
  assert.equal(writePositionHead(heads, next, javaBatches.gzip.length, 10, 1), heads.length);
  const second = Buffer.concat([heads.subarray(next), javaBatches.gzip.subarray(positionHeadBytes)]);
  assert.equal(new RecordBatchView(second).baseOffset, 10n);
  assert.ok(new RecordBatchView(second).hasValidCrc());
});

test('append time gives the bytes of the Java broker', () => {
  const batch = Buffer.from(javaBatches.none);
  rewriteAppendTime(batch, 1700000001234n);
  assert.equal(batch.toString('hex'), javaBatches.logAppendTime.toString('hex'));
});

test('a batch with a corrected max timestamp has a valid CRC', () => {
  const batch = new RecordBatchView(Buffer.from(javaBatches.gzip));
  rewriteMaxTimestamp(batch.bytes, 1800000000000n);
  assert.equal(batch.maxTimestamp, 1800000000000n);
  assert.equal(batch.timestampType, 'createTime');
  assert.ok(batch.hasValidCrc());
});

test('recompression works from every codec to every codec and preserves the rest', () => {
  const expected = [...batchRecords(new RecordBatchView(javaBatches.none))];
  for (const from of codecs) {
    for (const to of codecs) {
      const batch = new RecordBatchView(recompressBatch(new RecordBatchView(javaBatches[from]), to));
      assert.equal(batch.codec, to);
      assert.equal(batch.batchLength + 12, batch.sizeBytes);
      assert.ok(batch.hasValidCrc());
      assert.deepEqual([...batchRecords(batch)], expected, `${from} to ${to}`);
    }
  }
  const transactional = recompressBatch(new RecordBatchView(javaBatches.transactional), 'lz4');
  assert.ok(new RecordBatchView(transactional).isTransactional);
  assert.equal(decompressRecords(new RecordBatchView(transactional)).length, 84);
});
