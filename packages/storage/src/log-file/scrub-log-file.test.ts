import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32c } from '@node-rs/crc32';
import { MiB } from '@weir/core';
import fc from 'fast-check';
import { anyBatches, batchOf, topicIdOf } from '../../testing/batches.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { type BatchToStore, buildLogFile } from './build-log-file.ts';
import { logFileKey } from './file-id.ts';
import { batchAt } from './layout.ts';
import { LogFileError } from './log-file-error.ts';
import { readLogFile } from './read-log-file.ts';
import { scrubLogFile } from './scrub-log-file.ts';
import { readSectionBatches } from './section-batches.ts';

const clusterId = 'vci_test';
const fileId = '018bcfe56800000010123456789abcde';
const key = logFileKey(clusterId, fileId);

/** The batch with its checksum. */
function whole(batch: BatchToStore): BatchToStore {
  const bytes = Buffer.from(batch.bytes);
  bytes.writeUInt32BE(crc32c(bytes.subarray(batchAt.attributes)), batchAt.crc);
  return { ...batch, bytes };
}

function fileOf(batches: readonly BatchToStore[]): Buffer {
  return Buffer.concat(buildLogFile({ clusterId, fileId, batches }).slices);
}

async function storeWith(bytes: Buffer, at = key) {
  const store = emptyMemoryStore();
  await store.put(at, [bytes]);
  return store;
}

test('any file is verified, and any changed byte is found', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyBatches.filter(({ length }) => length > 0),
      fc.nat(),
      async (batches, place) => {
        const bytes = fileOf(batches.map(whole));
        const { batchCount, fileBytes } = await scrubLogFile(await storeWith(bytes), key);
        assert.deepEqual([batchCount, fileBytes], [batches.length, bytes.length]);
        const { sections } = await readLogFile(await storeWith(bytes), key);
        // The checksum of a batch does not cover its base offset and leader epoch, nor its magic.
        const at = place % bytes.length;
        const uncovered = sections.some((section) => isUncovered(bytes, section, at));
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 0x55;
        const scrubbed = scrubLogFile(await storeWith(damaged), key);
        if (uncovered) await scrubbed;
        else await assert.rejects(scrubbed, LogFileError);
      },
    ),
  );
});

function isUncovered(bytes: Buffer, section: { byteStart: number; byteLength: number }, at: number): boolean {
  let start = section.byteStart;
  while (start < section.byteStart + section.byteLength) {
    const length = bytes.readInt32BE(start + batchAt.batchLength) + 12;
    if (at >= start && at < start + length) {
      const inBatch = at - start;
      return inBatch < batchAt.batchLength || (inBatch >= 12 && inBatch < batchAt.crc);
    }
    start += length;
  }
  return false;
}

test('sections of any size are read with bounded memory, batches larger than a read included', async () => {
  const sizes = [1, 5 * MiB, 100, 3 * MiB, 3 * MiB, 9 * MiB, 7];
  const batches = sizes.map((size, index) =>
    whole({ topicId: topicIdOf(1), partition: 0, bytes: batchOf(index, Buffer.alloc(size, index)) }),
  );
  const store = await storeWith(fileOf(batches));
  let largest = 0;
  const watched: typeof store = {
    ...store,
    async getRange(...args) {
      const bytes = await store.getRange(...args);
      largest = Math.max(largest, bytes.length);
      return bytes;
    },
  };
  const { sections } = await readLogFile(store, key);
  const found: number[] = [];
  for await (const { bytes } of readSectionBatches(watched, key, sections[0]!)) found.push(bytes.length - 61);
  assert.deepEqual(found, sizes);
  assert.equal(largest, 9 * MiB + 61);
});

test('a file under the key of another is named', async () => {
  const other = logFileKey(clusterId, fileId.replace('e56', 'e57'));
  const store = await storeWith(fileOf([]), other);
  await assert.rejects(scrubLogFile(store, other), { message: `log file: header: it is the file ${key}` });
});
