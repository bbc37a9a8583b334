import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { test } from 'node:test';
import { jsonLog, Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type Signing, TestIssuer } from '@weir/oidc/testing';
import type { TokenSecrets } from './agent-tokens.ts';
import { parseBindings } from './bindings-file.ts';
import { platformIssuers } from './platform-issuers.ts';
import { TokenExchange, type TokenRegions } from './token-exchange.ts';

const audience = 'weir://vci_test';

async function world(changes: object = {}, regions?: TokenRegions) {
  const clock = new HandClock();
  const issuer = await TestIssuer.create('https://issuer.test/one', () => clock.nowMs());
  const binding = {
    name: 'eks',
    issuer: issuer.url,
    clusterId: 'vci_test',
    claims: [{ path: 'sub', value: 'weir' }],
    lifetimeSeconds: 600,
    ...changes,
  };
  const state = {
    bindings: parseBindings(JSON.stringify([binding])),
    secrets: [Buffer.alloc(32, 1)] as TokenSecrets | undefined,
  };
  const lines: string[] = [];
  /** Another control-plane process of the cluster. */
  const processIn = (where: TokenRegions | undefined, itsClock = clock) =>
    new TokenExchange({
      bindings: () => state.bindings,
      secretsOf: (clusterId) => (clusterId === 'vci_test' ? state.secrets : undefined),
      regions: where,
      issuers: platformIssuers({ clock: itsClock, log: silentLog, fetchJson: issuer.fetchJson }),
      clock: itsClock,
      log: jsonLog({ level: 'debug', nowMs: clock.nowMs.bind(clock), write: (line) => lines.push(line) }),
      metrics: new Metrics(),
    });
  const exchange = processIn(regions);
  const token = (claims: object = {}, signing: Signing = {}) =>
    issuer.token({ sub: 'weir', aud: audience, ...claims }, signing);
  return { issuer, clock, exchange, processIn, state, lines, token };
}

test('the token of a platform is exchanged for one that admits to its cluster, for a limited time', async () => {
  const { exchange, clock, token } = await world();
  const given = await exchange.exchange(audience, await token());
  assert.ok(typeof given === 'object');
  assert.equal(given.lifetimeMs, 600_000);
  assert.equal(await exchange.authorize('vci_test', given.token), true);
  assert.equal(
    await exchange.authorize('vci_other', given.token),
    undefined,
    'not a cluster of this process',
  );
  assert.equal(await exchange.authorize('vci_test', `${given.token}x`), false);
  assert.equal(await exchange.authorize('vci_test', 'aks_1'), false);
  clock.advance(599_999);
  assert.equal(await exchange.authorize('vci_test', given.token), true);
  clock.advance(1);
  assert.equal(await exchange.authorize('vci_test', given.token), false);
});

const inRegion = (own: string | undefined): TokenRegions => ({ own, of: () => ['west', 'east'] });

test('a caller that asks for it gets a token for each region, which admits in that region only', async () => {
  const { exchange, processIn, token, lines } = await world({}, inRegion('east'));
  const given = await exchange.exchange(audience, await token(), { asksByRegion: true });
  assert.ok(typeof given === 'object');
  const { own, tokens } = given.byRegion!;
  assert.deepEqual([own, ...tokens.keys()], ['east', 'east', 'west']);
  assert.equal(tokens.get('east'), given.token);
  const processes = {
    east: exchange,
    west: processIn(inRegion('west')),
    north: processIn(inRegion('north')),
  };
  const admitted = async (text: string) => {
    const found: string[] = [];
    for (const [name, process] of Object.entries(processes))
      if ((await process.authorize('vci_test', text)) === true) found.push(name);
    return found;
  };
  assert.deepEqual(await admitted(tokens.get('east')!), ['east']);
  assert.deepEqual(await admitted(tokens.get('west')!), ['west']);
  assert.match(
    lines.findLast((line) => line.includes('another region'))!,
    /"clusterId":"vci_test","region":"west","own":"north"/,
  );

  const plain = await exchange.exchange(audience, await token());
  assert.ok(typeof plain === 'object');
  assert.equal(plain.byRegion, undefined);
  assert.deepEqual(
    await admitted(plain.token),
    Object.keys(processes),
    'an agent of an earlier release uses one token in all regions',
  );
});

