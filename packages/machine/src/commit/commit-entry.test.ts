import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileIdOf } from '../../testing/file-commit.ts';
import { ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { AppendedBatch, CommitEntryWriter, type CommitVisitor, readCommittedFiles } from './commit-entry.ts';

const uint32 = fc.nat(2 ** 32 - 1);
const few = fc.constantFrom(0, 1, 2);

const appended = fc.record(
  {
    topicNumber: fc.oneof(few, fc.nat(1_000_000)),
    partition: fc.oneof(few, fc.nat(200_000)),
    byteStart: fc.oneof(few, uint32),
    byteLength: fc.oneof(few, uint32),
    recordCount: uint32,
    maxTimestampMs: fc.oneof(few, fc.maxSafeInteger()),
    producer: fc.oneof(
      fc.constant({ producerId: -1, producerEpoch: -1, baseSequence: -1 }),
      fc.record(
        {
          producerId: fc.oneof(
            few,
            fc.maxSafeNat().filter((id) => id < Number.MAX_SAFE_INTEGER),
          ),
          producerEpoch: fc.nat(2 ** 15 - 1),
          baseSequence: fc.nat(2 ** 31 - 1),
        },
        { noNullPrototype: true },
      ),
    ),
    startsWindow: fc.boolean(),
    evictsProducer: fc.boolean(),
    isTransactional: fc.constantFrom(false, false, true),
    joinsTransaction: fc.constantFrom(false, false, true),
  },
  { noNullPrototype: true },
);

const row = fc.oneof(
  { weight: 3, arbitrary: appended.map(({ producer, ...rest }) => ({ ...rest, ...producer })) },
  fc.record({ baseOffset: fc.maxSafeNat(), logStartOffset: fc.maxSafeNat() }, { noNullPrototype: true }),
  fc.record({ error: fc.nat(255) }, { noNullPrototype: true }),
);

const file = fc.record(
  {
    fileId: fc.nat().map(fileIdOf),
    fileBytes: uint32,
    rows: fc.array(row, { maxLength: 20 }),
    forgotten: fc.nat(1000),
  },
  { noNullPrototype: true },
);

test('every result of every batch is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 4 }), fc.maxSafeNat(), (files, nowMs) => {
      const writer = new ByteWriter();
      const entry = new CommitEntryWriter(writer);
      for (const { fileId, fileBytes, rows, forgotten } of files) {
        const hasTransactions = rows.some(
          (one) => 'isTransactional' in one && (one.isTransactional || one.joinsTransaction),
        );
        entry.beginFile(fileId, fileBytes, rows.length, nowMs, hasTransactions);
        for (const one of rows) {
          if ('error' in one) entry.refused(one.error);
          else if ('baseOffset' in one) entry.duplicate(one.baseOffset, one.logStartOffset);
          else entry.appended(Object.assign(new AppendedBatch(), one));
        }
        entry.endFile(forgotten);
      }
      entry.end();
      const read: object[] = [];
      let rows: object[] = [];
      const visitor: CommitVisitor = {
        beginFile: (fileId, fileBytes) => {
          rows = [];
          read.push({ fileId, fileBytes, rows });
        },
        appended: (batch) => rows.push({ ...batch }),
        duplicate: (baseOffset, logStartOffset) => rows.push({ baseOffset, logStartOffset }),
        refused: (error) => rows.push({ error }),
        endFile: (forgotten) => Object.assign(read.at(-1)!, { forgotten }),
      };
      readCommittedFiles(new ByteReader(writer.take()), nowMs, visitor);
      assert.deepEqual(read, files);
    }),
  );
});

test('a file with an unknown mark is refused', () => {
  assert.throws(
    () => readCommittedFiles(new ByteReader(Buffer.of(3)), 0, {} as CommitVisitor),
    /unknown mark 3/,
  );
});

test('an unknown result of a batch is refused', () => {
  const writer = new ByteWriter();
  new CommitEntryWriter(writer).beginFile(fileIdOf(1), 100, 1, 0, false);
  writer.u8(3);
  const visitor = {} as CommitVisitor;
  visitor.beginFile = () => {};
  assert.throws(() => readCommittedFiles(new ByteReader(writer.take()), 0, visitor), UnreadableBytes);
});

test('a thousand neighbouring partitions cost a few bytes each', () => {
  const writer = new ByteWriter();
  const entry = new CommitEntryWriter(writer);
  const nowMs = 1_790_000_000_000;
  entry.beginFile(fileIdOf(1), 5_000_000, 1000, nowMs, false);
  for (let partition = 0; partition < 1000; partition++) {
    const batch = Object.assign(new AppendedBatch(), {
      topicNumber: 3,
      partition,
      byteStart: 5000 * partition,
      byteLength: 5000,
      recordCount: 50,
      maxTimestampMs: nowMs - 40,
      producerId: 4711,
      producerEpoch: 0,
      baseSequence: 1_000_000,
    });
    entry.appended(batch);
  }
  entry.endFile(0);
  assert.ok(writer.length < 10_000, `${writer.length} bytes`);
});
