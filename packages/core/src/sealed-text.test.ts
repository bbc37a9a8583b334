import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksSealed, sealedReference, sealedTextsIn, withOpened } from './sealed-text.ts';
import { SecretMissing } from './secret-reference.ts';

test('sealed secrets of a text are found, and replaced by their values', () => {
  const [a, b] = ['v1.0a.x-Y_z', 'v1.0b.q'];
  const text = `http://${sealedReference(a)}@one,http://${sealedReference(b)}@two`;
  assert.deepEqual(sealedTextsIn(text), [a, b]);
  assert.equal(withOpened(text, { [a]: 'me:$&', [b]: 'you' }), 'http://me:$&@one,http://you@two');
  assert.throws(() => withOpened(text, { [a]: 'me' }), SecretMissing);
});

test('a text without them stays as it is', () => {
  for (const text of ['', 'password', `\${secret:a}`, `\${sealed:}`, `\${sealed:a b}`]) {
    assert.deepEqual(sealedTextsIn(text), []);
    assert.equal(withOpened(text, {}), text);
  }
});

test('what users write cannot look like one', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    [sealedReference('v1.a.b'), true],
    [`\${sealed:}`, true],
    ['sealed:v1.a.b', false],
    [`\${secret:a}`, false],
  ];
  for (const [text, expected] of rows) assert.equal(looksSealed(text), expected, text);
});
