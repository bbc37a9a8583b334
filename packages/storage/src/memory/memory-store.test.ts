import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { dropMemoryBucket, openMemoryStore } from './memory-store.ts';

objectStoreContract('memory', { open: async () => emptyMemoryStore() });

test('stores of one name share their objects, until the bucket is dropped', async () => {
  const [one, two, other] = ['shared', 'shared', 'other'].map((name) =>
    openMemoryStore(name, { clock: systemClock }),
  );
  await one!.put('key', [Buffer.from('x')]);
  await one!.close();
  assert.equal((await two!.head('key'))?.bytes, 1);
  assert.equal(await other!.head('key'), undefined);
  dropMemoryBucket('shared');
  assert.equal(await two!.head('key'), undefined);
});