test('a process without a region issues tokens without one, and accepts those of all', async () => {
  const { exchange, processIn, token } = await world();
  const elsewhere = processIn(inRegion('east'));
  const plain = await exchange.exchange(audience, await token(), { asksByRegion: true });
  const bound = await elsewhere.exchange(audience, await token(), { asksByRegion: true });
  assert.ok(typeof plain === 'object' && typeof bound === 'object');
  assert.equal(plain.byRegion, undefined);
  assert.equal(await exchange.authorize('vci_test', plain.token), true);
  assert.equal(await elsewhere.authorize('vci_test', plain.token), true);
  assert.equal(await exchange.authorize('vci_test', bound.token), true);
  assert.equal(await processIn(inRegion(undefined)).authorize('vci_test', bound.token), true);
});

test('a token for another region ends by the clock of that region', async () => {
  for (const skewMs of [-10_000, 10_000]) {
    const { exchange, processIn, clock, token } = await world({ lifetimeSeconds: 60 }, inRegion('east'));
    const itsClock = new HandClock(clock.nowMs() + skewMs);
    const west = processIn(inRegion('west'), itsClock);
    const given = await exchange.exchange(audience, await token(), { asksByRegion: true });
    assert.ok(typeof given === 'object');
    const text = given.byRegion!.tokens.get('west')!;
    itsClock.advance(45_000);
    assert.equal(await west.authorize('vci_test', text), true, 'an agent has replaced it by then');
    itsClock.advance(15_000 - skewMs);
    assert.equal(await west.authorize('vci_test', text), false);
  }
});

test('a deleted or changed binding invalidates its tokens', async () => {
  const { exchange, state, token } = await world();
  const given = await exchange.exchange(audience, await token());
  assert.ok(typeof given === 'object');
  const { bindings } = state;
  state.bindings = [];
  assert.equal(await exchange.authorize('vci_test', given.token), false);
  state.bindings = [{ ...bindings[0]!, mark: 'another' }];
  assert.equal(await exchange.authorize('vci_test', given.token), false);
  state.bindings = bindings;
  assert.equal(await exchange.authorize('vci_test', given.token), true);
});

test('a process that does not know the secret yet reports that, and refuses no agent', async () => {
  const { exchange, state, token } = await world();
  const given = await exchange.exchange(audience, await token());
  assert.ok(typeof given === 'object');
  state.secrets = undefined;
  assert.equal(await exchange.authorize('vci_test', given.token), undefined);
  assert.equal(await exchange.exchange(audience, await token()), 'not ready');
  state.secrets = [Buffer.alloc(32, 2)];
  assert.equal(await exchange.authorize('vci_test', given.token), false, 'of another database');
});

type World = Awaited<ReturnType<typeof world>>;

type Refused = [what: string, token: (world: World) => Promise<string> | string, why: RegExp];

const refused: Refused[] = [
  ['for another audience', ({ token }) => token({ aud: 'weir://vci_other' }), /wif_eks: the claim aud of/],
  ['over', ({ token, clock }) => token({ exp: clock.nowMs() / 1000 - 31 }), /wif_eks: the token has expired/],
  [
    'of another issuer',
    ({ token }) => token({ iss: 'https://elsewhere.test' }),
    /no binding is for the issuer/,
  ],
  ['of no issuer', ({ token }) => token({ iss: undefined }), /no binding is for the issuer/],
  ['of another workload', ({ token }) => token({ sub: 'other' }), /wif_eks: the claim sub is another one/],
  ['no token', () => 'hello', /no binding is for the issuer/],
  [
    'without a signature',
    ({ issuer }) => issuer.unsignedToken({ sub: 'weir', aud: audience }),
    /wif_eks: the token (?:is signed|cannot be read)/,
  ],
  [
    'signed with another key',
    ({ issuer }) => issuer.foreignToken({ sub: 'weir', aud: audience }),
    /wif_eks: the signature/,
  ],
  [
    'signed with a symmetric algorithm',
    ({ token }) => token({}, { alg: 'HS256', key: Buffer.alloc(32) }),
    /wif_eks: the token is signed in a way/,
  ],
  ...(['pem', 'der', 'jwk'] as const).map(
    (format): Refused => [
      `signed with the public key of the issuer as a shared secret (${format})`,
      (made) => keyConfusionToken(made, format),
      /wif_eks: the token is signed in a way/,
    ],
  ),
];

/** A verifier that takes the algorithm from the token would use the RSA key, which is public, for HMAC. */
async function keyConfusionToken({ issuer, token }: World, format: 'pem' | 'der' | 'jwk'): Promise<string> {
  await issuer.addKey('rsa', 'RS256');
  const described = issuer.documents.get(issuer.descriptionPath) as object;
  issuer.documents.set(issuer.descriptionPath, {
    ...described,
    id_token_signing_alg_values_supported: ['RS256', 'HS256'],
  });
  const { keys } = issuer.documents.get(issuer.keysPath) as { keys: JsonWebKey[] };
  const jwk = keys.find(({ kty }) => kty === 'RSA')!;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const secret =
    format === 'jwk' ? JSON.stringify(jwk) : key.export({ type: 'spki', format: format as 'pem' });
  return token({}, { kid: 'rsa', alg: 'HS256', key: Buffer.from(secret) });
}

