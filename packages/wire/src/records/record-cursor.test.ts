import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { javaBatches, librdkafkaBatches } from '../../testing/golden-batches.ts';
import { OutputLimitExceeded } from '../compression/index.ts';
import { DecodeError } from '../decode-error.ts';
import { readVarint32, readVarint64 } from '../varint.ts';
import { RecordBatchView } from './batch.ts';
import { buildRecordBatch } from './builder.ts';
import { sealBatch } from './crc.ts';
import { headerAt, headerBytes, lengthOverheadBytes } from './layout.ts';
import { batchRecords, RecordCursor } from './record-cursor.ts';

const text = (bytes: Buffer | null) => bytes?.toString() ?? null;

/** Records as rows: offset, timestamp, key, value, headers. */
function rows(batch: Buffer): unknown[] {
  return Array.from(batchRecords(new RecordBatchView(batch)), (record) => [
    record.offset,
    record.timestamp,
    text(record.key),
    text(record.value),
    ...record.headers.map(({ key, value }) => `${key}=${text(value)}`),
  ]);
}

/** An uncompressed batch with these bytes as its records. */
function batchOf(recordsHex: string, recordCount: number): RecordBatchView {
  const records = Buffer.from(recordsHex.replaceAll(' ', ''), 'hex');
  const bytes = Buffer.concat([javaBatches.none.subarray(0, headerBytes), records]);
  bytes.writeInt32BE(bytes.length - lengthOverheadBytes, headerAt.batchLength);
  bytes.writeInt32BE(recordCount, headerAt.recordCount);
  sealBatch(bytes);
  return new RecordBatchView(bytes);
}

test('reads the records of the Java client in every codec', () => {
  for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
    assert.deepEqual(
      rows(javaBatches[codec]),
      [
        [0n, 1700000000000n, 'k1', 'first value, first value, first value', 'trace=abc', 'none=null'],
        [1n, 1699999999990n, null, 'null key'],
        [2n, 1700000000005n, '', null],
      ],
      codec,
    );
  }
});

test('values can be located in the bytes of the batch without allocation', () => {
  for (const batch of [...Object.values(javaBatches), ...Object.values(librdkafkaBatches)]) {
    const cursor = new RecordCursor(new RecordBatchView(batch));
    while (cursor.next()) {
      const { decompressed, valueStart, valueEnd, timestampMs } = cursor;
      assert.deepEqual(decompressed.subarray(valueStart, valueEnd), cursor.value ?? Buffer.alloc(0));
      assert.equal(timestampMs, Number(cursor.timestamp));
    }
  }
});

test('reads the records of librdkafka in every codec', () => {
  for (const [codec, batch] of Object.entries(librdkafkaBatches)) {
    assert.deepEqual(
      rows(batch),
      [
        [0n, 1700000000000n, 'k0', 'first value, first value, first value 0', 'trace=abc', 'none=null'],
        [1n, 1700000000001n, null, 'first value, first value, first value 1', 'trace=abc', 'none=null'],
      ],
      codec,
    );
  }
});

test('with LogAppendTime every record has the time of the batch', () => {
  const cursor = new RecordCursor(new RecordBatchView(javaBatches.logAppendTime));
  while (cursor.next()) assert.equal(cursor.timestamp, 1700000001234n);
  assert.equal(cursor.index, 2);
});

test('keys and values are views of the batch, not copies', () => {
  const cursor = new RecordCursor(new RecordBatchView(javaBatches.none));
  assert.ok(cursor.next());
  assert.equal(cursor.key?.buffer, javaBatches.none.buffer);
  assert.equal(cursor.value?.buffer, javaBatches.none.buffer);
  assert.equal(cursor.headers[0]?.value?.buffer, javaBatches.none.buffer);
});

test('a null key and an empty key are different', () => {
  const cursor = new RecordCursor(new RecordBatchView(javaBatches.none));
  const keys = [];
  while (cursor.next()) keys.push([cursor.hasKey, cursor.key?.length]);
  assert.deepEqual(keys, [
    [true, 2],
    [false, undefined],
    [true, 0],
  ]);
});

test('sizes count the length prefix', () => {
  const cursor = new RecordCursor(new RecordBatchView(javaBatches.none));
  let sum = 0;
  while (cursor.next()) sum += cursor.recordBytes;
  assert.equal(sum, cursor.totalBytes);
  assert.equal(sum, javaBatches.none.length - headerBytes);
});

