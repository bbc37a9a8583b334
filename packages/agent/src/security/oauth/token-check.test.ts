import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLog } from '@weir/core';
import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { startTestIssuer, type TestIssuer, testAudience } from '../../../testing/test-issuer.ts';
import { fetchJsonOver } from './fetch-json.ts';
import { Issuer } from './issuer.ts';
import { TokenCheck } from './token-check.ts';

async function stage(t: TestContext) {
  const clock = new FakeClock();
  const issuer = await startTestIssuer(t, () => clock.nowMs());
  const keys = new Issuer({ url: issuer.url, fetchJson: fetchJsonOver(clock), clock, log: silentLog });
  t.after(() => keys.close());
  const tokens = new TokenCheck({ issuer: keys, audience: testAudience, clock });
  return { clock, issuer, tokens, nowSeconds: Math.floor(clock.nowMs() / 1000) };
}

type Stage = Awaited<ReturnType<typeof stage>>;
type Make = (stage: Stage) => Promise<string> | string;

const good: readonly [label: string, make: Make][] = [
  ['one like any', ({ issuer }) => issuer.token()],
  ['for several audiences', ({ issuer }) => issuer.token({ aud: ['another', testAudience] })],
  ['that has just expired', ({ issuer, nowSeconds }) => issuer.token({ exp: nowSeconds - 29 })],
  ['that is good from in a moment on', ({ issuer, nowSeconds }) => issuer.token({ nbf: nowSeconds + 30 })],
  ['of a clock that is a little ahead', ({ issuer, nowSeconds }) => issuer.token({ iat: nowSeconds + 30 })],
  ['that does not say when it was made', ({ issuer }) => issuer.token({ iat: undefined })],
];

for (const [label, make] of good) {
  test(`a token is taken: ${label}`, async (t) => {
    const staged = await stage(t);
    const checked = await staged.tokens.check(await make(staged));
    assert.ok('expiresMs' in checked, JSON.stringify(checked));
    assert.equal(checked.subject, 'alice');
  });
}

/** The public key as the text that a careless server would take for a secret. */
async function publicText({ issuer }: Stage): Promise<string> {
  const { keys } = issuer.documents.get('/realm/keys') as { keys: JWK[] };
  const key = await importJWK(keys[0]!, 'ES256', { extractable: true });
  return exportSPKI(key as Parameters<typeof exportSPKI>[0]);
}

const bad: readonly [label: string, make: Make, problem: RegExp][] = [
  ['nothing', () => '', /cannot be read/],
  ['no token', () => 'a.b.c', /cannot be read/],
  ['an expired one', ({ issuer, nowSeconds }) => issuer.token({ exp: nowSeconds - 31 }), /expired/],
  ['one without an end', ({ issuer }) => issuer.token({ exp: undefined }), /claim exp/],
  ['one for later', ({ issuer, nowSeconds }) => issuer.token({ nbf: nowSeconds + 31 }), /claim nbf/],
  ['one of the future', ({ issuer, nowSeconds }) => issuer.token({ iat: nowSeconds + 31 }), /in the future/],
  ['one for somebody else', ({ issuer }) => issuer.token({ aud: 'another' }), /claim aud/],
  ['one for nobody', ({ issuer }) => issuer.token({ aud: undefined }), /claim aud/],
  ['one of another issuer', ({ issuer }) => issuer.token({ iss: `${issuer.url}/other` }), /claim iss/],
  ['one of no issuer', ({ issuer }) => issuer.token({ iss: undefined }), /claim iss/],
  ['one about nobody', ({ issuer }) => issuer.token({ sub: undefined }), /claim sub/],
  ['one about an empty name', ({ issuer }) => issuer.token({ sub: '' }), /about nobody/],
  ['one about a number', ({ issuer }) => issuer.token({ sub: 7 }), /about nobody|claim sub/],
  ['one about a long name', ({ issuer }) => issuer.token({ sub: 'x'.repeat(2000) }), /about nobody/],
  [
    'one that nobody signed',
    ({ issuer, nowSeconds }) =>
      new UnsecuredJWT({ iss: issuer.url, aud: testAudience, sub: 'alice', exp: nowSeconds + 60 }).encode(),
    /cannot be trusted|cannot be read/,
  ],
  [
    'one that the public key signed as a secret',
    async (staged) => {
      const { issuer, nowSeconds } = staged;
      const claims = { iss: issuer.url, aud: testAudience, sub: 'alice', exp: nowSeconds + 60 };
      const secret = new TextEncoder().encode(await publicText(staged));
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
    },
    /cannot be trusted/,
  ],
  [
    'one that a foreign key signed in the name of ours',
    async ({ issuer }) => issuer.token({}, { key: (await generateKeyPair('ES256')).privateKey }),
    /signature/,
  ],
  [
    'one of a key that nobody knows',
    async ({ issuer }) =>
      issuer.token({}, { kid: 'unknown', key: (await generateKeyPair('ES256')).privateKey }),
    /no key/,
  ],
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
  test(`a token is not taken: ${label}`, async (t) => {
    const staged = await stage(t);
    const checked = await staged.tokens.check(await make(staged));
    assert.ok('problem' in checked, JSON.stringify(checked));
    assert.match(checked.problem, problem);
  });
}

function advertise({ documents, url }: TestIssuer, algorithms: unknown): void {
  documents.set('/realm/.well-known/openid-configuration', {
    issuer: url,
    jwks_uri: `${url}/keys`,
    id_token_signing_alg_values_supported: algorithms,
  });
}

test('the algorithms are those that the issuer advertises, or all that can be trusted', async (t) => {
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
    const { issuer, tokens } = await stage(t);
    advertise(issuer, advertised);
    await issuer.addKey('second', alg);
    const checked = await tokens.check(await issuer.token({}, { kid: 'second', alg }));
    assert.equal('subject' in checked && !('problem' in checked), isTaken, `${advertised} ${alg}`);
  }
});

test('a token that names no key is tried with all that could be it', async (t) => {
  const { issuer, tokens, nowSeconds } = await stage(t);
  const key = await issuer.addKey('second');
  const claims = { iss: issuer.url, aud: testAudience, sub: 'alice', exp: nowSeconds + 60 };
  const signed = (by: typeof key) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(by);
  assert.ok('expiresMs' in (await tokens.check(await signed(key))));
  const foreign = await tokens.check(await signed((await generateKeyPair('ES256')).privateKey));
  assert.ok('problem' in foreign);
  assert.match(foreign.problem, /signature/);
});

test('a new key of the issuer is found, and nobody can make an agent look for one all the time', async (t) => {
  const { clock, issuer, tokens } = await stage(t);
  assert.ok('expiresMs' in (await tokens.check(await issuer.token())));
  const before = issuer.asked.length;
  const foreign = (await generateKeyPair('ES256')).privateKey;
  for (let count = 0; count < 20; count++) {
    await tokens.check(await issuer.token({}, { kid: `guess ${count}`, key: foreign }));
  }
  assert.equal(issuer.asked.length, before);
  await issuer.addKey('second');
  clock.advance(30_000);
  const waiting = Array.from({ length: 5 }, async () =>
    tokens.check(await issuer.token({}, { kid: 'second' })),
  );
  for (const checked of await Promise.all(waiting)) assert.ok('expiresMs' in checked);
  assert.equal(issuer.asked.length, before + 2);
});
