import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { withPatience } from '../open-store.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** A store whose lists are these pages, whatever is asked, behind the decorators of every store. */
function storeOf(pages: () => Iterable<readonly string[]>): ObjectStore {
  const inner: ObjectStore = {
    ...emptyMemoryStore(),
    async *list() {
      for (const page of pages()) yield page.map((key) => ({ key, bytes: 1, modifiedMs: 0 }));
    },
  };
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
  return withPatience(inner, { ...deps, name: 'hostile', isRemote: false });
}

async function keysOf(store: ObjectStore, startAfter?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of store.list('a/', { startAfter })) keys.push(...page.map(({ key }) => key));
  return keys;
}

test('a list in order is as the store has it, over empty pages', async () => {
  const pages = [['a/1'], [], ['a/\uffff', 'a/\u{1f600}']];
  assert.deepEqual(await keysOf(storeOf(() => pages)), pages.flat());
});

test('a list does not begin before the key behind which it has to', async () => {
  const pages = [['a/1'], ['a/2', 'a/3']];
  assert.deepEqual(
    await keysOf(
      storeOf(() => pages),
      'a/2',
    ),
    ['a/3'],
  );
});

test('a list that begins again and again is an error', async () => {
  function* endless() {
    for (;;) yield ['a/1', 'a/2'];
  }
  await assert.rejects(keysOf(storeOf(endless)), { kind: 'invalid', message: /another order/ });
});

test('a list in another order is an error, within a page and between two', async () => {
  for (const pages of [[['a/2', 'a/1']], [['a/2'], ['a/1']], [['a/\u{1f600}', 'a/\uffff']]])
    await assert.rejects(keysOf(storeOf(() => pages)), { kind: 'invalid', message: /another order/ });
});

test('keys that do not begin with the prefix are an error', async () => {
  await assert.rejects(keysOf(storeOf(() => [['a']])), { kind: 'invalid', message: /the prefix/ });
});
