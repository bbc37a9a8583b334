import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { jsonLog, Metrics } from '@weir/core';
import { SignJWT, UnsecuredJWT } from 'jose';
import { FakeIssuer } from '../../testing/fake-issuer.ts';
import { HandClock } from '../../testing/hand-clock.ts';
import { parseBindings } from './binding.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { TokenExchange } from './token-exchange.ts';

const audience = 'weir://vci_test';

async function world(changes: object = {}) {
  const issuer = await new FakeIssuer().turnKey();
  const clock = new HandClock();
  const binding = {
    name: 'eks',
    issuer: issuer.issuer,
    clusterId: 'vci_test',
    claims: [{ path: 'sub', value: 'weir' }],
    lifetimeSeconds: 600,
    ...changes,
  };
  const state = {
    bindings: parseBindings(JSON.stringify([binding])),
    secret: Buffer.alloc(32, 1) as Buffer | undefined,
  };
  const lines: string[] = [];
  const exchange = new TokenExchange({
    bindings: () => state.bindings,
    secretOf: (clusterId) => (clusterId === 'vci_test' ? state.secret : undefined),
    keys: new IssuerKeys(issuer.fetch, clock),
    clock,
    log: jsonLog({ level: 'debug', nowMs: clock.nowMs.bind(clock), write: (line) => lines.push(line) }),
    metrics: new Metrics(),
  });
  const token = (wish = {}) => issuer.token({ nowMs: clock.nowMs(), ...wish });
  return { issuer, clock, exchange, state, lines, token };
}

test('the token of a platform is exchanged for one that admits to its cluster, for its time', async () => {
  const { exchange, clock, token } = await world();
  const given = await exchange.exchange(audience, await token());
  assert.ok(typeof given === 'object');
  assert.equal(given.lifetimeMs, 600_000);
  assert.equal(exchange.authorize('vci_test', given.token), true);
  assert.equal(exchange.authorize('vci_other', given.token), undefined, 'not a cluster of this process');
  assert.equal(exchange.authorize('vci_test', `${given.token}x`), false);
  assert.equal(exchange.authorize('vci_test', 'aks_1'), false);
  clock.advance(599_999);
  assert.equal(exchange.authorize('vci_test', given.token), true);
  clock.advance(1);
  assert.equal(exchange.authorize('vci_test', given.token), false);
});

test('a binding that is gone or has changed takes its tokens with it', async () => {
  const { exchange, state, token } = await world();
  const given = await exchange.exchange(audience, await token());
  assert.ok(typeof given === 'object');
  const { bindings } = state;
  state.bindings = [];
  assert.equal(exchange.authorize('vci_test', given.token), false);
  state.bindings = [{ ...bindings[0]!, mark: 'another' }];
  assert.equal(exchange.authorize('vci_test', given.token), false);
  state.bindings = bindings;
  assert.equal(exchange.authorize('vci_test', given.token), true);
});

test('a process that does not know the secret yet says so, and refuses nobody', async () => {
  const { exchange, state, token } = await world();
  const given = await exchange.exchange(audience, await token());
  assert.ok(typeof given === 'object');
  state.secret = undefined;
  assert.equal(exchange.authorize('vci_test', given.token), undefined);
  assert.equal(await exchange.exchange(audience, await token()), 'not ready');
  state.secret = Buffer.alloc(32, 2);
  assert.equal(exchange.authorize('vci_test', given.token), false, 'of another database');
});

type World = Awaited<ReturnType<typeof world>>;

