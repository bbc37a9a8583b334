import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultPasswordCost, hashPassword, isOutdated, isPasswordOf } from './password-hash.ts';

const cheap = { memoryKiB: 64, passes: 1, parallelism: 1 };

test('passwords: hashes of the reference implementation of Argon2 are accepted', async () => {
  // biome-ignore format: a table
  const cases: [password: string, stored: string][] = [
    ['password',          '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    ['password',          '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    ['password',          '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc'],
    ['differentpassword', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94'],
  ];
  for (const [password, stored] of cases) {
    assert.equal(await isPasswordOf(password, stored), true, stored);
    assert.equal(await isPasswordOf(`${password}x`, stored), false, stored);
  }
});

test('passwords: a hash accepts its password and no other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (one, other) => {
      const stored = await hashPassword(one, cheap, randomBytes);
      assert.match(stored, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      assert.equal(await isPasswordOf(one, stored), true);
      assert.equal(await isPasswordOf(other, stored), one.normalize('NFKC') === other.normalize('NFKC'));
    }),
    { numRuns: 50 },
  );
});

test('passwords: the same password has another hash each time, and matches in any Unicode form', async () => {
  const composed = 'caf\u00e9 au lait';
  const stored = await hashPassword(composed, cheap, randomBytes);
  assert.notEqual(await hashPassword(composed, cheap, randomBytes), stored);
  assert.equal(await isPasswordOf('cafe\u0301 au lait', stored), true);
});

test('passwords: a hash of another cost is outdated', async () => {
  const stored = await hashPassword('x', cheap, randomBytes);
  assert.equal(isOutdated(stored, cheap), false);
  assert.equal(isOutdated(stored, defaultPasswordCost), true);
  for (const change of [{ memoryKiB: 65 }, { passes: 2 }, { parallelism: 2 }])
    assert.equal(isOutdated(stored, { ...cheap, ...change }), true);
});

test('passwords: an invalid or too expensive hash is refused and not shown', async () => {
  const tail = '$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const stored = [
    '',
    'plain',
    `$argon2i$v=19$m=64,t=1,p=1${tail}`,
    `$argon2id$v=16$m=64,t=1,p=1${tail}`,
    `$argon2id$v=19$m=99999999,t=1,p=1${tail}`,
    `$argon2id$v=19$m=64,t=9999,p=1${tail}`,
    `$argon2id$v=19$m=64,t=1,p=999${tail}`,
  ];
  for (const text of stored)
    await assert.rejects(isPasswordOf('x', text), (error: Error) => {
      assert.match(error.message, /^accounts: a stored password /);
      return text === '' || !error.message.includes(text);
    });
});
