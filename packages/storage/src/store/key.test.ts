import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentBytes, joinSmallSlices } from './content.ts';
import { checkKey, compareKeys } from './key.ts';
import { StoreError } from './store-error.ts';

test('keys compare by their bytes', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareKeys(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('a valid key is a path below its root', () => {
  const unit = fc.constantFrom('a', '.', '/', '\\', ' ', 'é', '\0', '\u{1f600}');
  fc.assert(
    fc.property(fc.string({ unit }), (key) => {
      try {
        checkKey(key);
      } catch (error) {
        assert.ok(error instanceof StoreError && error.kind === 'invalid');
        return;
      }
      assert.equal(new URL(`x://h/${encodeURI(key)}`).pathname, `/${encodeURI(key)}`);
      assert.ok(!key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..'));
    }),
  );
});

test('the limit of a key counts bytes', () => {
  checkKey('é'.repeat(512));
  assert.throws(() => checkKey('é'.repeat(513)), /1024 bytes/);
  assert.throws(() => checkKey('\ud800'), /well-formed/);
});

test('joining slices changes their number and not their bytes', () => {
  const slice = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.integer({ min: 4000, max: 4200 }).map((n) => new Uint8Array(n)),
  );
  fc.assert(
    fc.property(fc.array(slice), (content) => {
      const joined = joinSmallSlices(content);
      assert.ok(Buffer.concat(joined).equals(Buffer.concat(content)));
      assert.equal(contentBytes(joined), contentBytes(content));
      assert.ok(joined.length <= 1 + 2 * content.filter(({ length }) => length >= 4096).length);
    }),
  );
});
