import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workspaceKeyHeader } from '@weir/api';
import { type McpStage, openMcpStage } from '../../testing/mcp-stage.ts';
import {
  accountGrant,
  agentGrant,
  appGrant,
  makeAccount,
  type TestAccount,
} from '../../testing/two-accounts.ts';

type Headers = Readonly<Record<string, string>>;

/** A tool call of an old client, which needs no handshake. */
async function callTool({ url }: Pick<McpStage, 'url'>, headers: Headers, name: string, args: object = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(data) as { result?: { isError?: boolean; content: { text: string }[] } };
  return {
    status: response.status,
    text: result?.content[0]?.text ?? text,
    isError: result?.isError === true,
  };
}

async function openWorld(t: Parameters<typeof openMcpStage>[0]) {
  const stage = await openMcpStage(t);
  const own = await makeAccount(stage.accounts, 'Own');
  const other = await makeAccount(stage.accounts, 'Other');
  return { stage, own, other };
}

test('keys give access to what they may read, and nothing else is visible', async (t) => {
  const { stage, own, other } = await openWorld(t);
  const reader = await own.key('reader', appGrant(own.a.id, 'app_r'));
  const second = await own.key('second', appGrant(own.b.id, 'app_r'));
  const foreign = await other.key('foreign', appGrant(other.a.id));
  const whole = await own.key('whole', accountGrant);
  const agent = await own.key('agent', agentGrant(own.a));
  const hyphens = (id: string) => id.replaceAll('_', '-');

  const rows: [what: string, headers: Headers, status: number, sees: string[]][] = [
    ['one key', { 'service-api-key': reader }, 200, ['vcn_orders']],
    ['one key by its workspace', { [workspaceKeyHeader(own.a.id)]: reader }, 200, ['vcn_orders']],
    ['as proxies spell it', { [workspaceKeyHeader(hyphens(own.a.id))]: reader }, 200, ['vcn_orders']],
    [
      'two workspaces',
      { [workspaceKeyHeader(own.a.id)]: reader, [workspaceKeyHeader(own.b.id)]: second },
      200,
      ['vcn_orders', 'vcn_payments'],
    ],
    // Such a key administers the account and works in no workspace.
    ['the whole account', { 'service-api-key': whole }, 200, []],
    ['an agent', { 'service-api-key': agent }, 200, []],
    ['no key', {}, 401, []],
    ['a wrong key', { 'service-api-key': 'aks_wrong' }, 401, []],
    ['the workspace of another key', { [workspaceKeyHeader(own.b.id)]: reader }, 401, []],
    ['a header that names no workspace', { 'service-api-key-nonsense': reader }, 401, []],
    [
      'one bad key among good ones',
      { [workspaceKeyHeader(own.a.id)]: reader, [workspaceKeyHeader(own.b.id)]: 'aks_wrong' },
      401,
      [],
    ],
    [
      'keys of two accounts',
      { [workspaceKeyHeader(own.a.id)]: reader, [workspaceKeyHeader(other.a.id)]: foreign },
      401,
      [],
    ],
    ['a bearer', { authorization: `Bearer ${reader}` }, 200, ['vcn_orders']],
    ['a bearer in lower case', { authorization: `bearer ${reader}` }, 200, ['vcn_orders']],
    ['a wrong bearer', { authorization: 'Bearer aks_wrong' }, 401, []],
    ['another scheme', { authorization: `Basic ${reader}` }, 401, []],
    // As of a proxy.
    [
      'a key beside a foreign bearer',
      { 'service-api-key': reader, authorization: 'Bearer x' },
      200,
      ['vcn_orders'],
    ],
    ['both forms', { 'service-api-key': reader, [workspaceKeyHeader(own.a.id)]: reader }, 401, []],
  ];
  for (const [what, headers, status, sees] of rows) {
    const answer = await callTool(stage, headers, 'get_context');
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (status === 401) assert.match(answer.text, /invalid API key/, what);
    const seen = ['vcn_orders', 'vcn_payments'].filter((name) => answer.text.includes(name));
    if (what !== 'an agent') assert.deepEqual(seen, sees, what);
    assert.doesNotMatch(answer.text, /Other/, what);
  }
});

