import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyBatches, batchOf, topicIdOf } from '../../testing/batches.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { type BatchToStore, buildLogFile, withFileId } from './build-log-file.ts';
import { logFileKey } from './file-id.ts';
import { trailerBytes } from './layout.ts';
import { LogFileError } from './log-file-error.ts';
import { batchesOfSection, parseLogFile, readLogFile } from './read-log-file.ts';

const clusterId = 'vci_test';
const fileId = '018bcfe56800000010123456789abcde';

function fileOf(batches: readonly BatchToStore[]): Buffer {
  return Buffer.concat(buildLogFile({ clusterId, fileId, batches }).slices);
}

/** Two topics; the one that comes first sorts last. */
const sample: readonly BatchToStore[] = [
  { topicId: topicIdOf(2), partition: 1, bytes: batchOf(3, Buffer.from('c')) },
  { topicId: topicIdOf(1), partition: 7, bytes: batchOf(1, Buffer.from('b')) },
  { topicId: topicIdOf(2), partition: 1, bytes: batchOf(4, Buffer.from('dd')) },
  { topicId: topicIdOf(1), partition: 0, bytes: batchOf(2, Buffer.from('a')) },
];

test('the golden file: these bytes are in buckets and must remain readable', () => {
  const body = (records: number, length: number, payload: string) =>
    `b7b7b7b7b7b7b7b7${hex(length)}${'b7'.repeat(45)}${hex(records)}${payload}`;
  const golden = [
    // header: magic, version, length, file id, cluster id, crc
    '574549524c4f4746',
    '0001',
    '0029',
    fileId,
    '08',
    '7663695f74657374',
    '116b7dd9',
    // sections: topic 1 partition 0, topic 1 partition 7, topic 2 partition 1
    body(2, 50, '61'),
    body(1, 50, '62'),
    body(3, 50, '63'),
    body(4, 51, '6464'),
    // footer: counts, topics, columns
    '00000002',
    '00000003',
    '00000000000000000000000000000001',
    '00000000000000000000000000000002',
    '000000000000000000000001',
    '000000000000000700000001',
    '0000000000000029000000000000006700000000000000a5',
    '000000000000003e000000000000003e000000000000007d',
    '000000010000000100000002',
    '000000000000000200000000000000010000000000000007',
    // trailer: footer start, footer length, footer crc, magic
    '0000000000000122',
    '00000094',
    '61d28a0a',
    '574549524c4f4746',
  ].join('');
  assert.equal(fileOf(sample).toString('hex'), golden);
  assert.equal(parseLogFile(Buffer.from(golden, 'hex')).sections.length, 3);
});

test('parses what a file contains', () => {
  const file = parseLogFile(fileOf(sample));
  assert.deepEqual(file, {
    version: 1,
    clusterId,
    fileId,
    headerBytes: 41,
    fileBytes: 462,
    sections: [
      { topicId: topicIdOf(1), partition: 0, byteStart: 41, byteLength: 62, batchCount: 1, recordCount: 2 },
      { topicId: topicIdOf(1), partition: 7, byteStart: 103, byteLength: 62, batchCount: 1, recordCount: 1 },
      { topicId: topicIdOf(2), partition: 1, byteStart: 165, byteLength: 125, batchCount: 2, recordCount: 7 },
    ],
  });
});

test('any batches are returned sorted, in order of arrival within a section, and not copied', () => {
  fc.assert(
    fc.property(anyBatches, (batches) => {
      const { slices, fileBytes, placed } = buildLogFile({ clusterId, fileId, batches });
      for (const { bytes } of batches) assert.ok(slices.includes(bytes), 'a slice is the very buffer');
      const bytes = Buffer.concat(slices);
      assert.equal(bytes.length, fileBytes);
      const { order, byteStart } = placed;
      assert.deepEqual([order.length, byteStart.length], [batches.length, batches.length]);

      for (const [index, { bytes: batch }] of batches.entries()) {
        const start = byteStart[index]!;
        assert.ok(bytes.subarray(start, start + batch.length).equals(batch));
      }
      const inFile = [...order.keys()].sort((a, b) => order[a]! - order[b]!);
      assert.deepEqual(
        inFile.map((index) => byteStart[index]!),
        [...byteStart].sort((a, b) => a - b),
      );

      const file = parseLogFile(bytes);
      const found = file.sections.flatMap((section) => {
        const { topicId, partition, byteStart, byteLength } = section;
        const part = bytes.subarray(byteStart, byteStart + byteLength);
        return batchesOfSection(section, part).map((batch) => ({ topicId, partition, bytes: batch }));
      });
      const expected = batches
        .map((batch, index) => ({ batch, index, id: Buffer.from(batch.topicId, 'base64url') }))
        .sort((a, b) => a.id.compare(b.id) || a.batch.partition - b.batch.partition || a.index - b.index)
        .map(({ batch }) => batch);
      assert.deepEqual(found, expected);
      const records = batches.reduce((sum, batch) => sum + batch.bytes.readInt32BE(57), 0);
      assert.equal(
        file.sections.reduce((sum, { recordCount }) => sum + recordCount, 0),
        records,
      );
    }),
  );
});

