import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32c } from '@node-rs/crc32';
import { KiB } from '@weir/core';
import { batchOf, topicIdOf } from '../../testing/batches.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { aroundStore } from '../store/around.ts';
import { buildLogFile } from './build-log-file.ts';
import { logFileKey } from './file-id.ts';
import { batchAt } from './layout.ts';
import { LogFileError } from './log-file-error.ts';
import { openLogFile } from './open-log-file.ts';
import { readSectionBatches } from './section-batches.ts';

const clusterId = 'vci_test';
const fileId = '018bcfe56800000010123456789abcde';
const key = logFileKey(clusterId, fileId);

/** A batch with its checksum. */
function whole(payload: string): Buffer {
  const bytes = batchOf(1, Buffer.from(payload));
  bytes.writeUInt32BE(crc32c(bytes.subarray(batchAt.attributes)), batchAt.crc);
  return bytes;
}

/** Three sections, the second with two batches. */
const batches = [
  { topicId: topicIdOf(1), partition: 0, bytes: whole('a') },
  { topicId: topicIdOf(1), partition: 1, bytes: whole('b') },
  { topicId: topicIdOf(1), partition: 1, bytes: whole('c') },
  { topicId: topicIdOf(2), partition: 0, bytes: whole('d') },
];
const bytes = Buffer.concat(buildLogFile({ clusterId, fileId, batches }).slices);

/** Reads all batches of a file, and counts requests. */
async function readAll(
  content: Buffer,
  sizes: { readonly listedBytes: number; readonly wholeBytesMax: number },
) {
  const inner = emptyMemoryStore();
  await inner.put(key, [content]);
  const requests: string[] = [];
  const store = aroundStore(inner, ({ operation, run, signal }) => {
    requests.push(operation);
    return run(signal);
  });
  const { fileBytes, sections, source } = await openLogFile(store, key, sizes);
  const read: Buffer[] = [];
  for (const section of sections)
    for await (const batch of readSectionBatches(source, key, section)) read.push(batch.bytes);
  return { fileBytes, read, requests };
}

const written = batches.map((batch) => batch.bytes);

test('a small file costs one request', async () => {
  const sizes = { listedBytes: bytes.length, wholeBytesMax: 64 * KiB };
  assert.deepEqual(await readAll(bytes, sizes), {
    fileBytes: bytes.length,
    read: written,
    requests: ['getRange'],
  });
});

test('a larger file is read piece by piece', async () => {
  const { read, requests } = await readAll(bytes, { listedBytes: bytes.length, wholeBytesMax: bytes.length });
  assert.deepEqual(read, written);
  assert.deepEqual(requests, ['head', ...Array(2 + 3).fill('getRange')]);
});

test('a list that was made while the file was stored does no harm', async () => {
  for (const wholeBytesMax of [64 * KiB, bytes.length, bytes.length - 1, 100]) {
    const { fileBytes, read } = await readAll(bytes, { listedBytes: 1, wholeBytesMax });
    assert.equal(fileBytes, bytes.length);
    assert.deepEqual(read, written);
  }
});

test('a part of a file is none, and damage is found', async () => {
  const sizes = { listedBytes: bytes.length, wholeBytesMax: 64 * KiB };
  for (const length of [0, 20, 60, bytes.length - 1])
    await assert.rejects(readAll(bytes.subarray(0, length), sizes), LogFileError, `${length} bytes`);
  const damaged = Buffer.from(bytes);
  damaged[120]! ^= 1;
  await assert.rejects(readAll(damaged, sizes), LogFileError);
});
