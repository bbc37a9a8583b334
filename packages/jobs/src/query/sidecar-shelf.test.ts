import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestStore } from '@weir/broker/testing';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { readSidecarKey, sidecarKey } from './sidecar-names.ts';
import { SidecarShelf } from './sidecar-shelf.ts';

const never = new AbortController().signal;

test('the name of a sidecar contains all its metadata', () => {
  const named = {
    fromOffset: 5,
    toOffset: 12_345_678,
    minTimeMs: 1_700_000_000_000,
    maxTimeMs: 1_700_000_003_600,
  };
  const key = sidecarKey('vci_1', 'aB-_9', named);
  assert.equal(
    key,
    'service/vci_1/event-sidecars/v1/aB-_9/0000000000000005-0000000012345678.1700000000000-1700000003600',
  );
  assert.deepEqual(readSidecarKey(key), { topicId: 'aB-_9', ...named });
  for (const other of ['service/vci_1/ab/x', `${key}.part`, 'service/vci_1/event-sidecars/v1/t/5-6.1-2'])
    assert.equal(readSidecarKey(other), undefined, other);
  assert.throws(() => sidecarKey('vci_1', '../x', named), /topic id/);
});

test('sidecars are listed, the longer one of two that overlap is used, and parts of it are read', async () => {
  const store = new TestStore();
  const clock = new HandClock();
  const shelf = new SidecarShelf({ clusterId: 'vci_1', store, clock });
  const put = (fromOffset: number, toOffset: number) =>
    store.put(sidecarKey('vci_1', 't', { fromOffset, toOffset, minTimeMs: 1, maxTimeMs: 2 }), [
      Buffer.from(`${fromOffset}-${toOffset}`),
    ]);
  const covering = async (from: number, to: number) =>
    (await shelf.covering('t', from, to)).map(({ fromOffset, toOffset }) => [fromOffset, toOffset]);
  await put(0, 10);
  await put(0, 20);
  await put(15, 30);
  await put(20, 40);
  assert.deepEqual(await covering(0, 100), [
    [0, 20],
    [20, 40],
  ]);
  assert.deepEqual(await covering(20, 25), [[20, 40]]);
  assert.deepEqual(await shelf.covering('other', 0, 9), []);
  await put(40, 50);
  assert.deepEqual(await covering(40, 50), [], 'a list is cached for a while');
  clock.advance(15_000);
  assert.deepEqual(await covering(40, 50), [[40, 50]]);
  const [sidecar] = await shelf.covering('t', 0, 1);
  assert.equal(sidecar!.byteLength, 4);
  const parts = await shelf.read(
    sidecar!,
    [
      { start: 0, end: 1 },
      { start: 2, end: 4 },
    ],
    never,
  );
  assert.deepEqual(
    parts.map((part) => Buffer.from(part).toString()),
    ['0', '20'],
  );
});

test('a failed listing is repeated', async () => {
  const store = new TestStore();
  const shelf = new SidecarShelf({ clusterId: 'vci_1', store, clock: systemClock });
  const { list } = store;
  store.list = () => {
    throw new Error('away');
  };
  await assert.rejects(shelf.covering('t', 0, 1), /away/);
  store.list = list;
  assert.deepEqual(await shelf.covering('t', 0, 1), []);
});
