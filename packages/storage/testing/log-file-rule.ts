import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@weir/core';
import { buildLogFile } from '../src/log-file/build-log-file.ts';
import { logFileKey, newFileId } from '../src/log-file/file-id.ts';
import { readLogFile } from '../src/log-file/read-log-file.ts';
import type { ObjectStore } from '../src/store/object-store.ts';

interface LogFileRuleOptions {
  readonly open: () => Promise<ObjectStore>;
  /** Why the test cannot run; `false` if it can. */
  readonly skip: string | false;
}

/** A test of a store behind a foreign server: the bytes and the sections of a large log file. */
export function logFileRule({ open, skip }: LogFileRuleOptions): void {
  test('a log file goes there and back', { skip }, async () => {
    const store = await open();
    const bytes = Buffer.alloc(200_000, 7);
    bytes.writeInt32BE(bytes.length - 12, 8);
    bytes.writeInt32BE(12, 57);
    const fileId = newFileId(systemClock.nowMs(), systemRandom);
    const batches = Array.from({ length: 40 }, (_, i) => ({
      topicId: Buffer.alloc(16, i % 3).toString('base64url'),
      partition: i % 7,
      bytes,
    }));
    const { slices, fileBytes } = buildLogFile({ clusterId: 'vci_1', fileId, batches });
    const key = logFileKey('vci_1', fileId);
    await store.put(key, slices);
    const file = await readLogFile(store, key);
    assert.equal(file.fileBytes, fileBytes);
    assert.equal(file.sections.length, 21);
    assert.ok((await store.getRange(key, 0, fileBytes)).equals(Buffer.concat(slices)));
    await store.close();
  });
}
