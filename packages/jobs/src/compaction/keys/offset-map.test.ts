import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OffsetMap } from './offset-map.ts';

test('a map has the latest offset of every key, short or long, as long as it has room', () => {
  // Keys that differ little, around the length from which on they are hashed.
  const key = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(fc.array(key), fc.integer({ min: 2, max: 30 }), (keys, entries) => {
      const map = new OffsetMap(24 * entries);
      const model = new Map<string, number>();
      const countMax = Math.max(1, Math.floor(entries * 0.9));
      for (const [offset, [length, kind]] of keys.entries()) {
        const bytes = Buffer.alloc(length, kind);
        const isKnown = model.has(bytes.toString('hex'));
        assert.equal(map.put(bytes, offset), isKnown || model.size < countMax);
        if (isKnown || model.size < countMax) model.set(bytes.toString('hex'), offset);
        assert.equal(map.get(bytes), model.get(bytes.toString('hex')) ?? -1);
      }
      for (const [text, offset] of model) assert.equal(map.get(Buffer.from(text, 'hex')), offset);
      assert.equal(map.count, model.size);
    }),
  );
});

test('a map for few keys takes little memory and has room for all of them', () => {
  const map = new OffsetMap(1e9, 10);
  for (let number = 0; number < 10; number++) assert.ok(map.put(Buffer.from(`key ${number}`), number));
  assert.equal(map.count, 10);
});
