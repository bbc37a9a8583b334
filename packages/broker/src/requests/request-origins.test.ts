import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestOrigins, repeatedOrigin } from './request-origins.ts';

test('a connection has a constant unique id and numbers its requests, with room for a repetition of each', () => {
  const origins = [new RequestOrigins(), new RequestOrigins()];
  const signals = [0, 1].map(() => new AbortController().signal);
  const names = new Set<string>();
  for (const one of origins) {
    for (const signal of signals) {
      const first = one.next(signal);
      const repeated = repeatedOrigin(first);
      const second = one.next(signal);
      assert.deepEqual(
        [first, repeated, second].map(({ connection }) => connection),
        Array(3).fill(first.connection),
      );
      assert.ok(first.request < repeated.request && repeated.request < second.request);
      names.add(first.connection);
    }
  }
  assert.equal(names.size, 4);
});
