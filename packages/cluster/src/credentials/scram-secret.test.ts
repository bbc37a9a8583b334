import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isPasswordOf, newScramCredential, scramCredentialOf, scramIterations } from './scram-secret.ts';

test('the keys are those of RFC 5802 with SHA-512', async () => {
  // Computed with an independent implementation: Python's hashlib and hmac.
  const { storedKey, serverKey } = await scramCredentialOf(
    'pencil',
    Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ=='),
    4096,
  );
  assert.deepEqual(
    [storedKey, serverKey].map((key) => Buffer.from(key).toString('base64')),
    [
      'vd+Jwvx1qinSs4obj8WyTMJhZLM5lq+wFwwQ4h7p6uFlRjxZ/l+ORxTsjORMvrCulNt71KxQNm69DqvRNhJW6A==',
      'Xrx2osxW10mlJCPmFg7N4BiKp8vhgWc7hkrd+xYH7chCpdCL0Px7o0YYXWDln/W6QquYhXWDtWv7ptn5gX/IWw==',
    ],
  );
});

test('only the right password verifies', async () => {
  const credential = await newScramCredential('pässword', randomBytes);
  assert.equal(credential.iterations, scramIterations);
  const cases: [password: string, isIt: boolean][] = [
    ['pässword', true],
    ['password', false],
    ['pässword ', false],
    ['', false],
  ];
  for (const [password, isIt] of cases)
    assert.equal(await isPasswordOf(password, credential), isIt, password);
});

test('two users with the same password have different stored keys', async () => {
  const [one, two] = [
    await newScramCredential('same', randomBytes),
    await newScramCredential('same', randomBytes),
  ];
  assert.notDeepEqual(one!.salt, two!.salt);
  assert.notDeepEqual(one!.storedKey, two!.storedKey);
});

test('damaged keys verify no password', async () => {
  const credential = await newScramCredential('secret', randomBytes);
  const broken = Buffer.from(credential.storedKey);
  broken[0]! ^= 1;
  assert.equal(await isPasswordOf('secret', { ...credential, storedKey: broken }), false);
  assert.equal(await isPasswordOf('secret', { ...credential, serverKey: Buffer.alloc(0) }), false);
});
