import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';
import { TestIssuer } from '@weir/oidc/testing';
import { agentTokenPath, connectCluster, regionTokens, tokenExchange } from '@weir/rpc';
import { controlPlaneLimits } from '../limits.ts';
import { startControlPlane } from '../server.ts';
import { parseBindings } from './bindings-file.ts';
import { platformIssuers } from './platform-issuers.ts';
import { TokenExchange } from './token-exchange.ts';
import { tokenRoute } from './token-route.ts';

/** Over real sockets of this machine. */

const base = { clock: systemClock, random: systemRandom, log: silentLog };

test('a platform token becomes an agent token, which opens a connection', async (t) => {
  const cluster = new TestCluster();
  const issuer = await TestIssuer.create('https://issuer.test/one', () => systemClock.nowMs());
  const away = await TestIssuer.create('https://away.test/one', () => systemClock.nowMs());
  const claims = [{ path: 'sub', value: 'weir' }];
  const bindings = parseBindings(
    JSON.stringify([
      { name: 'one', issuer: issuer.url, clusterId: cluster.clusterId, claims },
      { name: 'two', issuer: away.url, clusterId: cluster.clusterId, claims },
    ]),
  );
  const tokens = new TokenExchange({
    ...base,
    bindings: () => bindings,
    secretsOf: () => [Buffer.alloc(32, 1)],
    regions: { own: 'east', of: () => ['east', 'west'] },
    issuers: platformIssuers({ ...base, fetchJson: issuer.fetchJson }),
    metrics: new Metrics(),
  });
  const { url, close } = await startControlPlane({
    ...base,
    host: '127.0.0.1',
    port: 0,
    clusters: () => cluster,
    authorize: tokens.authorize,
    handlers: { agentToken: tokenRoute(tokens) },
    readiness: () => true,
    members: () => [],
    metrics: new Metrics(),
  });
  t.after(() => close());
  const subjectToken = await issuer.token({ sub: 'weir', aud: 'weir://vci_test' });
  const awayToken = await away.token({ sub: 'weir', aud: 'weir://vci_test' });
  const form = {
    grant_type: tokenExchange.grantType,
    subject_token_type: tokenExchange.subjectTokenTypes[0],
    subject_token: subjectToken,
    audience: 'weir://vci_test',
  };
  const post = async (body: Record<string, string> | string, init: RequestInit = {}) => {
    const text = typeof body === 'string' ? body : new URLSearchParams(body).toString();
    const response = await fetch(`${url}/${agentTokenPath}`, { method: 'POST', body: text, ...init });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };

  const cases: [what: string, form: Record<string, string>, status: number, error: string][] = [
    ['another grant', { ...form, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['another kind of token', { ...form, subject_token_type: 'saml' }, 400, 'invalid_request'],
    ['no audience', { ...form, audience: 'weir://vci_other' }, 400, 'invalid_grant'],
    ['an unavailable issuer', { ...form, subject_token: awayToken }, 503, 'temporarily_unavailable'],
    ['no token', { ...form, subject_token: 'hello' }, 400, 'invalid_grant'],
    ['nothing', {}, 400, 'unsupported_grant_type'],
    [
      'too much',
      { ...form, more: 'x'.repeat(controlPlaneLimits.tokenRequestBytesMax) },
      413,
      'invalid_request',
    ],
  ];
  for (const [what, wrong, status, error] of cases) {
    const answer = await post(wrong);
    assert.deepEqual([answer.status, answer.body.error], [status, error], what);
    assert.ok(!JSON.stringify(answer.body).includes(subjectToken), what);
  }
  assert.equal((await fetch(`${url}/${agentTokenPath}`)).status, 405);

  const { status, body, headers } = await post(form);
  assert.deepEqual(
    [status, body.issued_token_type, body.expires_in],
    [200, tokenExchange.issuedTokenType, 3600],
  );
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual([body.region, body.region_tokens], [undefined, undefined], 'only those who ask get them');

  const byRegion = await post({ ...form, [regionTokens.parameter]: regionTokens.wanted });
  const given = byRegion.body.region_tokens as Record<string, string>;
  assert.deepEqual([byRegion.body.region, Object.keys(given)], ['east', ['east', 'west']]);
  assert.equal(given.east, byRegion.body.access_token);
  const refused = connectCluster({
    ...base,
    urls: [url],
    clusterId: cluster.clusterId,
    agentKey: () => given.west!,
    metrics: new Metrics(),
  });
  t.after(() => refused.close());
  await assert.rejects(refused.allocateProducerIds(1), { name: 'AgentKeyRefused' });

  const client = connectCluster({
    ...base,
    urls: [url],
    clusterId: cluster.clusterId,
    agentKey: () => body.access_token as string,
    metrics: new Metrics(),
  });
  t.after(() => client.close());
  await client.allocateProducerIds(1);
  assert.equal(cluster.calls.allocateProducerIds, 1);
});
