import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { RecordBatchView } from './batch.ts';
import { buildRecordBatch } from './builder.ts';
import { OversizedRecord, RecordLengths } from './record-lengths.ts';

function recordsOf(valueBytes: readonly number[]): Buffer {
  const records = valueBytes.map((bytes) => ({ timestamp: 0n, key: null, value: Buffer.alloc(bytes) }));
  return new RecordBatchView(buildRecordBatch(records)).recordsBytes;
}

/** Passes bytes in pieces of a given size. */
function show(lengths: RecordLengths, bytes: Buffer, pieceBytes: number): void {
  for (let at = 0; at < bytes.length; at += pieceBytes) lengths.see(bytes.subarray(at, at + pieceBytes));
}

test('records of allowed lengths pass, however they are split', () => {
  const sizes = fc.array(fc.nat(300), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 50 }), (valueBytes, pieceBytes) => {
      const bytes = recordsOf(valueBytes);
      const lengths = new RecordLengths(valueBytes.length, 400);
      show(lengths, bytes, pieceBytes);
      assert.equal(lengths.totalBytes, bytes.length);
    }),
  );
});

test('the first record that is too long is reported at its length', () => {
  const bytes = recordsOf([10, 20, 5000, 9000]);
  const lengths = new RecordLengths(4, 1000);
  assert.throws(
    () => show(lengths, bytes, 1),
    (error: unknown) =>
      error instanceof OversizedRecord &&
      error.index === 2 &&
      error.recordBytes > 5000 &&
      error.recordBytes < 5020,
  );
  assert.ok(lengths.totalBytes < 60, `${lengths.totalBytes}`);
});

test('bytes that cannot continue a batch end it', () => {
  for (const [bytes, problem] of [
    [Buffer.alloc(10), /less than that of a record/],
    [Buffer.from('01', 'hex'), /less than that of a record/],
    [Buffer.from('ffffffffff01', 'hex'), /longer than 32 bits/],
    [Buffer.concat([recordsOf([1]), Buffer.alloc(1)]), /bytes follow the last record/],
  ] as const) {
    assert.throws(() => new RecordLengths(1, 1000).see(bytes), problem);
    assert.throws(() => new RecordLengths(1, 1000).see(bytes), DecodeError);
  }
});

test('a piece with very many records is not scanned to its end', () => {
  const count = wireLimits.walkedRecordsPerTurnMax + 1;
  const bytes = Buffer.concat([recordsOf(Array.from({ length: count }, () => 0)), Buffer.alloc(10)]);
  const lengths = new RecordLengths(count, 1000);
  lengths.see(bytes);
  lengths.see(Buffer.alloc(10));
  assert.equal(lengths.totalBytes, bytes.length + 10);
});
