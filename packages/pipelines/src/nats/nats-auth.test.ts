import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { keyOf, loginOf } from './nats-auth.ts';

/** A key of NATS's documentation. */
const seed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
const publicKey = 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4';
const noKeys = { nkey_file: '', user_credentials_file: '', user_jwt: '', user_nkey_seed: '' };

test('a seed has its public key, and signs', () => {
  const key = keyOf(`some text\n${seed}\n`);
  assert.equal(key.publicKey, publicKey);
  const signature = Buffer.from(key.sign('nonce'), 'base64url');
  const bits = [...publicKey].map((sign) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'),
  );
  const raw = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  ).subarray(1, 33);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
  assert.ok(
    verify(
      null,
      Buffer.from('nonce'),
      createPublicKey({ key: spki, format: 'der', type: 'spki' }),
      signature,
    ),
  );
});

test('what is no seed of a user is refused, and not repeated', () => {
  for (const text of ['', publicKey, seed.replace('SUAC', 'SUAD'), seed.slice(0, -1), `SA${seed.slice(2)}`])
    assert.throws(
      () => keyOf(text),
      (error: Error) => /none of the NKey/.test(error.message) && !error.message.includes('CSSL3'),
    );
});

test('logins by URL and by token', async () => {
  // biome-ignore format: a table
  const cases: readonly [username: string, password: string, expected: object][] = [
    ['',  '',  {}],
    ['u', 'p', { user: 'u', pass: 'p' }],
    ['t', '',  { auth_token: 't' }],
  ];
  for (const [username, password, expected] of cases)
    assert.deepEqual(await loginOf(noKeys, { username, password }, ''), expected);
  const jwt = await loginOf(
    { ...noKeys, user_jwt: 'j', user_nkey_seed: seed },
    { username: 'u', password: '' },
    'n',
  );
  assert.deepEqual(jwt, { jwt: 'j', sig: keyOf(seed).sign('n') });
});
