import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { aroundStore, type ObjectStore, StoreError } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { checkBucket } from './bucket-check.ts';

/** A store that denies its first listings. */
function denying(times: number, seen: string[] = []): ObjectStore {
  let left = times;
  return aroundStore(emptyMemoryStore(), async ({ operation, key, signal, run }) => {
    seen.push(operation);
    if (operation === 'list' && left-- > 0)
      throw new StoreError('denied', key, 'S3 returned 403\nAccessDenied');
    return await run(signal);
  });
}

function stage(store: ObjectStore, more: { url?: string; isSkipped?: boolean; retries?: number } = {}) {
  const clock = new HandClock();
  const stop = new AbortController();
  const checked = checkBucket({
    values: {
      skipBucketsPermissionCheck: more.isSkipped ?? false,
      checkBucketAccessRetryCount: more.retries ?? 3,
    },
    setting: '-bucketURL',
    bucketUrl: more.url ?? 's3://key:secret@orders?region=eu-west-1&prefix=eu',
    store,
    folder: 'service/vci_1/probes/',
    deletes: true,
    clock,
    log: silentLog,
    stop: stop.signal,
  });
  return { checked, clock, stop };
}

const refusal = {
  name: 'Failure',
  message:
    '-bucketURL: s3://orders?prefix=eu: the credentials may not list objects (s3:ListBucket): S3 returned 403 AccessDenied; allow it',
};

test('a permission that is missing is one line, without secrets', async () => {
  await assert.rejects(stage(denying(1), { retries: 0 }).checked, refusal);
});

test('the check is repeated as often as the flag says, with longer and longer pauses', async () => {
  const { checked, clock } = stage(denying(3));
  await clock.until(checked);
  assert.equal(clock.monotonicMs(), 7_000);
  const failing = stage(denying(4));
  await assert.rejects(failing.clock.until(failing.checked), refusal);
  assert.equal(failing.clock.monotonicMs(), 7_000);
});

test('nothing is sent if the check is off, or the bucket is in memory', async () => {
  const seen: string[] = [];
  await stage(denying(1, seen), { isSkipped: true }).checked;
  await stage(denying(1, seen), { url: 'mem://orders' }).checked;
  assert.deepEqual(seen, []);
});

test('a stop ends the check', async () => {
  const { checked, clock, stop } = stage(denying(9));
  const ended = assert.rejects(checked, { name: 'AbortError' });
  await settle();
  stop.abort();
  await ended;
  assert.equal(clock.waiting, 0);
});