test('a cluster of another account is reported as not found, with the same message', async (t) => {
  const { stage, own, other } = await openWorld(t);
  const key = await own.key('reader', appGrant(own.a.id, 'app_r'));
  const headers = { 'service-api-key': key };
  const listTopics = (virtual_cluster_id: string) =>
    callTool(stage, headers, 'list_topics', { virtual_cluster_id });
  const nowhere = await listTopics('vci_00000000_0000_4000_8000_000000000000');
  assert.equal(nowhere.isError, true);
  assert.match(nowhere.text, /^cluster_not_found: .*vcn_orders/);
  for (const foreign of [other.a.clusterId, own.b.clusterId]) {
    assert.deepEqual(await listTopics(foreign), nowhere);
    for (const tool of ['describe_virtual_cluster', 'list_agents', 'list_consumer_groups', 'list_acls'])
      assert.deepEqual(await callTool(stage, headers, tool, { virtual_cluster_id: foreign }), nowhere, tool);
  }
  assert.equal((await listTopics(own.a.clusterId)).isError, false);
  assert.equal((await listTopics('orders')).isError, false);
});

test('a key that exceeds its rate waits, and others do not', async (t) => {
  const stage = await openMcpStage(t, { requestsPerKey: { burst: 3, perSecond: 0.001 } });
  const own = await makeAccount(stage.accounts, 'Own');
  const one = { 'service-api-key': await own.key('one', appGrant(own.a.id)) };
  const other = { 'service-api-key': await own.key('other', appGrant(own.a.id)) };
  const statuses = [];
  for (let call = 0; call < 5; call++) statuses.push((await callTool(stage, one, 'get_context')).status);
  assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  assert.equal((await callTool(stage, other, 'get_context')).status, 200);
});

test('a revoked key gives no access', async (t) => {
  const { stage, own } = await openWorld(t);
  const secret = await own.key('reader', appGrant(own.a.id));
  const headers = { 'service-api-key': secret };
  assert.equal((await callTool(stage, headers, 'get_context')).status, 200);
  const key = (await stage.accounts.keys.list(own.accountId)).find(({ name }) => name === 'akn_reader');
  await stage.accounts.keys.revoke(own.accountId, key!.id);
  stage.deps.clock.advance(1_001);
  assert.equal((await callTool(stage, headers, 'get_context')).status, 401);
});

test('the documentation needs no key and has no access to clusters', async (t) => {
  const { stage, own } = await openWorld(t);
  const docs = { url: stage.docsUrl };
  const found = await callTool(docs, {}, 'search_docs', { query: 'superuser ACL operations of resources' });
  assert.match(found.text, /reference\/acls\.md/);
  const key = { 'service-api-key': await own.key('reader', appGrant(own.a.id)) };
  assert.match((await callTool(docs, key, 'get_context')).text, /Unknown tool/);
});

test('tools have icons, which this site serves without keys', async (t) => {
  const { stage, own } = await openWorld(t);
  const response = await fetch(stage.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'service-api-key': await own.key('reader', appGrant(own.a.id, 'app_r')),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const text = await response.text();
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
    result: { tools: { name: string; icons: { src: string }[] }[] };
  };
  const sources = new Set(result.tools.flatMap(({ icons }) => icons.map(({ src }) => src)));
  assert.ok(sources.size > 5);
  for (const source of sources) {
    assert.equal(new URL(source).origin, new URL(stage.url).origin);
    const icon = await fetch(source);
    assert.equal(icon.status, 200, source);
    assert.equal(icon.headers.get('content-type'), 'image/svg+xml');
    assert.match(icon.headers.get('cache-control')!, /^public, max-age=\d+$/);
    assert.match(await icon.text(), /^<svg /);
  }
  const posted = await fetch([...sources][0]!, { method: 'POST' });
  assert.equal(posted.status, 405);
});

test('records are sampled with a key that may read them, and the audit log has it', async (t) => {
  const { stage, own } = await openWorld(t);
  await stage.node.createTopics([{ name: 'orders', partitionCount: 1, configs: {} }], {
    validateOnly: false,
  });
  const sample = async (name: string, grant: Parameters<TestAccount['key']>[1]) =>
    callTool(stage, { 'service-api-key': await own.key(name, grant) }, 'sample_records', {
      virtual_cluster_id: 'orders',
      topic_name: 'orders',
    });
  const reader = appGrant(own.a.id, 'app_r');
  const refused = await sample('reader', reader);
  assert.match(refused.text, /^forbidden: You need the grant read_records or admin in this workspace/);
  // Nothing but an agent is missing.
  const allowed = await sample('assistant', { ...reader, managedGrantName: 'read_records' });
  assert.match(allowed.text, /^no_query_engine: /);
  const { entries } = await stage.accounts.auditLog.search({
    accountId: own.accountId,
    operation: 'read_records',
  });
  assert.deepEqual(
    entries
      .map(({ actor, result, via, targets }) => [actor.name, result, via, targets.includes('orders')])
      .sort(),
    [
      ['akn_assistant', 'no_query_engine', 'mcp', true],
      ['akn_reader', 'forbidden', 'mcp', true],
    ],
  );
});

