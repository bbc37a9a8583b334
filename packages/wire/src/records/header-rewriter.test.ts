import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { javaBatches, librdkafkaBatches } from '../../testing/golden-batches.ts';
import { type CompressionCodec, codecIds, snappyFramingOf } from '../compression/index.ts';
import { RecordBatchView } from './batch.ts';
import { buildRecordBatch, type RecordBatchFields, type RecordToWrite } from './builder.ts';
import { sealBatch } from './crc.ts';
import { encodeRecordHeader, HeaderCursor } from './header-cursor.ts';
import { type HeaderChange, HeaderRewriter } from './header-rewriter.ts';
import { headerAt, headerBytes, lengthOverheadBytes } from './layout.ts';
import { batchRecords, decompressRecords, RecordCursor, type RecordHeader } from './record-cursor.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];
const keys = ['author', 'trace', 'Author', '', 'ü'];
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const nullableBytes = fc.option(bytes, { nil: null });

/** Headers whose keys are often equal and often among the removed ones. */
const headersArbitrary = fc.array(
  fc.record({ key: fc.constantFrom(...keys), value: nullableBytes }, { noNullPrototype: true }),
  { maxLength: 5 },
);
const recordArbitrary: fc.Arbitrary<RecordToWrite> = fc.record({
  timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  key: nullableBytes,
  value: nullableBytes,
  headers: headersArbitrary,
});
const fieldsArbitrary: fc.Arbitrary<RecordBatchFields> = fc.record({
  partitionLeaderEpoch: fc.integer(),
  codec: fc.constantFrom(...codecs),
  compression: fc.record({ snappyFraming: fc.constantFrom('raw' as const, 'xerial' as const) }),
  producerId: fc.bigInt({ min: -1n, max: 2n ** 62n }),
  producerEpoch: fc.integer({ min: -1, max: 32_767 }),
  baseSequence: fc.integer(),
  maxTimestamp: fc.bigInt({ min: 0n, max: 2n ** 60n }),
  isTransactional: fc.boolean(),
});

interface Change {
  readonly removed: readonly string[];
  readonly added: { readonly key: string; readonly value: string } | undefined;
}

const changeArbitrary: fc.Arbitrary<Change> = fc.record({
  removed: fc.subarray(keys),
  added: fc.option(fc.record({ key: fc.constantFrom(...keys), value: fc.string({ unit: 'grapheme' }) }), {
    nil: undefined,
  }),
});

/** One change per record; records beyond the list get the first change. */
function rewrite(batch: RecordBatchView, changes: readonly Change[], recordsBytesMax = 1 << 30): Buffer {
  const encoded = changes.map(
    ({ removed, added }): HeaderChange => ({
      removedKeys: removed.map((key) => Buffer.from(key)),
      added: added && encodeRecordHeader(added.key, added.value),
    }),
  );
  const cursor = new RecordCursor(batch);
  const rewriter = new HeaderRewriter(batch, {
    recordsBytes: cursor.totalBytes,
    addedBytes: encoded[0]?.added?.length ?? 0,
    recordsBytesMax,
  });
  while (cursor.next()) {
    const before = rewriter.recordsBytes;
    const recordBytes = rewriter.append(cursor, encoded[cursor.index] ?? encoded[0]!);
    assert.equal(rewriter.recordsBytes, before + recordBytes);
  }
  return rewriter.finish();
}

function headersAfter(headers: readonly RecordHeader[], { removed, added }: Change): RecordHeader[] {
  const retained = headers.filter(({ key }) => !removed.includes(key));
  return added === undefined ? retained : [...retained, { key: added.key, value: Buffer.from(added.value) }];
}