test('every change of one byte of header, footer or trailer is detected', () => {
  const whole = fileOf(sample);
  const { headerBytes, sections } = parseLogFile(whole);
  const footerStart = sections.at(-1)!.byteStart + sections.at(-1)!.byteLength;
  for (let at = 0; at < whole.length; at++) {
    if (at >= headerBytes && at < footerStart) continue;
    for (const flip of [1, 0x10, 0x80, 0xff]) {
      const changed = Buffer.from(whole);
      changed[at]! ^= flip;
      assert.throws(() => parseLogFile(changed), LogFileError, `byte ${at} changed by ${flip}`);
    }
  }
});

test('any change of one byte outside the batches of any file is detected', () => {
  fc.assert(
    fc.property(anyBatches, fc.nat(), fc.integer({ min: 1, max: 255 }), (batches, position, flip) => {
      const changed = fileOf(batches);
      const { headerBytes, sections } = parseLogFile(changed);
      const dataBytes = sections.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const at = position % (changed.length - dataBytes);
      changed[at < headerBytes ? at : at + dataBytes]! ^= flip;
      assert.throws(() => parseLogFile(changed), LogFileError);
    }),
  );
});

test('a truncated file, or one with extra bytes, is rejected', () => {
  const whole = fileOf(sample);
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => parseLogFile(whole.subarray(0, length)), LogFileError);
  }
  assert.throws(() => parseLogFile(Buffer.concat([whole, Buffer.from([0])])), LogFileError);
});

test('random bytes are rejected with one error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      assert.throws(() => parseLogFile(Buffer.from(noise)), LogFileError);
    }),
  );
});

test('a section that does not match the footer is rejected', () => {
  const whole = fileOf(sample);
  const section = parseLogFile(whole).sections[2]!;
  const bytes = whole.subarray(section.byteStart, section.byteStart + section.byteLength);
  assert.equal(batchesOfSection(section, bytes).length, 2);
  assert.throws(() => batchesOfSection(section, bytes.subarray(1)), LogFileError);
  assert.throws(() => batchesOfSection({ ...section, batchCount: 3 }, bytes), LogFileError);
  for (const length of [-20, 0, 48, 1_000_000]) {
    const changed = Buffer.from(bytes);
    changed.writeInt32BE(length, 8);
    assert.throws(() => batchesOfSection(section, changed), LogFileError, `length ${length}`);
  }
});

test('reads a stored file without its records', async () => {
  const store = emptyMemoryStore();
  const partitions = (count: number) =>
    Array.from({ length: count }, (_, partition) => ({ ...sample[0]!, partition }));
  for (const [name, batches] of [
    ['empty', []],
    ['small', sample],
    // Its footer is longer than the tail that is read first.
    ['large', partitions(5000)],
  ] as const) {
    const key = logFileKey(clusterId, fileId);
    const { slices, fileBytes } = buildLogFile({ clusterId, fileId, batches });
    await store.put(key, slices);
    const file = await readLogFile(store, key);
    assert.equal(file.fileBytes, fileBytes, name);
    assert.deepEqual(file, parseLogFile(Buffer.concat(slices)), name);
  }
  await assert.rejects(readLogFile(store, 'missing'), { name: 'ObjectNotFound' });
  await store.put('short', [Buffer.alloc(trailerBytes - 1)]);
  await assert.rejects(readLogFile(store, 'short'), LogFileError);
});

test('an invalid batch, topic or partition is rejected when a file is built', () => {
  const good = sample[0]!;
  const refused: readonly [batch: BatchToStore, problem: RegExp][] = [
    [{ ...good, topicId: 'topic' }, /not a topic id/],
    [{ ...good, topicId: `${good.topicId}=` }, /not a topic id/],
    [{ ...good, partition: -1 }, /not a partition/],
    [{ ...good, partition: 2 ** 31 }, /not a partition/],
    [{ ...good, bytes: Buffer.alloc(0) }, /one record batch/],
    [{ ...good, bytes: Buffer.concat([good.bytes, good.bytes]) }, /one record batch/],
    [{ ...good, bytes: batchOf(-1, Buffer.alloc(0)) }, /one record batch/],
  ];
  for (const [batch, problem] of refused) {
    assert.throws(() => buildLogFile({ clusterId, fileId, batches: [batch] }), problem);
  }
  assert.throws(() => buildLogFile({ clusterId: '', fileId, batches: [] }), /cluster id/);
  assert.throws(() => buildLogFile({ clusterId, fileId: 'x', batches: [] }), /file id/);
});

function hex(int32: number): string {
  return int32.toString(16).padStart(8, '0');
}

test('a file under another id differs in its header alone', () => {
  const otherId = '018bcfe56800000020123456789abcde';
  const { slices } = buildLogFile({ clusterId, fileId, batches: sample });
  const other = Buffer.concat(withFileId(slices, clusterId, otherId));
  assert.deepEqual(
    other,
    Buffer.concat(buildLogFile({ clusterId, fileId: otherId, batches: sample }).slices),
  );
  assert.equal(parseLogFile(other).fileId, otherId);
});
