import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Log, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { startTestIssuer } from '../testing/test-issuer.ts';
import { isSafeAddress } from './address.ts';
import { descriptionUrls } from './discovery.ts';
import { fetchJsonOver } from './fetch-json.ts';
import { Issuer } from './issuer.ts';
import { readDescription } from './issuer-description.ts';
import { oidcLimits } from './limits.ts';

const openId = '/realm/.well-known/openid-configuration';
const rfc8414 = '/.well-known/oauth-authorization-server/realm';

async function stage(t: TestContext, { allowsLoopbackHttp = true } = {}) {
  const clock = new HandClock();
  const server = await startTestIssuer(t, () => clock.nowMs());
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => warnings.push(message) };
  const issuer = new Issuer({ url: server.url, purpose: 'this test', allowsLoopbackHttp, clock, log });
  t.after(() => issuer.close());
  return { clock, server, issuer, warnings };
}

test('an issuer has its metadata at the OpenID Connect or the RFC 8414 URL', () => {
  const cases: readonly [issuer: string, openIdUrl: string, rfcUrl: string][] = [
    [
      'https://id.example',
      'https://id.example/.well-known/openid-configuration',
      'https://id.example/.well-known/oauth-authorization-server',
    ],
    [
      'https://id.example/',
      'https://id.example/.well-known/openid-configuration',
      'https://id.example/.well-known/oauth-authorization-server',
    ],
    [
      'https://id.example:8443/realms/one',
      'https://id.example:8443/realms/one/.well-known/openid-configuration',
      'https://id.example:8443/.well-known/oauth-authorization-server/realms/one',
    ],
  ];
  for (const [issuer, ...urls] of cases) assert.deepEqual(descriptionUrls(issuer), urls);
});

test('keys are fetched once an hour', async (t) => {
  const { clock, server, issuer } = await stage(t);
  await Promise.all([issuer.keys(), issuer.keys()]);
  assert.deepEqual(server.asked, [openId, '/realm/keys']);
  clock.advance(3_599_000);
  await issuer.keys();
  assert.equal(server.asked.length, 2);
  clock.advance(1_000);
  await issuer.keys();
  assert.equal(server.asked.length, 4);
});

test('without OpenID Connect metadata, RFC 8414 is used', async (t) => {
  const { server, issuer } = await stage(t);
  server.documents.set(rfc8414, server.documents.get(openId));
  server.documents.delete(openId);
  assert.equal((await issuer.keys()).issuer, server.url);
  assert.deepEqual(server.asked, [openId, rfc8414, '/realm/keys']);
});

test('an unreachable issuer fails what needs it, and is retried later', async (t) => {
  const { clock, server, issuer, warnings } = await stage(t);
  const description = server.documents.get(openId);
  server.documents.delete(openId);
  for (let count = 0; count < 3; count++) await assert.rejects(issuer.keys(), /status 404.*status 404/);
  assert.equal(server.asked.length, 2);
  assert.deepEqual(warnings, ['failed to fetch keys of token issuer']);
  server.documents.set(openId, description);
  clock.advance(5_000);
  assert.equal((await issuer.keys()).issuer, server.url);
});

test('keys remain valid for a day if the issuer is unreachable', async (t) => {
  const { clock, server, issuer } = await stage(t);
  const keys = await issuer.keys();
  server.documents.clear();
  clock.advance(23 * 3_600_000);
  assert.equal(await issuer.keys(), keys);
  clock.advance(3_600_000);
  await assert.rejects(issuer.keys(), /cannot be asked/);
});

