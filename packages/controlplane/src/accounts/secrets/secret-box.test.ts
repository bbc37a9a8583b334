import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSecretBox } from './secret-box.ts';

const first = Buffer.alloc(32, 1);
const second = Buffer.alloc(32, 2);
const box = createSecretBox([first], randomBytes);

test('secret box: a sealed secret opens again, and the text is not in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string(), (secret, purpose) => {
      assert.equal(box.open(box.seal(secret, purpose), purpose), secret);
    }),
  );
  assert.notEqual(box.seal('same', 'x'), box.seal('same', 'x'));
  assert.equal(box.seal('the secret', 'x').includes(Buffer.from('the secret').toString('base64url')), false);
});

test('secret box: nothing else opens', () => {
  const sealed = box.seal('secret', 'ssoi_1');
  const cases: [what: string, open: () => string, problem: RegExp][] = [
    ['for another purpose', () => box.open(sealed, 'ssoi_2'), /another purpose/],
    [
      'with another key',
      () => createSecretBox([second], randomBytes).open(sealed, 'ssoi_1'),
      /sealing keys lacks/,
    ],
    ['nothing', () => box.open('', 'ssoi_1'), /format of a sealed secret/],
    ['a word', () => box.open('secret', 'ssoi_1'), /format of a sealed secret/],
    ['too short', () => box.open(`${sealed.slice(0, 16)}AAAA`, 'ssoi_1'), /format of a sealed secret/],
  ];
  for (const [what, open, problem] of cases) assert.throws(open, problem, what);
});

test('secret box: a change of any bit is detected', () => {
  const sealed = box.seal('secret', 'x');
  const head = sealed.slice(0, 'v1.0123456789ab.'.length);
  const bytes = Buffer.from(sealed.slice(head.length), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => box.open(head + changed.toString('base64url'), 'x'), /was changed/);
  }
});

test('secret box: keys are replaced one after the other', () => {
  const old = createSecretBox([first], randomBytes).seal('secret', 'x');
  const both = createSecretBox([second, first], randomBytes);
  assert.equal(both.open(old, 'x'), 'secret');
  assert.equal(createSecretBox([second], randomBytes).open(both.seal('secret', 'x'), 'x'), 'secret');
});
