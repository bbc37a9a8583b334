import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retainedCopy } from './retained-copy.ts';

test('a retained copy has the same bytes and memory of its own', () => {
  const original = Buffer.from('six by');
  const copy = retainedCopy(original);
  assert.equal(copy.toString(), 'six by');
  assert.equal(copy.buffer.byteLength, 6);
  original.fill(0);
  assert.equal(copy.toString(), 'six by');
});
