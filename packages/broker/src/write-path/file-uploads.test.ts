import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogFields, silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { StoreError } from '@weir/storage';
import { one } from '../../testing/held-commits.ts';
import { append, startWritePath } from '../../testing/write-path-stage.ts';

test('a bucket without space is one line, one a minute, and one when uploads succeed again', async () => {
  const lines: string[] = [];
  const note = (message: string, { error, repeated, failureCount }: LogFields = {}) =>
    void lines.push([message, error, repeated, failureCount].filter((part) => part !== undefined).join(', '));
  const path = await startWritePath({
    flush: { compressedBytesMax: 1 },
    log: { ...silentLog, error: note, info: note },
  });
  const upload = async () => {
    append(path, [one(path.topicId, 'a')]);
    await settle();
  };
  let problem = 'the disk is full (ENOSPC)';
  path.store.beforePut = () => Promise.reject(new StoreError('full', `file ${path.store.puts}`, problem));
  for (let n = 0; n < 100; n++) await upload();
  path.clock.advance(60_000);
  await upload();
  problem = 'the quota is used up (EDQUOT)';
  await upload();
  path.store.beforePut = () => Promise.resolve();
  await upload();
  await upload();
  assert.deepEqual(lines, [
    'failed to upload file, the disk is full (ENOSPC)',
    'failed to upload file, the disk is full (ENOSPC), 99',
    'failed to upload file, the quota is used up (EDQUOT)',
    'recovered uploads of files, 102',
  ]);
});
