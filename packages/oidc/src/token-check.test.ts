import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { TestIssuer, testAudience } from '../testing/test-issuer.ts';
import { Issuer } from './issuer.ts';
import { checkToken, issuerNamedIn } from './token-check.ts';

async function stage() {
  const clock = new HandClock();
  const issuer = await TestIssuer.create('https://id.example/realm', () => clock.nowMs());
  const { url, fetchJson } = issuer;
  const base = { purpose: 'this test', allowsLoopbackHttp: false, clock, log: silentLog };
  const options = { issuer: new Issuer({ ...base, url, fetchJson }), audience: testAudience, clock };
  const check = (token: string) => checkToken(token, options);
  return { clock, issuer, check, nowSeconds: Math.floor(clock.nowMs() / 1000) };
}

type Stage = Awaited<ReturnType<typeof stage>>;
type Make = (stage: Stage) => Promise<string> | string;

const good: readonly [label: string, make: Make][] = [
  ['that is ordinary', ({ issuer }) => issuer.token()],
  ['for several audiences', ({ issuer }) => issuer.token({ aud: ['another', testAudience] })],
  ['that has just expired', ({ issuer, nowSeconds }) => issuer.token({ exp: nowSeconds - 29 })],
  ['that becomes valid in a moment', ({ issuer, nowSeconds }) => issuer.token({ nbf: nowSeconds + 30 })],
  ['of a clock that is a little ahead', ({ issuer, nowSeconds }) => issuer.token({ iat: nowSeconds + 30 })],
  ['without an issue time', ({ issuer }) => issuer.token({ iat: undefined })],
];

for (const [label, make] of good) {
  test(`a token is accepted: ${label}`, async () => {
    const staged = await stage();
    const checked = await staged.check(await make(staged));
    assert.ok('expiresMs' in checked, JSON.stringify(checked));
    assert.equal(checked.subject, 'alice');
  });
}

/** The public key as the text that a careless server would use as a shared secret. */
async function publicText({ issuer }: Stage): Promise<string> {
  const { keys } = issuer.documents.get(issuer.keysPath) as { keys: JWK[] };
  const key = await importJWK(keys[0]!, 'ES256', { extractable: true });
  return exportSPKI(key as Parameters<typeof exportSPKI>[0]);
}

const bad: readonly [label: string, make: Make, problem: RegExp][] = [
  ['nothing', () => '', /cannot be read/],
  ['no token', () => 'a.b.c', /cannot be read/],
  ['an expired one', ({ issuer, nowSeconds }) => issuer.token({ exp: nowSeconds - 31 }), /expired/],
  ['one without an expiry', ({ issuer }) => issuer.token({ exp: undefined }), /claim exp/],
  [
    'one that is not valid yet',
    ({ issuer, nowSeconds }) => issuer.token({ nbf: nowSeconds + 31 }),
    /claim nbf/,
  ],
  [
    'one issued in the future',
    ({ issuer, nowSeconds }) => issuer.token({ iat: nowSeconds + 31 }),
    /in the future/,
  ],
  ['one for another audience', ({ issuer }) => issuer.token({ aud: 'another' }), /claim aud/],
  ['one without an audience', ({ issuer }) => issuer.token({ aud: undefined }), /claim aud/],
  ['one of another issuer', ({ issuer }) => issuer.token({ iss: `${issuer.url}/other` }), /claim iss/],
  ['one without an issuer', ({ issuer }) => issuer.token({ iss: undefined }), /claim iss/],
  ['one without a subject', ({ issuer }) => issuer.token({ sub: undefined }), /claim sub/],
  [
    'one with an empty subject',
    ({ issuer }) => issuer.token({ sub: '' }),
    /the subject of the token is empty/,
  ],
  [
    'one of the anonymous user',
    ({ issuer }) => issuer.token({ sub: 'ANONYMOUS' }),
    /the subject of the token is ANONYMOUS/,
  ],
  ['one of all users', ({ issuer }) => issuer.token({ sub: '*' }), /the subject of the token is \*/],
  [
    'one with a line break',
    ({ issuer }) => issuer.token({ sub: 'a\nUser:admin' }),
    /has a control character/,
  ],
  ['one with a zero byte', ({ issuer }) => issuer.token({ sub: 'admin\0' }), /has a control character/],
  [
    'one with a number as its subject',
    ({ issuer }) => issuer.token({ sub: 7 }),
    /no usable subject|claim sub/,
  ],
  [
    'one with a long subject',
    ({ issuer }) => issuer.token({ sub: 'x'.repeat(2000) }),
    /has more than 1024 characters/,
  ],
  ['an unsigned one', ({ issuer }) => issuer.unsignedToken(), /cannot be trusted|cannot be read/],
  [
    'one that the public key signed as a secret',
    async (staged) => {
      const secret = new TextEncoder().encode(await publicText(staged));
      return staged.issuer.token({}, { alg: 'HS256', key: secret });
    },
    /cannot be trusted/,
  ],
  ['one that a foreign key signed under our key id', ({ issuer }) => issuer.foreignToken(), /signature/],
  ['one of an unknown key', ({ issuer }) => issuer.foreignToken({}, 'unknown'), /no key/],
  [
    'one that was changed',
    async ({ issuer, nowSeconds }) => {
      const [header, , signature] = (await issuer.token()).split('.');
      const claims = { iss: issuer.url, aud: testAudience, sub: 'root', exp: nowSeconds + 60 };
      return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    },
    /signature/,
  ],
];