test('malformed records are rejected, and the error names the field', () => {
  //                      length attr time offset key value headers
  const table: [name: string, records: string, recordCount: number, problem: RegExp][] = [
    ['fewer records than counted', '0c 00 00 00 01 01 00', 2, /length at byte 7: varint ends/],
    ['more records than counted', '0c 00 00 00 01 01 00', 0, /7 bytes follow the last record/],
    ['bytes after the last record', '0c 00 00 00 01 01 00 00', 1, /1 bytes follow the last record/],
    ['a negative count', '0c 00 00 00 01 01 00', -1, /recordCount at byte 0: -1 is negative/],
    [
      'a length beyond the batch',
      '0e 00 00 00 01 01 00',
      1,
      /length at byte 0: 7 is not within the 6 bytes left/,
    ],
    ['a negative length', '01 00 00 00 01 01 00', 1, /length at byte 0: -1/],
    ['a length of zero', '00', 1, /records: \w+ at byte/],
    ['a length beyond its fields', '0e 00 00 00 01 01 00 00', 1, /length at byte 0: 7 is 1 more/],
    ['a length before its fields end', '0a 00 00 00 01 01 00', 1, /headers at byte 6/],
    [
      'a timestamp that never ends',
      `1e 00 ${'ff'.repeat(11)} 00 01 01 00`,
      1,
      /timestampDelta at byte 2: varint is longer/,
    ],
    ['a key length of -2', '0c 00 00 00 03 01 00', 1, /key at byte 4: length -2/],
    [
      'a key beyond the record',
      '0c 00 00 00 08 01 00',
      1,
      /key at byte 4: length 4 is not within the 2 bytes/,
    ],
    [
      'a value beyond the record',
      '0c 00 00 00 01 04 00',
      1,
      /value at byte 5: length 2 is not within the 1 bytes/,
    ],
    ['a negative number of headers', '0c 00 00 00 01 01 01', 1, /headers at byte 6: -1 do not fit/],
    ['more headers than bytes', '0c 00 00 00 01 01 02', 1, /headers at byte 6: 1 do not fit/],
    ['two billion headers', '14 00 00 00 01 01 feffffff0f', 1, /headers at byte 6: 2147483647 do not fit/],
    ['a header without a key', '10 00 00 00 01 01 02 01 01', 1, /headers\[\].key at byte 7: is null/],
    ['a header value beyond the record', '10 00 00 00 01 01 02 00 08', 1, /headers\[\].value at byte 8/],
  ];
  for (const [name, records, recordCount, problem] of table) {
    assert.throws(
      () => {
        const cursor = new RecordCursor(batchOf(records, recordCount));
        while (cursor.next());
      },
      (error) => error instanceof DecodeError && problem.test(error.message),
      name,
    );
  }
});

test('the output limit is enforced', () => {
  for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
    const batch = new RecordBatchView(javaBatches[codec]);
    assert.equal(new RecordCursor(batch, 84).totalBytes, 84);
    assert.throws(() => new RecordCursor(batch, 83), OutputLimitExceeded, codec);
  }
});

test('an unknown codec is an error', () => {
  const bytes = Buffer.from(javaBatches.none);
  bytes.writeInt16BE(5, headerAt.attributes);
  assert.throws(() => new RecordCursor(new RecordBatchView(bytes)), /codec 5 is not known/);
});

/** What the cursor reads of a record, by the rules of the format and nothing else. */
function readPlainly(bytes: Buffer, count: number): unknown[] | 'invalid' {
  const reader = { subject: 'test', bytes, at: 0, end: bytes.length };
  const read: unknown[] = [];
  const part = (end: number) => {
    const length = readVarint32(reader, 'part');
    if (length < -1 || length > end - reader.at) throw new Error('beyond the record');
    const at = reader.at;
    reader.at += Math.max(length, 0);
    return length < 0 ? null : bytes.subarray(at, reader.at).toString('hex');
  };
  try {
    for (let index = 0; index < count; index++) {
      const recordAt = reader.at;
      const bodyBytes = readVarint32(reader, 'length');
      const end = reader.at + bodyBytes;
      if (bodyBytes < 0 || end > bytes.length) return 'invalid';
      reader.at++;
      const time = readVarint64(reader, 'time');
      const offset = readVarint32(reader, 'offset');
      const [key, value] = [part(end), part(end)];
      const headers = readVarint32(reader, 'headers');
      if (headers < 0 || headers * 2 > end - reader.at) return 'invalid';
      for (let left = headers; left > 0; left--) {
        if (part(end) === null) return 'invalid';
        part(end);
      }
      if (reader.at !== end) return 'invalid';
      read.push([end - recordAt, time, offset, key, value, headers]);
    }
  } catch {
    return 'invalid';
  }
  return reader.at === bytes.length ? read : 'invalid';
}

test('usual and other records are read by the same rules, also when they are damaged', () => {
  const sizes = fc.constantFrom(null, 0, 1, 5, 63, 64, 100, 8_180, 8_200);
  const record = fc.record({
    timestamp: fc.constantFrom(0n, 1n, -1n, 63n, 64n, -65n, 8_191n, 8_192n, -8_192n, 2n ** 40n),
    key: sizes.map((size) => (size === null ? null : Buffer.alloc(size, 0x02))),
    value: sizes.map((size) => (size === null ? null : Buffer.alloc(size, 0x81))),
    headers: fc.constantFrom([], [], [{ key: 'k', value: null }]),
  });
  const damage = fc.record({ at: fc.nat(60), byte: fc.constantFrom(0, 1, 2, 3, 0x0e, 0x7f, 0x80, 0xff) });
  fc.assert(
    fc.property(
      fc.array(record, { minLength: 1, maxLength: 4 }),
      fc.array(damage, { maxLength: 2 }),
      (records, damages) => {
        const batch = buildRecordBatch(records, { baseTimestamp: 0n });
        for (const { at, byte } of damages) {
          if (headerBytes + at < batch.length) batch[headerBytes + at] = byte;
        }
        const read: unknown[] = [];
        let result: unknown[] | 'invalid' = read;
        try {
          const cursor = new RecordCursor(new RecordBatchView(batch));
          while (cursor.next()) {
            const { recordBytes, timestamp, offsetDelta, key, value, headerCount } = cursor;
            read.push([
              recordBytes,
              timestamp,
              offsetDelta,
              key?.toString('hex') ?? null,
              value?.toString('hex') ?? null,
              headerCount,
            ]);
          }
        } catch (error) {
          assert.ok(error instanceof DecodeError, String(error));
          result = 'invalid';
        }
        assert.deepEqual(result, readPlainly(batch.subarray(headerBytes), records.length));
      },
    ),
  );
});
