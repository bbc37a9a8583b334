import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  mayHaveOldPassword,
  oldPasswordAt,
  readScramCredential,
  type StoredPassword,
  writeScramCredential,
} from './scram-entry.ts';

const key = (byte: number) => Buffer.alloc(64, byte);
const plain = { iterations: 8192, salt: Buffer.from('salt'), storedKey: key(1), serverKey: key(2) };
const old = { storedKey: key(3), serverKey: key(4), endsMs: 2_000 };

const entries: readonly [what: string, password: StoredPassword, columns: number][] = [
  ['one of an earlier release', plain, 4],
  ['one with its time', { ...plain, createdMs: 1_000 }, 5],
  ['two', { ...plain, createdMs: 1_000, old: { ...old, createdMs: 500 } }, 9],
  ['two, the old one of an earlier release', { ...plain, createdMs: 1_000, old }, 9],
  ['two without a salt', { ...plain, salt: Buffer.alloc(0), createdMs: 1, old }, 9],
];

for (const [what, password, columns] of entries) {
  test(`passwords of an entry: ${what}`, () => {
    const value = writeScramCredential(password);
    assert.deepEqual(readScramCredential(value), password);
    assert.equal(mayHaveOldPassword(value), password.old !== undefined);
    const written = JSON.parse(value.toString()) as unknown[];
    assert.equal(written.length, columns);
    // How earlier releases read an entry: they know the current password alone.
    const [iterations, ...secrets] = written as [number, string, string, string];
    const [salt, storedKey, serverKey] = secrets.map((secret) => Buffer.from(secret, 'base64'));
    const { salt: ownSalt } = password;
    assert.deepEqual({ iterations, salt, storedKey, serverKey }, { ...plain, salt: ownSalt });
  });
}

test('an old password is accepted until its end', () => {
  const password = { ...plain, createdMs: 1_000, old };
  assert.equal(oldPasswordAt(password, 1_999), old);
  assert.equal(oldPasswordAt(password, 2_000), undefined);
  assert.equal(oldPasswordAt(plain, 0), undefined);
});