for (const [label, make, problem] of bad) {
  test(`a token is rejected: ${label}`, async () => {
    const staged = await stage();
    const checked = await staged.check(await make(staged));
    assert.ok('problem' in checked, JSON.stringify(checked));
    assert.match(checked.problem, problem);
    assert.equal(checked.isIssuerAway, false);
  });
}

test('all claims of the issuer are returned', async () => {
  const { issuer, check, nowSeconds } = await stage();
  const checked = await check(await issuer.token({ groups: ['admins'], nonce: 'once' }));
  assert.ok('claims' in checked);
  const { groups, nonce, sub, exp } = checked.claims;
  assert.deepEqual(
    [groups, nonce, sub, exp, checked.expiresMs],
    [['admins'], 'once', 'alice', nowSeconds + 3600, (nowSeconds + 3600) * 1000],
  );
});

test('a modified token is never accepted with other claims', async () => {
  const { issuer, check } = await stage();
  const token = await issuer.token();
  const good = await check(token);
  assert.ok('claims' in good);
  const place = fc.nat(token.length - 1);
  await fc.assert(
    fc.asyncProperty(place, fc.string({ minLength: 0, maxLength: 2 }), async (at, text) => {
      const checked = await check(token.slice(0, at) + text + token.slice(at + 1));
      if (!('problem' in checked)) assert.deepEqual(checked, good);
    }),
  );
});

test('a token is neither accepted nor rejected while the keys of its issuer cannot be fetched', async () => {
  const { clock, issuer, check } = await stage();
  const token = await issuer.token();
  const keys = issuer.documents.get(issuer.keysPath);
  issuer.documents.delete(issuer.keysPath);
  const unchecked = await check(token);
  assert.ok('problem' in unchecked && unchecked.isIssuerAway);
  assert.match(unchecked.problem, /cannot be asked: .*status 404/);
  issuer.documents.set(issuer.keysPath, keys);
  clock.advance(5_000);
  assert.ok('expiresMs' in (await check(token)));

  // Cached keys validate the tokens that they signed, and say nothing about others.
  await issuer.addKey('second');
  issuer.documents.clear();
  clock.advance(30_000);
  const unknown = await check(await issuer.token({}, { kid: 'second' }));
  assert.ok('problem' in unknown && unknown.isIssuerAway);
  assert.ok('expiresMs' in (await check(token)));
});

test('the issuer that a token names is only a name', async () => {
  const { issuer } = await stage();
  const cases: readonly [token: string, named: string | undefined][] = [
    [await issuer.token(), issuer.url],
    [await issuer.foreignToken(), issuer.url],
    [issuer.unsignedToken({ iss: 'anybody' }), 'anybody'],
    [issuer.unsignedToken({ iss: undefined }), undefined],
    [issuer.unsignedToken({ iss: ['a', 'b'] }), undefined],
    ['a.b.c', undefined],
    ['', undefined],
  ];
  for (const [token, named] of cases) assert.equal(issuerNamedIn(token), named, token);
});

function advertise({ documents, descriptionPath, url }: TestIssuer, algorithms: unknown): void {
  documents.set(descriptionPath, {
    issuer: url,
    jwks_uri: `${url}/keys`,
    id_token_signing_alg_values_supported: algorithms,
  });
}

test('the algorithms are those that the issuer advertises, or all asymmetric ones', async () => {
  const cases: readonly [advertised: unknown, algorithm: string, isTaken: boolean][] = [
    [undefined, 'RS256', true],
    [undefined, 'PS512', true],
    [undefined, 'ES384', true],
    [undefined, 'EdDSA', true],
    [['RS256'], 'RS256', true],
    [['RS256'], 'ES256', false],
    [['HS256', 'none', 'ES256'], 'ES256', true],
    [['HS256', 'none'], 'ES256', false],
    [[], 'RS256', false],
  ];
  for (const [advertised, alg, isTaken] of cases) {
    const { issuer, check } = await stage();
    advertise(issuer, advertised);
    await issuer.addKey('second', alg);
    const checked = await check(await issuer.token({}, { kid: 'second', alg }));
    assert.equal('subject' in checked && !('problem' in checked), isTaken, `${advertised} ${alg}`);
  }
});

test('a token without a key id is tried with all matching keys', async () => {
  const { issuer, check, nowSeconds } = await stage();
  const key = await issuer.addKey('second');
  const claims = { iss: issuer.url, aud: testAudience, sub: 'alice', exp: nowSeconds + 60 };
  const signed = (by: typeof key) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(by);
  assert.ok('expiresMs' in (await check(await signed(key))));
  const foreign = await check(await signed((await generateKeyPair('ES256')).privateKey));
  assert.ok('problem' in foreign);
  assert.match(foreign.problem, /signature/);
});

test('a new key of the issuer is found, and clients cannot trigger a fetch all the time', async () => {
  const { clock, issuer, check } = await stage();
  assert.ok('expiresMs' in (await check(await issuer.token())));
  const before = issuer.asked.length;
  const foreign = (await generateKeyPair('ES256')).privateKey;
  for (let count = 0; count < 20; count++) {
    await check(await issuer.token({}, { kid: `guess ${count}`, key: foreign }));
  }
  assert.equal(issuer.asked.length, before);
  await issuer.addKey('second');
  clock.advance(30_000);
  const waiting = Array.from({ length: 5 }, async () => check(await issuer.token({}, { kid: 'second' })));
  for (const checked of await Promise.all(waiting)) assert.ok('expiresMs' in checked);
  assert.equal(issuer.asked.length, before + 2);
});