test('a real cluster is described correctly', async (t) => {
  const { stage, own } = await openWorld(t);
  await stage.node.createTopics(
    [{ name: 'orders', partitionCount: 3, configs: { 'retention.ms': '3600000' } }],
    {
      validateOnly: false,
    },
  );
  const headers = { 'service-api-key': await own.key('reader', appGrant(own.a.id, 'app_r')) };
  const textOf = async (name: string, args: object = {}) => {
    const answer = await callTool(stage, headers, name, { virtual_cluster_id: 'orders', ...args });
    assert.equal(answer.isError, false, answer.text);
    return answer.text;
  };
  assert.match(await textOf('list_topics'), /^orders\t3\t1h\t0$/m);
  assert.match(await textOf('describe_topic', { topic_name: 'orders' }), /^configs.retention.ms: 3600000$/m);
  assert.match(await textOf('describe_virtual_cluster'), /^configuration.are_acls_enabled: false$/m);
  assert.match(await textOf('list_diagnostics'), /Nothing fails/);
  assert.match(await textOf('list_acls'), /^mode: (?:off|shadow)$/m);
  assert.match(await textOf('list_event_types'), /^events_enabled: false$/m);
  const search = await callTool(stage, headers, 'search_events', { virtual_cluster_id: 'orders' });
  assert.match(search.text, /^events_disabled: /);
});

test('administrators see the changes of their workspaces and of no others', async (t) => {
  const { stage, own, other } = await openWorld(t);
  const entry = ({ accountId }: TestAccount, workspaceId: string | undefined, target: string) => ({
    accountId,
    actor: { kind: 'user', id: 'ui_ada', name: 'ada@example.com' } as const,
    remoteAddress: '203.0.113.7',
    userAgent: 'test',
    operation: 'create_topic',
    ...(workspaceId === undefined ? {} : { workspaceId }),
    targets: [target],
    result: 'ok',
  });
  await stage.accounts.auditLog.append([
    entry(own, own.a.id, 'topic-of-a'),
    entry(own, own.b.id, 'topic-of-b'),
    entry(own, undefined, 'of-the-account'),
    entry(other, other.a.id, 'topic-of-others'),
  ]);
  const writes = { [workspaceKeyHeader(own.a.id)]: await own.key('writes', appGrant(own.a.id)) };
  const reads = { [workspaceKeyHeader(own.b.id)]: await own.key('reads', appGrant(own.b.id, 'app_r')) };
  const account = { 'service-api-key': await own.key('account', accountGrant) };
  const rows: [what: string, headers: Headers, args: object, sees: string[] | 'forbidden' | 'not_found'][] = [
    ['an administrator of one', writes, {}, ['topic-of-a']],
    ['a workspace, with read access to another', { ...writes, ...reads }, {}, ['topic-of-a']],
    [
      'a workspace with read access only, by id',
      { ...writes, ...reads },
      { workspace_id: own.b.id },
      'forbidden',
    ],
    ['a workspace without access, by id', writes, { workspace_id: own.b.id }, 'not_found'],
    ['a workspace of another account, by id', writes, { workspace_id: other.a.id }, 'not_found'],
    ['read access only', reads, {}, 'forbidden'],
    ['the account', account, {}, ['of-the-account', 'topic-of-a', 'topic-of-b']],
    ['the account, by target', account, { target: 'topic-of-b' }, ['topic-of-b']],
    ['the account, by actor', account, { actor: 'nobody@example.com' }, []],
  ];
  for (const [what, headers, args, sees] of rows) {
    const { text, isError } = await callTool(stage, headers, 'search_audit_log', { relative: '1h', ...args });
    if (typeof sees === 'string') {
      assert.equal(isError, true, `${what}: ${text}`);
      assert.match(text, new RegExp(`^${sees}: `), what);
    } else {
      assert.deepEqual((text.match(/topic-of-\w+|of-the-account/g) ?? []).sort(), sees, `${what}: ${text}`);
    }
  }
  const both = await callTool(stage, { ...writes, ...reads }, 'search_audit_log');
  assert.match(both.text, /These keys do not see the log of Second, which is left out/);
});
