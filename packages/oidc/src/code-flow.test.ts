import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { startTestProvider, type TestProvider } from '../testing/test-provider.ts';
import { authorizationUrl, redeemCode } from './code-flow.ts';
import { Issuer } from './issuer.ts';

const redirectUrl = 'https://console.example/login/callback?connection=example';
const attempt = { state: 'the state', nonce: 'the nonce', codeVerifier: 'v'.repeat(43) };

async function stage(t: TestContext) {
  const clock = new HandClock();
  const provider = await startTestProvider(t, () => clock.nowMs());
  const issuer = new Issuer({
    url: provider.url,
    purpose: 'this test',
    allowsLoopbackHttp: true,
    clock,
    log: silentLog,
  });
  t.after(() => issuer.close());
  const options = { issuer, clock, stop: new AbortController().signal };
  const client = { clientId: provider.clientId, clientSecret: provider.clientSecret, redirectUrl };
  /** Acts like a browser. */
  async function signIn({
    client: by = client,
    ...changes
  }: { client?: typeof client } & Partial<typeof attempt> = {}) {
    const url = await authorizationUrl(options, client, attempt);
    const response = await fetch(url, { redirect: 'manual' });
    const back = new URL(response.headers.get('location')!).searchParams;
    const answer = { code: back.get('code')!, saidIssuer: back.get('iss') ?? undefined };
    return redeemCode(options, by, { ...attempt, ...changes }, answer);
  }
  return { clock, provider, issuer, options, client, signIn };
}

