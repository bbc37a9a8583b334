import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { jsonLog, Metrics, seededRandom } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { agentTokenPath } from '@weir/rpc';
import { TestCa } from '@weir/security/testing';
import { AgentToken, type AgentTokenOptions } from './agent-token.ts';

const platform = 'aGVhZA.cGxhbnRlZA.c2ln';

type Answer = readonly [status: number, body: unknown];

async function listening(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A control plane with one route that returns numbered tokens. */
async function controlPlane(t: TestContext, prefix = '') {
  const forms: URLSearchParams[] = [];
  /** With regions, each of them has its token in every answer, and the first is that of the process. */
  const state: { answer?: Answer; regions?: readonly [string, ...string[]] } = {};
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (`${request.method} ${request.url}` !== `POST ${prefix}/${agentTokenPath}`) {
      response.writeHead(404).end();
      return;
    }
    forms.push(new URLSearchParams(Buffer.concat(chunks).toString()));
    const text = (region?: string) => ['agt', forms.length, region].filter(Boolean).join('_');
    const { regions } = state;
    const given = {
      access_token: text(regions?.[0]),
      expires_in: 1000,
      ...(regions && {
        region: regions[0],
        region_tokens: Object.fromEntries(regions.map((name) => [name, text(name)])),
      }),
    };
    const [status, body] = state.answer ?? [200, given];
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const port = await listening(t, server);
  return { url: `http://127.0.0.1:${port}${prefix}`, port, forms, state };
}

function tokenOf(t: TestContext, urls: readonly string[], more: Partial<AgentTokenOptions> = {}) {
  const clock = new HandClock();
  const lines: string[] = [];
  const token = new AgentToken({
    clusterId: 'vci_1',
    urls: () => urls,
    platformToken: async () => platform,
    clock,
    random: seededRandom(7),
    log: jsonLog({ level: 'debug', nowMs: () => 0, write: (line) => lines.push(line) }),
    metrics: new Metrics(),
    ...more,
  });
  t.after(() => token.stop());
  const warnings = () => lines.filter((line) => line.includes('"warn"'));
  return { token, clock, lines, warnings };
}

function held(token: AgentToken): string | undefined {
  try {
    return token.current();
  } catch {
    return undefined;
  }
}

test('a token is requested as RFC 8693 defines it, and replaced before it expires', async (t) => {
  const { url, forms } = await controlPlane(t, '/behind/a/proxy');
  const { token, clock } = tokenOf(t, [url]);
  assert.throws(() => token.current(), /no agent token: it was not given yet/);
  token.start();
  await token.whenHeld();
  assert.equal(token.current(), 'agt_1');
  assert.deepEqual(Object.fromEntries(forms[0]!), {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: platform,
    audience: 'weir://vci_1',
    region_tokens: 'true',
  });
  clock.advance(499_000);
  assert.equal(forms.length, 1, 'no refresh in the first half of its lifetime');
  clock.advance(251_000);
  await until(() => held(token) === 'agt_2');
});

test('the expiry of the token is reported', async (t) => {
  const { url } = await controlPlane(t);
  const { token, clock } = tokenOf(t, [url]);
  assert.deepEqual(token.expiry(), []);
  const issuedMs = clock.nowMs();
  token.start();
  await token.whenHeld();
  clock.advance(1_000);
  assert.deepEqual(token.expiry(), [{ name: 'agent token', issuedMs, expiresMs: issuedMs + 1_000_000 }]);
});

test('while a refresh fails the old token is used until it expires', async (t) => {
  const { url, state, forms } = await controlPlane(t);
  const { token, clock, warnings } = tokenOf(t, [url]);
  token.start();
  await token.whenHeld();
  state.answer = [400, { error: 'invalid_grant', error_description: 'no binding' }];
  clock.advance(750_000);
  await until(() => warnings().length === 1);
  assert.equal(token.current(), 'agt_1');
  clock.advance(250_000);
  await until(() => warnings().length === 2);
  assert.throws(
    () => token.current(),
    /no agent token: http:\/\/127.0.0.1:\d+: no token, status 400: no binding/,
  );
  delete state.answer;
  clock.advance(15_000);
  await until(() => held(token) !== undefined);
  assert.equal(token.current(), `agt_${forms.length}`);
});

test('a token that is refused before it expires is replaced soon', async (t) => {
  const { url } = await controlPlane(t);
  const { token, clock } = tokenOf(t, [url]);
  token.start();
  await token.whenHeld();
  const place = { url, region: undefined };
  token.refused('agt_0', place);
  clock.advance(1_000);
  assert.equal(token.current(), 'agt_1', 'the refused token is not the current one');
  token.refused('agt_1', place);
  clock.advance(1_000);
  await until(() => held(token) === 'agt_2');
});

/** A platform that counts how often it is asked for its token. */
function countingPlatform() {
  const requests = { count: 0 };
  const platformToken = async () => {
    requests.count++;
    return platform;
  };
  return { requests, platformToken };
}

test('tokens that are refused again and again are replaced at intervals that grow', async (t) => {
  const { url } = await controlPlane(t);
  const { requests, platformToken } = countingPlatform();
  const { token, clock } = tokenOf(t, [url], { platformToken });
  token.start();
  await token.whenHeld();
  const waitsMs: number[] = [];
  while (waitsMs.length < 8) {
    const before = requests.count;
    token.refused(token.current(), { url, region: undefined });
    let waitMs = 0;
    for (; requests.count === before && waitMs < 60_000; waitMs += 100) clock.advance(100);
    waitsMs.push(waitMs);
    await until(() => held(token) === `agt_${requests.count}`);
  }
  assert.ok(waitsMs[0]! <= 500, `${waitsMs}`);
  assert.ok(
    waitsMs.slice(-2).every((waitMs) => waitMs > 7_000 && waitMs <= 15_000),
    `${waitsMs}`,
  );
});

const inRegion = (region: string, url = `http://${region}/`) => ({ url, region });

test('one exchange gives a token for each region, with which an agent goes there without another', async (t) => {
  const { url, forms, state } = await controlPlane(t);
  state.regions = ['east', 'west'];
  const { token, clock } = tokenOf(t, [url]);
  token.start();
  await token.whenHeld();
  token.expect(['east', 'west']);
  assert.equal(token.current(inRegion('east')), 'agt_1_east');
  assert.equal(token.current(inRegion('west')), 'agt_1_west');
  assert.equal(token.current(), 'agt_1_east');
  clock.advance(499_000);
  assert.equal(forms.length, 1, 'nothing is missing');
  state.answer = [503, {}];
  clock.advance(251_000);
  await until(() => forms.length === 2);
  assert.equal(token.current(inRegion('west')), 'agt_1_west', 'while a refresh fails, in all regions');
});

test('a token for a region that was added is fetched ahead, a few times at most', async (t) => {
  const { url, forms, state } = await controlPlane(t);
  state.regions = ['east', 'west'];
  const { requests, platformToken } = countingPlatform();
  const { token, clock } = tokenOf(t, [url], { platformToken });
  token.start();
  await token.whenHeld();
  const seen = async (count: number) => {
    await until(() => forms.length === count && held(token) === `agt_${count}_east`);
  };
  token.expect(['east', 'west', 'north']);
  assert.throws(() => token.current(inRegion('north')), /no agent token for region north/);
  for (const count of [2, 3, 4]) {
    clock.advance(10_000);
    await seen(count);
  }
  clock.advance(400_000);
  assert.equal(requests.count, 4, 'the control plane knows no such region');
  state.regions = ['east', 'west', 'north'];
  clock.advance(400_000);
  await seen(5);
  assert.equal(token.current(inRegion('north')), 'agt_5_north');

  state.regions = ['east', 'west'];
  token.expect(['east', 'west']);
  clock.advance(750_000);
  await seen(6);
  assert.throws(() => token.current(inRegion('north')), 'a region that was removed has none');
  assert.equal(token.current(inRegion('west')), 'agt_6_west');
});

test('a token of another region is told from a refused one: another is tried before a new exchange', async (t) => {
  const { url, forms, state } = await controlPlane(t);
  state.regions = ['east', 'west'];
  const { token, clock } = tokenOf(t, [url]);
  token.start();
  await token.whenHeld();
  const balancer = { url: 'http://control.test/', region: undefined };
  token.refused('agt_1_east', balancer);
  assert.equal(token.current(balancer), 'agt_1_west');
  clock.advance(10_000);
  assert.equal(forms.length, 1);
  token.refused('agt_1_west', balancer);
  assert.throws(() => token.current(balancer), /no agent token that http:\/\/control.test\/ accepts/);
  clock.advance(1_000);
  await until(() => held(token) === 'agt_2_east');
  assert.equal(token.current(balancer), 'agt_2_east');
});

test('while the platform gives no token, those of all regions serve until they end', async (t) => {
  const { url, state } = await controlPlane(t);
  state.regions = ['east', 'west'];
  let isDown = false;
  const platformToken = async () => {
    if (isDown) throw new Error('the metadata service of GCP: no answer');
    return platform;
  };
  const { token, clock, warnings } = tokenOf(t, [url], { platformToken });
  token.start();
  await token.whenHeld();
  isDown = true;
  clock.advance(750_000);
  await until(() => warnings().length === 1);
  assert.equal(token.current(inRegion('west')), 'agt_1_west');
  clock.advance(250_000);
  assert.throws(
    () => token.current(inRegion('west')),
    /no agent token: the metadata service of GCP: no answer/,
  );
});

test('another process of the control plane is used if one does not answer', async (t) => {
  const { url, forms } = await controlPlane(t);
  const { token } = tokenOf(t, ['http://127.0.0.1:1', url]);
  token.start();
  await token.whenHeld();
  assert.equal(forms.length, 1);
});

/** A process that accepts connections and never answers, as one behind a broken network. */
async function silentPlane(t: TestContext) {
  const counts = { begun: 0, ended: 0 };
  const server = createServer((_request, response) => {
    counts.begun++;
    response.once('close', () => counts.ended++);
  });
  return { url: `http://127.0.0.1:${await listening(t, server)}`, counts };
}

test('a token of the shortest lifetime is replaced in time while several addresses are silent', async (t) => {
  const silent = await Promise.all(Array.from({ length: 5 }, () => silentPlane(t)));
  const { url, state } = await controlPlane(t);
  let urls = [url];
  const { token, clock } = tokenOf(t, [], { urls: () => urls });
  state.answer = [200, { access_token: 'agt_first', expires_in: 60 }];
  token.start();
  await token.whenHeld();
  const endMs = clock.monotonicMs() + 60_000;
  urls = [...silent.map((plane) => plane.url), url];
  state.answer = [200, { access_token: 'agt_second', expires_in: 60 }];
  // The latest time for a renewal.
  clock.advance(45_000);
  for (const { counts } of silent) {
    await until(() => counts.begun === 1);
    clock.advance(2_000);
  }
  await until(() => held(token) === 'agt_second');
  assert.ok(clock.monotonicMs() < endMs);
  await until(() => silent.every(({ counts }) => counts.ended === 1));
});

const given = { access_token: 'a', expires_in: 1 };
const answers: [what: string, answer: Answer, problem: RegExp][] = [
  ['no JSON', [200, '<html>'], /no access_token/],
  ['null', [200, 'null'], /no access_token/],
  ['no token', [200, { expires_in: 1 }], /no access_token/],
  ['an expired token', [200, { access_token: 'a', expires_in: 0 }], /no access_token/],
  [
    'a region without its token',
    [200, { ...given, region: 'e', region_tokens: {} }],
    /not one token for each region/,
  ],
  ['a region without tokens', [200, { ...given, region: 'e' }], /not one token for each region/],
  [
    'tokens that are no text',
    [200, { ...given, region: 'e', region_tokens: { e: 'a', w: 7 } }],
    /not one token for/,
  ],
  ['a response of a busy process', [503, { error_description: 'ask again' }], /status 503: ask again/],
  ['an HTML page of a proxy', [502, '<html>'], /status 502$/],
];

for (const [what, answer, problem] of answers) {
  test(`${what} is not accepted as a token`, async (t) => {
    const { url, state } = await controlPlane(t);
    state.answer = answer;
    const { token, lines, warnings } = tokenOf(t, [url]);
    token.start();
    await until(() => warnings().length === 1);
    assert.match((JSON.parse(warnings()[0]!) as { error: string }).error, problem);
    assert.ok(!lines.some((line) => line.includes(platform)), 'the token of the platform is not logged');
  });
}

/** A proxy that itself uses TLS, with a certificate of a private authority. */
async function tlsProxy(t: TestContext, ca: TestCa) {
  const { certificate, privateKey } = await ca.issueServer();
  const targets: string[] = [];
  const server = createTlsServer({ cert: certificate, key: privateKey });
  server.on('connect', (request, client, head) => {
    targets.push(request.url!);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
  });
  const port = await listening(t, server);
  return { url: `https://127.0.0.1:${port}`, targets };
}

test('the exchange goes through the proxy of the control plane, with its private authority', async (t) => {
  const ca = await TestCa.create();
  const { url, port } = await controlPlane(t);
  const proxy = await tlsProxy(t, ca);
  const known = tokenOf(t, [url], { proxy: { url: proxy.url, ca: ca.certificate } });
  known.token.start();
  await known.token.whenHeld();
  assert.deepEqual(proxy.targets, [`127.0.0.1:${port}`]);

  const stranger = tokenOf(t, [url], { proxy: { url: proxy.url } });
  stranger.token.start();
  await until(() => stranger.warnings().length === 1);
  assert.match(stranger.warnings()[0]!, /the proxy https:\/\/127.0.0.1:\d+: .*certificate/);
  assert.equal(proxy.targets.length, 1);
});
