import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyBatches, batchOf, topicIdOf } from '../../testing/batches.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { CompactedFileWriter } from './compacted-file-writer.ts';
import { logFileKey } from './file-id.ts';
import { batchesOfSection, parseLogFile, readLogFile } from './read-log-file.ts';

const clusterId = 'vci_test';
const fileId = '018bcfe5680010000123456789abcdef';
const key = logFileKey(clusterId, fileId);

function begin(store = emptyMemoryStore()) {
  return CompactedFileWriter.begin(store, { clusterId, fileId, partsInFlightMax: 2 });
}

function piece(topic: number, partition: number, baseOffset: number, batches: readonly Buffer[]) {
  const recordCount = batches.reduce((sum, bytes) => sum + bytes.readInt32BE(57), 0);
  return {
    topicId: topicIdOf(topic),
    partition,
    bytes: Buffer.concat(batches),
    batchCount: batches.length,
    recordCount,
    baseOffset,
    nextOffset: baseOffset + recordCount,
  };
}

test('the golden compacted file: these bytes are in buckets and must remain readable', async () => {
  const store = emptyMemoryStore();
  const writer = await begin(store);
  await writer.append(piece(1, 7, 2 ** 40, [batchOf(2, Buffer.from('a'))]));
  await writer.append(piece(1, 7, 2 ** 40 + 5, [batchOf(1, Buffer.from('b'))]));
  const fileBytes = await writer.finish();
  const content = await store.getRange(key, 0, fileBytes);
  const body = (records: string, payload: string) =>
    `b7b7b7b7b7b7b7b700000032${'b7'.repeat(45)}${records}${payload}`;
  const golden = [
    '574549524c4f4746',
    '0002',
    '0029',
    fileId,
    '08',
    '7663695f74657374',
    'a54a2b1f',
    body('00000002', '61'),
    body('00000001', '62'),
    '00000001',
    '00000001',
    '00000000000000000000000000000001',
    '00000000',
    '00000007',
    '0000000000000029',
    '000000000000007c',
    '00000002',
    '0000000000000003',
    '0000010000000000',
    '0000010000000006',
    '00000000000000a5',
    '0000004c',
    '2f9cf4a8',
    '574549524c4f4746',
  ].join('');
  assert.equal(content.toString('hex'), golden);
  assert.deepEqual(parseLogFile(content), await readLogFile(store, key));
});

test('whatever is written in order is found again, with offsets', async () => {
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const store = emptyMemoryStore();
      const writer = await begin(store);
      const sorted = [...batches].sort(
        (a, b) =>
          Buffer.from(a.topicId, 'base64url').compare(Buffer.from(b.topicId, 'base64url')) ||
          a.partition - b.partition,
      );
      const expected = new Map<string, Buffer[]>();
      for (const [index, { topicId, partition, bytes }] of sorted.entries()) {
        const place = `${topicId} ${partition}`;
        expected.set(place, [...(expected.get(place) ?? []), bytes]);
        const baseOffset = index * 1000;
        const nextOffset = baseOffset + 1;
        const recordCount = bytes.readInt32BE(57);
        await writer.append({
          topicId,
          partition,
          bytes,
          batchCount: 1,
          recordCount,
          baseOffset,
          nextOffset,
        });
      }
      const fileBytes = await writer.finish();
      const file = await readLogFile(store, key);
      assert.equal(file.fileBytes, fileBytes);
      assert.equal(file.version, 2);
      const content = await store.getRange(key, 0, fileBytes);
      let next = 0;
      for (const section of file.sections) {
        const stored = content.subarray(section.byteStart, section.byteStart + section.byteLength);
        const found = batchesOfSection(section, stored);
        assert.deepEqual(found, expected.get(`${section.topicId} ${section.partition}`));
        assert.deepEqual(
          [section.baseOffset, section.nextOffset],
          [next * 1000, (next + found.length - 1) * 1000 + 1],
        );
        next += found.length;
      }
      assert.equal(file.sections.length, expected.size);
    }),
  );
});

test('pieces out of order are rejected, and an aborted file does not exist', async () => {
  const batch = batchOf(1, Buffer.from('x'));
  for (const [first, second] of [
    [piece(2, 0, 0, [batch]), piece(1, 0, 0, [batch])],
    [piece(1, 3, 0, [batch]), piece(1, 2, 0, [batch])],
    [piece(1, 0, 7, [batch]), piece(1, 0, 6, [batch])],
  ] as const) {
    const store = emptyMemoryStore();
    const writer = await begin(store);
    await writer.append(first);
    assert.throws(() => writer.append(second), RangeError);
    await writer.abort();
    assert.equal(await store.head(key), undefined);
  }
});