test('metadata or keys that are not those of the issuer are rejected', async (t) => {
  const cases: readonly [label: string, path: string, document: (url: string) => unknown, problem: RegExp][] =
    [
      [
        'of another',
        openId,
        () => ({ issuer: 'https://other', jwks_uri: 'https://other/keys' }),
        /not that of/,
      ],
      ['without an issuer', openId, (url) => ({ jwks_uri: `${url}/keys` }), /not that of/],
      ['without keys', openId, (url) => ({ issuer: url }), /no jwks_uri/],
      ['no object', openId, () => '"text"', /not that of/],
      ['nothing', openId, () => 'null', /not that of/],
      ['no JSON', openId, () => '<html>', /JSON/],
      [
        'unsafe keys',
        openId,
        (url) => ({ issuer: url, jwks_uri: 'http://id.example/keys' }),
        /not plain https/,
      ],
      [
        'keys in a file',
        openId,
        (url) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' }),
        /not plain https/,
      ],
      ['no keys', '/realm/keys', () => ({ keys: 'none' }), /malformed/i],
      ['endless', '/realm/keys', () => 'x'.repeat(oidcLimits.issuerAnswerBytesMax + 1), /exceeds/],
    ];
  for (const [label, path, document, problem] of cases) {
    const { server, issuer } = await stage(t);
    server.documents.set(path, document(server.url));
    await assert.rejects(issuer.keys(), problem, label);
  }
});

test('a trailing slash makes no difference, and tokens are compared with the identifier of the issuer', () => {
  const described = (issuer: string) =>
    readDescription('https://id.example', { issuer, jwks_uri: 'https://k' });
  assert.equal(described('https://id.example/').issuer, 'https://id.example/');
  assert.throws(() => described('https://id.example/x'));
  assert.throws(() => described('http://id.example'));
});

test('only https is safe, and, if allowed, loopback', () => {
  const cases: readonly [url: string, isSafe: boolean, isSafeWithLoopback: boolean][] = [
    ['https://id.example/keys', true, true],
    ['http://id.example/keys', false, false],
    ['http://localhost:8080/', false, true],
    ['http://127.0.0.1:8080/', false, true],
    ['http://[::1]:8080/', false, true],
    ['https://localhost:8443/', true, true],
    ['http://127.0.0.1.id.example/', false, false],
    ['http://localhost.id.example/', false, false],
    ['https://user:password@id.example/', false, false],
    ['https://:password@id.example/', false, false],
    ['ftp://localhost/', false, false],
    ['keys', false, false],
  ];
  for (const [url, ...expected] of cases) {
    const found = [false, true].map((allowsLoopbackHttp) => isSafeAddress(url, { allowsLoopbackHttp }));
    assert.deepEqual(found, expected, url);
  }
});

test('an unsafe address is not called', async (t) => {
  const { server, issuer } = await stage(t, { allowsLoopbackHttp: false });
  await assert.rejects(issuer.keys(), /not plain https/);
  assert.deepEqual(server.asked, []);
});

test('newer keys are found, or do not exist, or are unknown', async (t) => {
  const { clock, server, issuer } = await stage(t);
  const first = await issuer.keys();
  assert.equal(await issuer.keysAfter(first), undefined, 'the issuer was contacted just now');
  assert.equal(server.asked.length, 2);
  clock.advance(30_000);
  const second = await issuer.keysAfter(first);
  assert.notEqual(second, first);
  assert.equal(await issuer.keysAfter(first), second, 'the new keys are already fetched');
  assert.equal(server.asked.length, 4);
  clock.advance(30_000);
  server.documents.clear();
  await assert.rejects(issuer.keysAfter(second!), { name: 'IssuerUnavailable' });
  assert.equal(await issuer.keys(), second, 'the cached keys remain valid');
});

test('a closed issuer aborts its requests, and logs no failure', async (t) => {
  const { issuer, warnings } = await stage(t);
  const rejected = assert.rejects(issuer.keys(), { name: 'IssuerUnavailable' });
  issuer.close();
  await rejected;
  assert.deepEqual(warnings, []);
});

test('a request without an answer times out, and no redirect is followed', async (t) => {
  const clock = new HandClock();
  const requested = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: '/elsewhere' }).end();
    else requested.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const fetchJson = fetchJsonOver(clock);
  await assert.rejects(fetchJson(`${base}/away`, signal), /status 302/);
  const late = assert.rejects(fetchJson(`${base}/silence?key=secret`, signal), (error: Error) => {
    assert.equal(error.message, `${base}/silence: no response within 10000 ms`);
    return true;
  });
  await requested.promise;
  clock.advance(10_000);
  await late;
  assert.equal(clock.waiting, 0);
});