test('a token that is signed with the RSA key itself is accepted', async () => {
  const { exchange, issuer, token } = await world();
  await issuer.addKey('rsa', 'RS256');
  assert.ok(
    typeof (await exchange.exchange(audience, await token({}, { kid: 'rsa', alg: 'RS256' }))) === 'object',
  );
});

for (const [what, make, why] of refused) {
  test(`refused: a token ${what}`, async () => {
    const made = await world();
    const token = await make(made);
    assert.equal(await made.exchange.exchange(audience, token), 'not admitted');
    assert.match(made.lines.at(-1)!, why);
    assert.ok(!made.lines.some((line) => line.includes(token)), 'the token is not logged');
  });
}

test('only issuers that a binding names are contacted', async () => {
  const { exchange, issuer, token } = await world();
  await exchange.exchange(audience, await token({ iss: 'https://elsewhere.test' }));
  await exchange.exchange('weir://vci_other', await token());
  assert.deepEqual(issuer.asked, []);
});

test('a binding may require another audience, and several bindings are tried', async () => {
  const { exchange, state, token } = await world({ audience: 'sts.amazonaws.com' });
  assert.ok(
    typeof (await exchange.exchange(audience, await token({ aud: 'sts.amazonaws.com' }))) === 'object',
  );
  assert.equal(await exchange.exchange(audience, await token()), 'not admitted');
  const [binding] = state.bindings;
  const other = { ...binding!, name: 'wif_two', mark: 'two', audience };
  state.bindings = [binding!, other];
  assert.ok(typeof (await exchange.exchange(audience, await token())) === 'object');
});

test('the metadata of an issuer is fetched once', async () => {
  const { exchange, issuer, token } = await world();
  for (let times = 0; times < 3; times++) await exchange.exchange(audience, await token());
  assert.deepEqual(issuer.asked, [issuer.descriptionPath, issuer.keysPath]);
});

test('an unreachable or invalid issuer refuses no agent, and is retried', async () => {
  const url = 'https://issuer.test/one';
  const elsewhere = 'https://elsewhere.test';
  const cases: [what: string, change: (issuer: TestIssuer) => void, why: RegExp][] = [
    ['unavailable', ({ documents, descriptionPath }) => documents.delete(descriptionPath), /status 404/],
    ['without keys', ({ documents, keysPath }) => documents.delete(keysPath), /status 404/],
    [
      'for another',
      described({ issuer: elsewhere, jwks_uri: `${elsewhere}/keys` }),
      /not that of the issuer/,
    ],
    ['in clear', described({ issuer: url, jwks_uri: 'http://issuer.test/one/keys' }), /not plain https/],
    ['on this machine', described({ issuer: url, jwks_uri: 'http://127.0.0.1/keys' }), /not plain https/],
    ['with no word of keys', described({ issuer: url }), /has no jwks_uri/],
  ];
  for (const [what, change, why] of cases) {
    const { exchange, issuer, clock, lines, token } = await world();
    const documents = [...issuer.documents];
    change(issuer);
    assert.equal(await exchange.exchange(audience, await token()), 'not ready', what);
    assert.match(lines.at(-1)!, why, what);
    for (const [path, document] of documents) issuer.documents.set(path, document);
    clock.advance(5_000);
    assert.ok(typeof (await exchange.exchange(audience, await token())) === 'object', what);
  }
});

test('a new key of the issuer is fetched, and a guessed key id is refused', async () => {
  const { exchange, issuer, clock, token } = await world();
  assert.ok(typeof (await exchange.exchange(audience, await token())) === 'object');
  await issuer.addKey('second');
  clock.advance(30_000);
  const keys = issuer.documents.get(issuer.keysPath);
  issuer.documents.delete(issuer.keysPath);
  assert.equal(await exchange.exchange(audience, await token({}, { kid: 'second' })), 'not ready');
  issuer.documents.set(issuer.keysPath, keys);
  clock.advance(5_000);
  assert.ok(typeof (await exchange.exchange(audience, await token({}, { kid: 'second' }))) === 'object');
  const guessed = await issuer.foreignToken({ sub: 'weir', aud: audience }, 'third');
  assert.equal(await exchange.exchange(audience, guessed), 'not admitted');
});

function described(description: object) {
  return ({ documents, descriptionPath }: TestIssuer) => {
    documents.set(descriptionPath, description);
  };
}
