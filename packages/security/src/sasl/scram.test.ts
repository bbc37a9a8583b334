import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ScramClient, scramKeys } from '@weir/broker/testing';
import type { ScramCredential } from '@weir/cluster';
import fc from 'fast-check';
import type { Step } from '../session/conversation.ts';
import { decoysFrom } from './decoys.ts';
import { ScramConversation } from './scram.ts';

const decoyOf = decoysFrom(() => Buffer.from('known to agents only'));

/** A cluster without tokens. */
const tokenOf = (tokenId: string) => ({
  credential: decoyOf(tokenId),
  isReal: false,
  owner: '',
  expiresMs: 0,
});

function knowing(users: Readonly<Record<string, ScramCredential>>, nonce?: () => string): ScramConversation {
  return new ScramConversation({
    credentialOf: (user) =>
      Object.hasOwn(users, user)
        ? { credential: users[user]!, isReal: true }
        : { credential: decoyOf(user), isReal: false },
    tokenOf,
    ...(nonce === undefined ? {} : { nonce }),
  });
}

function credentialOf(password: string, salt: Buffer = randomBytes(16), iterations = 4096): ScramCredential {
  return { salt, iterations, ...scramKeys(password, salt, iterations) };
}

function send(conversation: ScramConversation, text: string): Step {
  return conversation.step(Buffer.from(text));
}

function challengeOf(step: Step): string {
  assert.equal(step.kind, 'challenge', JSON.stringify(step));
  return (step as { token: Buffer }).token.toString();
}

/**
 * Computed with another implementation (Python's hashlib), from the example of RFC 7677 with SHA-512 instead of
 * SHA-256.
 */
const example = {
  user: 'user',
  credential: {
    iterations: 4096,
    salt: Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'),
    storedKey: Buffer.from(
      '6AAub3065EYRmyFpM2RNwqK+eGnrkYuEWbXn19LsEmBqzu8QaCXNc1FwpnX9NhH2hK/60dzj9DoO5DvVkOHbvg==',
      'base64',
    ),
    serverKey: Buffer.from(
      'jZHbYjC1aHh0/hKbxyBuGFjDrgjgKTT1esA7awWiKcRZ0o/0b1yWEebBeSVkkCFewf91nLDfKF24mvD5nmE6rA==',
      'base64',
    ),
  },
  nonce: '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
  clientFirst: 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO',
  serverFirst: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
  clientFinal:
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,' +
    'p=gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==',
  serverFinal: 'v=ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0vSVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw==',
} as const;

function exampleConversation(): ScramConversation {
  return knowing({ [example.user]: example.credential }, () => example.nonce);
}

test('a login matches a known test vector', () => {
  const conversation = exampleConversation();
  assert.equal(challengeOf(send(conversation, example.clientFirst)), example.serverFirst);
  const last = send(conversation, example.clientFinal);
  assert.ok(last.kind === 'done');
  assert.deepEqual([last.user, last.token.toString()], ['user', example.serverFinal]);
});

