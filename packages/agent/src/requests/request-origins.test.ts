import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestOrigins } from './request-origins.ts';

test('a connection has a constant unique id and numbers its requests', () => {
  const origins = [new RequestOrigins(), new RequestOrigins()];
  const signals = [0, 1].map(() => new AbortController().signal);
  const names = new Set<string>();
  for (const one of origins) {
    for (const signal of signals) {
      const first = one.next(signal);
      assert.deepEqual(one.next(signal), { ...first, request: first.request + 1 });
      names.add(first.connection);
    }
  }
  assert.equal(names.size, 4);
});