const refused: [what: string, token: (world: World) => Promise<string> | string, why: RegExp][] = [
  ['for somebody else', ({ token }) => token({ audience: 'weir://vci_other' }), /claim aud is not/],
  ['over', ({ token }) => token({ lifetimeSeconds: -31 }), /timestamp check failed/],
  [
    'of another issuer',
    ({ token }) => token({ issuer: 'https://elsewhere.test' }),
    /no binding is for the issuer/,
  ],
  [
    'of another workload',
    ({ token }) => token({ claims: { sub: 'other' } }),
    /wif_eks: the claim sub is another one/,
  ],
  ['no token', () => 'hello', /no binding is for the issuer/],
  [
    'without a signature',
    ({ issuer }) => new UnsecuredJWT({ sub: 'weir' }).setIssuer(issuer.issuer).setAudience(audience).encode(),
    /wif_eks: /,
  ],
  [
    'signed by somebody else',
    ({ issuer, clock }) =>
      new SignJWT({ sub: 'weir' })
        .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
        .setIssuer(issuer.issuer)
        .setAudience(audience)
        .setExpirationTime(clock.nowMs() / 1000 + 60)
        .sign(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    /signature verification failed/,
  ],
  [
    'signed with what is public',
    ({ issuer, clock }) =>
      new SignJWT({ sub: 'weir' })
        .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
        .setIssuer(issuer.issuer)
        .setAudience(audience)
        .setExpirationTime(clock.nowMs() / 1000 + 60)
        .sign(Buffer.alloc(32)),
    /Header Parameter value not allowed/,
  ],
];

for (const [what, make, why] of refused) {
  test(`refused: a token ${what}`, async () => {
    const made = await world();
    const token = await make(made);
    assert.equal(await made.exchange.exchange(audience, token), 'not admitted');
    assert.match(made.lines.at(-1)!, why);
    assert.ok(!made.lines.some((line) => line.includes(token)), 'the token is not logged');
  });
}

test('nobody is asked for keys whom no binding names', async () => {
  const { exchange, issuer, token } = await world();
  await exchange.exchange(audience, await token({ issuer: 'https://elsewhere.test' }));
  await exchange.exchange('weir://vci_other', await token());
  assert.deepEqual(issuer.asked, []);
});

test('a binding may want another audience, and several bindings are tried', async () => {
  const { exchange, state, token } = await world({ audience: 'sts.amazonaws.com' });
  assert.ok(
    typeof (await exchange.exchange(audience, await token({ audience: 'sts.amazonaws.com' }))) === 'object',
  );
  assert.equal(await exchange.exchange(audience, await token()), 'not admitted');
  const [binding] = state.bindings;
  const other = { ...binding!, name: 'wif_two', mark: 'two', audience };
  state.bindings = [binding!, other];
  assert.ok(typeof (await exchange.exchange(audience, await token())) === 'object');
});

test('an issuer that speaks for another, or gives its keys away in clear, is not believed', async () => {
  for (const [description, why] of [
    [
      { issuer: 'https://elsewhere.test', jwks_uri: 'https://elsewhere.test/keys' },
      /speaks of another issuer/,
    ],
    [{ issuer: 'https://issuer.test/one', jwks_uri: 'http://issuer.test/keys' }, /no https/],
    [{ issuer: 'https://issuer.test/one' }, /no https/],
    [{}, /another issuer/],
  ] as const) {
    const { exchange, issuer, lines, token } = await world();
    issuer.description = description;
    assert.equal(await exchange.exchange(audience, await token()), 'not admitted');
    assert.match(lines.at(-1)!, why);
    issuer.description = { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/keys` };
    assert.ok(
      typeof (await exchange.exchange(audience, await token())) === 'object',
      'a failure is not remembered',
    );
  }
});

test('what an issuer says is asked for once', async () => {
  const { exchange, issuer, token } = await world();
  for (let times = 0; times < 3; times++) await exchange.exchange(audience, await token());
  assert.deepEqual(issuer.asked, [
    'https://issuer.test/one/.well-known/openid-configuration',
    'https://issuer.test/one/keys',
  ]);
});

test('an issuer that does not answer refuses nobody', async () => {
  for (const away of [/openid-configuration$/, /keys$/]) {
    const { exchange, issuer, lines, token } = await world();
    issuer.away = away;
    assert.equal(await exchange.exchange(audience, await token()), 'not ready');
    assert.match(lines.at(-1)!, /is away/);
    issuer.away = undefined;
    assert.ok(typeof (await exchange.exchange(audience, await token())) === 'object');
  }
});