test('any name and password can log in, and no other password can', () => {
  // HMAC pads its key with zeros, so passwords that differ in trailing zeros would be equal.
  const word = fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 20 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constantFrom('=', ',', '=2C', 'a=3Db', 'ccun_1', ',n=x'),
    )
    .filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(word, word, word, fc.constantFrom(0, 16), (user, password, guess, saltBytes) => {
      const credential = credentialOf(password, randomBytes(saltBytes));
      for (const tried of [password, guess]) {
        const client = new ScramClient(user, tried);
        const conversation = knowing({ [user]: credential });
        const step = send(conversation, client.final(challengeOf(send(conversation, client.first))));
        assert.equal(step.kind, tried === password ? 'done' : 'failed');
        if (step.kind === 'done') {
          assert.equal(step.user, user);
          assert.ok(client.trusts(step.token.toString()));
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('during a rotation a login proves either password, and trusts a signature with the keys of the same one', () => {
  const salt = randomBytes(16);
  const [credential, old] = [credentialOf('second', salt), credentialOf('first', salt)];
  const cases: readonly [password: string, withOld: boolean, outcome: string][] = [
    ['second', false, 'done'],
    ['first', false, 'failed'],
    ['second', true, 'done'],
    ['first', true, 'done with the old password'],
    ['guess', true, 'failed'],
  ];
  for (const [password, withOld, outcome] of cases) {
    const client = new ScramClient('alice', password);
    const conversation = new ScramConversation({
      credentialOf: () => ({ credential, old: withOld ? old : undefined, isReal: true }),
      tokenOf,
    });
    const step = send(conversation, client.final(challengeOf(send(conversation, client.first))));
    const suffix = step.kind === 'done' && step.hasOldPassword ? ' with the old password' : '';
    assert.equal(`${step.kind}${suffix}`, outcome, password);
    if (step.kind === 'done') assert.ok(client.trusts(step.token.toString()), password);
  }
});

test('an old password that ends while a login waits is refused', () => {
  const salt = randomBytes(16);
  const known = { credential: credentialOf('second', salt), isReal: true };
  let old: ScramCredential | undefined = credentialOf('first', salt);
  const conversation = new ScramConversation({ credentialOf: () => ({ ...known, old }), tokenOf });
  const client = new ScramClient('alice', 'first');
  const final = client.final(challengeOf(send(conversation, client.first)));
  old = undefined;
  assert.equal(send(conversation, final).kind, 'failed');
});

test('malformed messages are refused with a reason', () => {
  const cases: readonly [message: string, problem: RegExp][] = [
    ['', /does not start/],
    ['x,,n=user,r=abc', /does not start/],
    ['n,', /no header/],
    ['n', /no header/],
    ['p=tls-unique,,n=user,r=abc', /channel binding is not supported/],
    ['n,a=other,n=user,r=abc', /as another user/],
    ['n,other,n=user,r=abc', /as another user/],
    ['n,,m=ext,n=user,r=abc', /requires an unknown extension/],
    ['n,,r=abc,n=user', /missing/],
    ['n,,n=user', /missing/],
    ['n,,n=,r=abc', /user name/],
    ['n,,n=a=2c,r=abc', /user name/],
    ['n,,n=a=,r=abc', /user name/],
    ['n,,n=user,r=', /nonce/],
    ['n,,n=user,r=a b', /nonce/],
    ['n,,n=user,r=abc,what', /extension/],
    [`n,,n=${'u'.repeat(1025)},r=abc`, /too long/],
  ];
  for (const [message, problem] of cases) {
    const step = send(exampleConversation(), message);
    assert.ok(step.kind === 'failed', message);
    assert.match(step.message, problem, message);
  }
  const step = exampleConversation().step(Buffer.of(0x6e, 0x2c, 0x2c, 0xff));
  assert.ok(step.kind === 'failed');
  assert.match(step.message, /UTF-8/);
});

test('a client may name itself as authorization id, signal channel binding support and send extensions', () => {
  for (const first of [
    'n,a=user,n=user,r=abc',
    'y,,n=user,r=abc',
    'n,,n=user,r=abc,tokenauth=false',
    'n,,n=user,r=abc,what=ever',
  ]) {
    assert.equal(send(exampleConversation(), first).kind, 'challenge', first);
  }
});

test('the final message must match the first exactly', () => {
  const { clientFinal: good, nonce } = example;
  const cases: readonly [label: string, message: string, problem: RegExp][] = [
    ['another header', good.replace('c=biws', 'c=eSws'), /channel binding/],
    ['no header', good.replace('c=biws', 'c='), /channel binding/],
    ['another nonce', good.replace(nonce, `${nonce}x`), /nonce/],
    ['the nonce of the client alone', good.replace(nonce, ''), /nonce/],
    ['no nonce', good.replace(/r=[^,]*,/, ''), /missing/],
    ['no proof', good.slice(0, good.lastIndexOf(',')), /proof/],
    ['a proof with one bit changed', good.replace('p=g', 'p=h'), /invalid credentials/],
    ['a short proof', good.replace(/p=.*/, 'p=AAAA'), /invalid credentials/],
    ['a proof that is not base64', good.replace(/==$/, '!='), /base64/],
    ['a proof without padding', good.replace(/==$/, ''), /base64/],
    ['an extension that was not signed', good.replace(',p=', ',x=y,p='), /invalid credentials/],
    ['a delegation token', good.replace(',p=', ',tokenauth=true,p='), /invalid credentials/],
    ['a repeated first message', example.clientFirst, /proof/],
  ];
  for (const [label, message, problem] of cases) {
    const conversation = exampleConversation();
    challengeOf(send(conversation, example.clientFirst));
    const step = send(conversation, message);
    assert.ok(step.kind === 'failed', label);
    assert.match(step.message, problem, label);
  }
});

test('the messages of one login cannot be replayed in the next', () => {
  const users = { alice: credentialOf('secret') };
  const client = new ScramClient('alice', 'secret');
  const first = knowing(users);
  const final = client.final(challengeOf(send(first, client.first)));
  assert.equal(send(first, final).kind, 'done');
  const second = knowing(users);
  challengeOf(send(second, client.first));
  assert.equal(send(second, final).kind, 'failed');
});

test('a user that does not exist looks like any other, always the same, and fails at the proof', () => {
  const saltOf = (user: string) =>
    challengeOf(send(knowing({}), `n,,n=${user},r=abc`))
      .split(',')
      .slice(1)
      .join();
  assert.equal(saltOf('nobody'), saltOf('nobody'));
  assert.notEqual(saltOf('nobody'), saltOf('no one'));
  assert.match(saltOf('nobody'), /^s=[A-Za-z0-9+/]{43}=,i=8192$/);
  const client = new ScramClient('nobody', 'guess');
  const conversation = knowing({});
  const refused = send(conversation, client.final(challengeOf(send(conversation, client.first))));
  const known = knowing({ nobody: credentialOf('secret') });
  const wrong = send(known, client.final(challengeOf(send(known, client.first))));
  assert.ok(refused.kind === 'failed' && wrong.kind === 'failed');
  assert.equal(refused.message, wrong.message);
});

test('a credential with too few iterations is refused', () => {
  const weak = knowing({ alice: credentialOf('secret', Buffer.from('salt'), 1000) });
  assert.equal(send(weak, 'n,,n=alice,r=abc').kind, 'failed');
});
