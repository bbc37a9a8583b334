import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startTestApi } from '../../testing/api-server.ts';
import { makeAccount } from '../../testing/two-accounts.ts';
import { RateLimits, usualRateLimits } from '../api-server/rate-limits.ts';
import { metricsReaders } from '../hosted-metrics/metrics-reader.ts';
import { signAgentToken } from './agent-tokens.ts';
import { bindingOfFederation } from './binding.ts';
import { TokenExchange } from './token-exchange.ts';
import { tokenKeys } from './token-keys.ts';

/**
 * What tokens of federations permit besides connecting agents. The properties of all callers are in
 * permissions-of-calls.test.ts.
 */

async function start(t: TestContext) {
  const api = await startTestApi(t);
  const ours = await makeAccount(api.accounts, 'Ours');
  const federate = (name: string, isReadOnly: boolean) =>
    api.accounts.federations.create(ours.accountId, {
      clusterId: ours.a.clusterId,
      name,
      issuer: 'https://issuer.example',
      audience: 'weir',
      rules: [{ path: 'sub', value: 'x' }],
      isReadOnly,
      lifetimeSeconds: 60,
    });
  const statusOf = async (token: string, operation: string, body: object) => {
    const headers = { 'service-api-key': token };
    return (await api.call(operation, { headers, body })).status;
  };
  return { api, ours, federate, statusOf };
}

const opened: [operation: string, status: number][] = [
  ['describe_virtual_cluster', 200],
  ['list_topics', 200],
  ['list_workload_identity_federations', 200],
  ['delete_virtual_cluster', 403],
  ['create_topic', 403],
];

for (const isReadOnly of [true, false]) {
  test(`a token that ${isReadOnly ? 'only reads' : 'connects agents'} reads its cluster and changes nothing`, async (t) => {
    const { api, ours, federate, statusOf } = await start(t);
    const token = api.tokenOf(await federate('reader', isReadOnly));
    const examples = {
      delete_virtual_cluster: { virtual_cluster_name: 'vcn_orders' },
      create_topic: { topic_name: 't', partition_count: 1, configs: {} },
    } as Record<string, object>;
    for (const [operation, status] of opened) {
      const rest = examples[operation] ?? {};
      const own = { virtual_cluster_id: ours.a.clusterId, ...rest };
      assert.equal(await statusOf(token, operation, own), status, operation);
      const other = { virtual_cluster_id: ours.b.clusterId, ...rest };
      assert.equal(await statusOf(token, operation, other), 404, `${operation} elsewhere`);
    }
    assert.equal(await statusOf(token, 'list_workspaces', {}), 200);
    assert.equal(await statusOf(token, 'create_workspace', { workspace_name: 'more' }), 403);
  });
}

test('a token is valid until it expires, and as long as its federation exists', async (t) => {
  const { api, ours, federate, statusOf } = await start(t);
  const { clock } = api.deps;
  const [first, second] = [await federate('first', true), await federate('second', true)];
  const about = { virtual_cluster_id: ours.a.clusterId };
  const statuses = () =>
    Promise.all(
      [first, second].map((federation) =>
        statusOf(api.tokenOf(federation, 60_000), 'describe_virtual_cluster', about),
      ),
    );
  assert.deepEqual(await statuses(), [200, 200]);
  await api.accounts.federations.delete(ours.accountId, ours.a.clusterId, first.id);
  clock.advance(2_000);
  assert.deepEqual(await statuses(), [401, 200]);
  const token = api.tokenOf(second, 60_000);
  clock.advance(59_999);
  assert.equal(await statusOf(token, 'describe_virtual_cluster', about), 200);
  clock.advance(1);
  assert.equal(await statusOf(token, 'describe_virtual_cluster', about), 401);
});

test('a forged token is refused, and so is one of a deleted cluster', async (t) => {
  const { api, ours, federate, statusOf } = await start(t);
  const federation = await federate('reader', true);
  const { clusterId, mark: bindingMark } = bindingOfFederation(federation);
  const endMs = api.deps.clock.nowMs() + 60_000;
  const about = { virtual_cluster_id: clusterId };
  const guessed = [
    signAgentToken({ clusterId, bindingMark, endMs }, [Buffer.alloc(32, 8)]),
    signAgentToken({ clusterId: 'vci_nobody', bindingMark, endMs }, [Buffer.alloc(32, 7)]),
    signAgentToken({ clusterId: ours.b.clusterId, bindingMark, endMs }, [Buffer.alloc(32, 7)]),
    'agt_x.y',
  ];
  for (const token of guessed) assert.equal(await statusOf(token, 'describe_virtual_cluster', about), 401);
  const token = api.tokenOf(federation);
  assert.equal(await statusOf(token, 'describe_virtual_cluster', about), 200);
  await api.accounts.virtualClusters.delete(ours.accountId, clusterId);
  assert.equal(await statusOf(token, 'describe_virtual_cluster', about), 401);
});

test('while the secret of a cluster is unknown, a token gets a retriable error', async (t) => {
  const { api, ours, federate } = await start(t);
  const { clock, log } = api.deps;
  const tokens = new TokenExchange({
    bindings: () => [],
    secretsOf: () => undefined,
    issuers: { of: () => assert.fail('no issuer is called') },
    clock,
    log,
    metrics: api.metrics,
  });
  const proven = tokenKeys({ tokens, virtualClusters: api.accounts.virtualClusters });
  const token = api.tokenOf(await federate('reader', true));
  await assert.rejects(proven(token), { code: 'unavailable' });
  assert.notEqual(ours.a.clusterId, '');
});

test('a read-only token scrapes the metrics of its cluster, and connects no agent', async (t) => {
  const { api, ours, federate } = await start(t);
  const { accounts, deps, metrics } = api;
  const { clock, log } = deps;
  const federations = [await federate('reader', true), await federate('agents', false)];
  const secret = Buffer.alloc(32, 7);
  const tokens = new TokenExchange({
    bindings: () => federations.map(bindingOfFederation),
    secretsOf: () => [secret],
    issuers: { of: () => assert.fail('no issuer is called') },
    clock,
    log,
    metrics,
  });
  const { virtualClusters } = accounts;
  const mayRead = metricsReaders({
    accounts,
    tokenKeys: tokenKeys({ tokens, virtualClusters }),
    limits: new RateLimits(usualRateLimits, clock),
  });
  const [reader, agents] = federations.map((federation) => api.tokenOf(federation));
  for (const token of [reader!, agents!]) {
    assert.equal(await mayRead(ours.a.clusterId, token, '203.0.113.7'), true);
    assert.equal(await mayRead(ours.b.clusterId, token, '203.0.113.7'), false);
  }
  assert.equal(await tokens.authorize(ours.a.clusterId, reader!), false);
  assert.equal(await tokens.authorize(ours.a.clusterId, agents!), true);
});
