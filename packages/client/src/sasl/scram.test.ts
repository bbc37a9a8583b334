import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeSaslLogin } from '../../testing/fake-sasl.ts';
import { SaslRefused } from './conversation.ts';
import { scramConversation } from './scram.ts';

/** Runs the exchange between a client and a server, and returns its outcome. */
async function logIn(
  [user, password]: readonly [string, string],
  users: Readonly<Record<string, string>>,
  spoil?: (message: string) => string,
): Promise<string> {
  const server = new FakeSaslLogin(
    { mechanisms: ['SCRAM-SHA-512'], users, ...(spoil === undefined ? {} : { spoil }) },
    'SCRAM-SHA-512',
  );
  const client = scramConversation(user, password);
  let message: Buffer | undefined = client.first();
  let isDone = false;
  while (message !== undefined) {
    const reply = server.reply(message);
    if ('refuse' in reply) return 'refused by the server';
    isDone = reply.isDone;
    try {
      message = await client.answer(reply.bytes);
    } catch (error) {
      if (!(error instanceof SaslRefused)) throw error;
      return error.message;
    }
  }
  return isDone ? 'logged in' : 'ended early';
}

/**
 * Nonces and salt of the example in RFC 5802; the proofs were computed with Python's hashlib, because the RFC has them
 * for SHA-1.
 */
const expectedFinal =
  'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,' +
  'p=VdS8LkrURiej1tG6iX+fqCXQfUnBb//d9llXYaH+ylUbDwBUz9geyR9fC4TewskRUM2tlYSalhAT4Aay1Q5dTA==';
const expectedServerFinal =
  'v=14PAAuavk9hxBEkgB0brDxUhvWu+N16meYk+qxVNFqchR8QPohM09Y4Z6WaTCuX4C6nqMB9KIJTDm6RpSM990g==';

test('a fixed exchange has the bytes that another implementation computed', async () => {
  const client = scramConversation('user', 'pencil', 'fyko+d2lbbFgONRv9qkxdawL');
  assert.equal(client.first().toString(), 'n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL');
  const serverFirst = 'r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096';
  const final = await client.answer(Buffer.from(serverFirst));
  assert.equal(final?.toString(), expectedFinal);
  assert.equal(await client.answer(Buffer.from(expectedServerFinal)), undefined);
});

test('SCRAM-SHA-256 has the bytes of the example in RFC 7677', async () => {
  const client = scramConversation('user', 'pencil', 'rOprNGfwEbeRWgbNEkqO', 'SCRAM-SHA-256');
  const serverFirst =
    'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096';
  const final = await client.answer(Buffer.from(serverFirst));
  assert.equal(
    final?.toString(),
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  );
  const serverFinal = 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=';
  assert.equal(await client.answer(Buffer.from(serverFinal)), undefined);
});

test('every user logs in with the right password, and with no other', async () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(word, word, word, async (user, password, other) => {
      assert.equal(await logIn([user, password], { [user]: password }), 'logged in');
      const ended = await logIn([user, other], { [user]: password });
      assert.equal(ended, other === password ? 'logged in' : 'refused by the server');
    }),
    { numRuns: 30 },
  );
});

test('special characters in a name are escaped', () => {
  const [, name] = /^n,,n=(.*),r=/.exec(scramConversation('a=b,c', 'p').first().toString())!;
  assert.equal(name, 'a=3Db=2Cc');
});

test('a server that does not prove itself is rejected', async () => {
  const cases: readonly [spoil: (message: string) => string, ended: RegExp][] = [
    [
      (message) => message.replace(/^v=./, (start) => (start === 'v=A' ? 'v=B' : 'v=A')),
      /its signature is wrong$/,
    ],
    [(message) => message.replace(/^v=.*/, 'v='), /its signature is wrong$/],
    [(message) => message.replace(/^v=.*/, ''), /its signature is wrong$/],
    [(message) => message.replace(/^v=.*/, 'e=invalid-proof'), /^the server responded invalid-proof$/],
    [(message) => message.replace(/^r=./, 'r=!'), /its nonce does not match$/],
    [(message) => message.replace(/server,/, ','), /its nonce does not match$/],
    [(message) => message.replace(/i=\d+/, 'i=1'), /it requires 1 iterations; 4096 to 1000000 are allowed$/],
    [(message) => message.replace(/i=\d+/, 'i=2000000000'), /it requires 2000000000 iterations/],
    [(message) => message.replace(/i=\d+/, 'i=many'), /it requires many iterations/],
    [(message) => message.replace(/s=[^,]*/, 's='), /it sends no salt$/],
    [(message) => message.replace(/^r=/, 'm=new,r='), /it requires an unknown SCRAM extension$/],
    [(message) => message.replace(/^r=.*/, 'e=other-error'), /^the server responded other-error$/],
  ];
  for (const [spoil, ended] of cases) {
    assert.match(await logIn(['alice', 'secret'], { alice: 'secret' }, spoil), ended);
  }
});
