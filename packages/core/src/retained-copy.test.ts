import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetainedCopies, retainedCopy } from './retained-copy.ts';

test('a retained copy has the same bytes and memory of its own', () => {
  const original = Buffer.from('six by');
  const copy = retainedCopy(original);
  assert.equal(copy.toString(), 'six by');
  assert.equal(copy.buffer.byteLength, 6);
  original.fill(0);
  assert.equal(copy.toString(), 'six by');
});

test('retained copies of small values share pages, and a large one has memory of its own', () => {
  const copies = new RetainedCopies();
  const lengths = [...Array.from({ length: 200 }, (_, number) => number * 20), 4096, 4097, 0, 1];
  const originals = lengths.map((length, number) => Buffer.alloc(length, number));
  const kept = originals.map((original) => copies.copy(original));
  for (const original of originals) original.fill(0xff);
  for (const [number, { page, start }] of kept.entries()) {
    const copy = page.subarray(start, start + lengths[number]!);
    assert.deepEqual(copy, Buffer.alloc(lengths[number]!, number), `value ${number}`);
  }
  assert.equal(kept.at(-3)!.page.buffer.byteLength, 4097);
  const pages = new Set(kept.map(({ page }) => page));
  assert.ok(pages.size < 40, String(pages.size));
});