test('code flow: the authorization URL has the required parameters, and retains its own', async (t) => {
  const { provider, options, client } = await stage(t);
  provider.describe({
    authorization_endpoint: 'https://id.example/authorize?tenant=1&scope=none',
    scopes_supported: ['openid', 'groups'],
  });
  const url = new URL(await authorizationUrl(options, client, attempt, 'groups'));
  assert.equal(url.origin + url.pathname, 'https://id.example/authorize');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    tenant: '1',
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUrl,
    scope: 'openid email profile groups',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: createHash('sha256').update(attempt.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  assert.doesNotMatch(await authorizationUrl(options, client, attempt, 'roles'), /roles/);
});

test('code flow: browsers are not redirected to unsafe addresses', async (t) => {
  for (const url of [
    undefined,
    7,
    'javascript:alert(1)',
    'http://id.example/authorize',
    'https://u:p@id.example/',
  ]) {
    const { provider, options, client } = await stage(t);
    provider.describe({ authorization_endpoint: url });
    await assert.rejects(
      authorizationUrl(options, client, attempt),
      /no authorization_endpoint/,
      String(url),
    );
  }
});

test('code flow: a user who returns with a code is identified', async (t) => {
  const { provider, signIn } = await stage(t);
  provider.behaviour.userinfo = { groups: ['admins'], email: 'other@example.com' };
  const person = await signIn();
  assert.deepEqual(
    [person.issuer, person.subject, person.claims.email],
    [provider.url, 'alice', 'alice@example.com'],
  );
  const all = await person.allClaims();
  assert.deepEqual(
    [all.groups, all.email],
    [['admins'], 'alice@example.com'],
    'signed claims take precedence',
  );
});

test('code flow: a client authenticates with a method that the issuer supports', async (t) => {
  // biome-ignore format: a table
  const cases: readonly [proofs: string[] | undefined, isInHeader: boolean][] = [
    [undefined,                                       true],
    [['client_secret_basic', 'client_secret_post'],   true],
    [['client_secret_post'],                          false],
    [['private_key_jwt'],                             true],
  ];
  for (const [proofs, isInHeader] of cases) {
    const { provider, signIn } = await stage(t);
    provider.describe({ token_endpoint_auth_methods_supported: proofs });
    await signIn();
    const [{ authorization, form }] = provider.redeemed as [(typeof provider.redeemed)[number]];
    assert.deepEqual([authorization !== undefined, form.has('client_secret')], [isInHeader, !isInHeader]);
  }
});

type Wrong = [
  what: string,
  change: (provider: TestProvider, clock: HandClock) => void,
  problem: RegExp,
  name?: string,
];
const wrong: readonly Wrong[] = [
  ['a nonce of another sign-in', ({ behaviour }) => setClaims(behaviour, { nonce: 'other' }), /claim nonce/],
  ['no nonce', ({ behaviour }) => setClaims(behaviour, { nonce: undefined }), /claim nonce/],
  ['another audience', ({ behaviour }) => setClaims(behaviour, { aud: 'other' }), /claim aud/],
  [
    'two audiences and no azp',
    ({ behaviour, clientId }) => setClaims(behaviour, { aud: [clientId, 'other'] }),
    /azp/,
  ],
  ['another azp', ({ behaviour }) => setClaims(behaviour, { azp: 'other' }), /azp/],
  ['another issuer', ({ behaviour }) => setClaims(behaviour, { iss: 'https://other.example' }), /claim iss/],
  ['no subject', ({ behaviour }) => setClaims(behaviour, { sub: undefined }), /claim sub/],
  [
    'no issue time',
    ({ behaviour }) => setClaims(behaviour, { iat: undefined }),
    /claim iat of the token is missing/,
  ],
  ['expired', ({ behaviour }, clock) => setClaims(behaviour, { exp: clock.nowMs() / 1000 - 31 }), /expired/],
  [
    'the signature of another key',
    ({ behaviour, issuer }) => {
      behaviour.idToken = (claims) => issuer.foreignToken(claims);
    },
    /signature/,
  ],
  [
    'no signature',
    ({ behaviour, issuer }) => {
      behaviour.idToken = (claims) => issuer.unsignedToken(claims);
    },
    /cannot be (?:read|trusted)/,
  ],
  [
    'a signature by the secret of the client',
    ({ behaviour, issuer, clientSecret }) => {
      behaviour.idToken = (claims) =>
        issuer.token(claims, { alg: 'HS256', key: Buffer.from(clientSecret.padEnd(32)) });
    },
    /cannot be trusted/,
  ],
  [
    'the iss parameter of another issuer',
    ({ behaviour }) => Object.assign(behaviour, { issuerParameter: 'https://other.example' }),
    /of another/,
  ],
  [
    'no iss parameter from an issuer that always sends it',
    (provider) => provider.describe({ authorization_response_iss_parameter_supported: true }),
    /of another/,
  ],
  [
    'a failing issuer',
    ({ behaviour }) => Object.assign(behaviour, { tokenStatus: 500 }),
    /status 500/,
    'IssuerUnavailable',
  ],
  [
    'a redirect',
    ({ behaviour }) => Object.assign(behaviour, { tokenStatus: 302 }),
    /status 302/,
    'IssuerUnavailable',
  ],
  [
    'an issuer without tokens',
    (provider) => provider.describe({ token_endpoint: undefined }),
    /no token/,
    'IssuerUnavailable',
  ],
  [
    'tokens from an unsafe address',
    (provider) => provider.describe({ token_endpoint: 'http://id.example/token' }),
    /not plain https/,
    'IssuerUnavailable',
  ],
];

function setClaims(behaviour: TestProvider['behaviour'], claims: object): void {
  behaviour.claims = { ...behaviour.claims, ...claims };
}

for (const [what, change, problem, name = 'CodeRefused'] of wrong) {
  test(`code flow: a token with ${what} is rejected`, async (t) => {
    const { provider, clock, signIn } = await stage(t);
    change(provider, clock);
    await assert.rejects(signIn(), (error: Error) => {
      assert.equal(error.name, name);
      assert.match(error.message, problem);
      return true;
    });
  });
}

test('code flow: several audiences are fine if the token was issued for this client', async (t) => {
  const { provider, signIn } = await stage(t);
  setClaims(provider.behaviour, { aud: [provider.clientId, 'other'], azp: provider.clientId });
  assert.equal((await signIn()).subject, 'alice');
  provider.behaviour.issuerParameter = provider.url;
  assert.equal((await signIn()).subject, 'alice');
});

test('code flow: an error of the issuer is reported as its code and no more', async (t) => {
  const { signIn, client } = await stage(t);
  const refusal = (word: string) => (error: Error) => {
    assert.equal(error.name, 'CodeRefused');
    assert.ok(error.message.endsWith(`/realm/token: the answer has status ${word}`), error.message);
    return true;
  };
  await assert.rejects(signIn({ codeVerifier: 'w'.repeat(43) }), refusal('400 (invalid_grant)'));
  await assert.rejects(
    signIn({ client: { ...client, clientSecret: 'wrong' } }),
    refusal('401 (invalid_client)'),
  );
});

test('code flow: userinfo about another subject is rejected', async (t) => {
  const { provider, signIn } = await stage(t);
  provider.behaviour.userinfo = { sub: 'bob', email: 'bob@example.com' };
  const person = await signIn();
  await assert.rejects(person.allClaims(), /another subject/);
});