test('the rewritten batch has the same records with other headers, in every codec', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(recordArbitrary, changeArbitrary), { minLength: 1, maxLength: 30 }),
      fieldsArbitrary,
      fc.integer({ min: 0, max: 4000 }),
      (rows, fields, recordsBytesMax) => {
        const original = new RecordBatchView(
          buildRecordBatch(
            rows.map(([record]) => record),
            fields,
          ),
        );
        const changes = rows.map(([, change]) => change);
        const rewritten = new RecordBatchView(rewrite(original, changes, recordsBytesMax));
        assert.ok(rewritten.hasValidCrc());
        assert.equal(rewritten.batchLength + lengthOverheadBytes, rewritten.sizeBytes);
        assert.deepEqual(
          [...batchRecords(rewritten)],
          [...batchRecords(original)].map((record, index) => ({
            ...record,
            headers: headersAfter(record.headers, changes[index]!),
          })),
        );
        const isOther = (at: number) =>
          (at >= headerAt.batchLength && at < headerAt.partitionLeaderEpoch) ||
          (at >= headerAt.crc && at < headerAt.attributes);
        for (let at = 0; at < headerBytes; at++)
          if (!isOther(at)) assert.equal(rewritten.bytes[at], original.bytes[at], `byte ${at} of the header`);
        if (fields.codec === 'snappy')
          assert.equal(snappyFramingOf(rewritten.recordsBytes), snappyFramingOf(original.recordsBytes));
      },
    ),
    { numRuns: 300 },
  );
});

test('an unchanged batch is returned itself', () => {
  const nothing = { removed: ['author'], added: undefined };
  for (const bytes of [...Object.values(librdkafkaBatches), javaBatches.none, javaBatches.zstd]) {
    assert.equal(rewrite(new RecordBatchView(bytes), [nothing]), bytes);
  }
});

test('batches of foreign clients are recompressed with the same framing', () => {
  const author = { removed: ['none'], added: { key: 'author', value: 'alice' } };
  for (const [name, bytes] of Object.entries({ ...javaBatches, ...librdkafkaBatches })) {
    if (name === 'commit' || name === 'abort') continue;
    const original = new RecordBatchView(bytes);
    const rewritten = new RecordBatchView(rewrite(original, [author]));
    assert.equal(rewritten.attributes, original.attributes, name);
    const headers = [...batchRecords(rewritten)].map((record) => record.headers.map(({ key }) => key));
    assert.deepEqual(headers[0], ['trace', 'author'], name);
  }
});

test('attributes and padded varints are copied byte for byte', () => {
  //               length attr time(padded) offset key value headers
  const record = '1a     7f   8480 00      00     01  02 61 02 02 78 02 79'.replaceAll(' ', '');
  const bytes = Buffer.concat([javaBatches.none.subarray(0, headerBytes), Buffer.from(record, 'hex')]);
  bytes.writeInt32BE(bytes.length - lengthOverheadBytes, headerAt.batchLength);
  bytes.writeInt32BE(1, headerAt.recordCount);
  sealBatch(bytes);
  const added = { removed: ['x'], added: { key: 'k', value: 'v' } };
  const rewritten = decompressRecords(new RecordBatchView(rewrite(new RecordBatchView(bytes), [added])));
  assert.equal(rewritten.toString('hex'), '1a7f8480000001026102026b0276');
});

test('a header cursor finds the headers that the record cursor lists', () => {
  fc.assert(
    fc.property(headersArbitrary, fc.constantFrom(...keys), (headers, wanted) => {
      const batch = buildRecordBatch([{ timestamp: 1n, key: null, value: null, headers }]);
      const record = new RecordCursor(new RecordBatchView(batch));
      assert.ok(record.next());
      const header = new HeaderCursor(record);
      const found: (Buffer | null)[] = [];
      while (header.next()) if (header.hasKey(Buffer.from(wanted))) found.push(header.value);
      assert.deepEqual(
        found,
        headers.filter(({ key }) => key === wanted).map(({ value }) => value),
      );
    }),
  );
});

test('off-thread rewriting gives the same batch', async () => {
  for (const codec of codecs) {
    const batch = new RecordBatchView(
      buildRecordBatch([{ timestamp: 0n, key: null, value: Buffer.alloc(10_000) }], { codec }),
    );
    const rewriter = () => {
      const cursor = new RecordCursor(batch);
      const made = new HeaderRewriter(batch, {
        recordsBytes: cursor.totalBytes,
        addedBytes: 0,
        recordsBytesMax: 1 << 20,
      });
      cursor.next();
      made.append(cursor, { removedKeys: [], added: encodeRecordHeader('by', 'ann') });
      return made;
    };
    assert.ok((await rewriter().finishOffThread()).equals(rewriter().finish()), codec);
  }
});
