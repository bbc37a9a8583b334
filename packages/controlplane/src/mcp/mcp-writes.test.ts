import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { workspaceKeyHeader } from '@weir/api';
import { openMcpStage } from '../../testing/mcp-stage.ts';
import { accountGrant, agentGrant, appGrant, makeAccount } from '../../testing/two-accounts.ts';

type Headers = Readonly<Record<string, string>>;
type Answer = { isError?: boolean; content: { text: string }[] };

/** A client whose user confirms everything. */
async function connect(t: TestContext, url: string, headers: Headers): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: {} } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  t.after(() => client.close());
  return client;
}

async function call(client: Client, name: string, args: object): Promise<Answer> {
  const call = { name, arguments: { virtual_cluster_id: 'orders', ...args } };
  return (await client.callTool(call)) as unknown as Answer;
}

const writing = [
  'create_topic',
  'update_topic',
  'reset_consumer_group_offsets',
  'create_acl',
  'delete_acls',
  'mute_diagnostic',
  'unmute_diagnostic',
];

test('tools that change something are listed if they are enabled, for keys that may change something', async (t) => {
  for (const allowsWrites of [false, true]) {
    const stage = await openMcpStage(t, { allowsWrites });
    const own = await makeAccount(stage.accounts, 'Own');
    const writes = await own.key('writes', appGrant(own.a.id));
    const reads = await own.key('reads', appGrant(own.b.id, 'app_r'));
    const rows: [what: string, headers: Headers, isOffered: boolean][] = [
      ['a key that may write', { 'service-api-key': writes }, true],
      ['a key that may write, as a bearer', { authorization: `Bearer ${writes}` }, true],
      ['a read-only key', { 'service-api-key': reads }, false],
      ['both', { [workspaceKeyHeader(own.a.id)]: writes, [workspaceKeyHeader(own.b.id)]: reads }, true],
      ['an account key', { 'service-api-key': await own.key('account', accountGrant) }, false],
      ['an agent key', { 'service-api-key': await own.key('agent', agentGrant(own.a)) }, false],
    ];
    for (const [what, headers, isOffered] of rows) {
      const client = await connect(t, stage.url, headers);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      const offered = names.filter((name) => writing.includes(name));
      assert.deepEqual(offered, allowsWrites && isOffered ? writing : [], `${what}, ${allowsWrites}`);
      assert.equal(names.includes('list_topics'), true);
    }
    const { isError, content } = await call(
      await connect(t, stage.url, { 'service-api-key': reads }),
      'create_topic',
      { topic_name: 'bills', partition_count: 1, dry_run: false },
    ).catch((error: Error) => ({ isError: true, content: [{ text: error.message }] }));
    assert.equal(isError, true);
    assert.match(content[0]!.text, /Unknown tool/);
  }
});

test('a change is made once it is confirmed, and the audit log says that it came over MCP', async (t) => {
  const stage = await openMcpStage(t, { allowsWrites: true });
  const own = await makeAccount(stage.accounts, 'Own');
  const client = await connect(t, stage.url, {
    'service-api-key': await own.key('writes', appGrant(own.a.id)),
  });
  const topic = { topic_name: 'bills', partition_count: 3, configs: { 'retention.ms': '3600000' } };
  const topicNames = async () => (await call(client, 'list_topics', {})).content[0]!.text;
  const entries = async () => (await stage.accounts.auditLog.search({ accountId: own.accountId })).entries;

  const dry = await call(client, 'create_topic', topic);
  assert.match(dry.content[0]!.text, /^applied: false\nchange: Create the topic bills\n/);
  assert.doesNotMatch(await topicNames(), /bills/);
  assert.deepEqual(await entries(), []);

  const made = await call(client, 'create_topic', { ...topic, dry_run: false });
  assert.match(made.content[0]!.text, /^applied: true\n/);
  assert.match(await topicNames(), /^bills\t3\t1h/m);
  const [entry] = await entries();
  assert.deepEqual(
    [entry!.operation, entry!.via, entry!.actor.name, entry!.result, entry!.targets, entry!.workspaceId],
    ['create_topic', 'mcp', 'akn_writes', 'ok', [own.a.clusterId, 'bills'], own.a.id],
  );
  assert.deepEqual(entry!.changes, [
    { name: 'partitions', before: null, after: '3' },
    { name: 'retention.ms', before: null, after: '3600000' },
  ]);

  const again = await call(client, 'create_topic', { ...topic, dry_run: false });
  assert.match(again.content[0]!.text, /^topic_already_exists: /);
  const wrong = await call(client, 'update_topic', { topic_name: 'bills', configs: { 'retention.ms': 'x' } });
  assert.match(wrong.content[0]!.text, /^invalid_topic_config: /);
  const changed = await call(client, 'update_topic', {
    topic_name: 'bills',
    configs: { 'retention.ms': '1000' },
    dry_run: false,
  });
  assert.match(changed.content[0]!.text, /retention.ms\t3600000\t1000\n.*deleted for good/s);
  assert.equal((await entries()).length, 2);
});

test('a key changes nothing in a workspace where it only reads', async (t) => {
  const stage = await openMcpStage(t, { allowsWrites: true });
  const own = await makeAccount(stage.accounts, 'Own');
  const client = await connect(t, stage.url, {
    [workspaceKeyHeader(own.a.id)]: await own.key('reads', appGrant(own.a.id, 'app_r')),
    [workspaceKeyHeader(own.b.id)]: await own.key('writes', appGrant(own.b.id)),
  });
  const rule = {
    resource_type: 'TOPIC',
    resource_name: 'orders',
    pattern_type: 'LITERAL',
    principal: 'User:shop',
    host: '*',
    operation: 'READ',
    permission_type: 'ALLOW',
  };
  const { content } = await call(client, 'create_acl', { acl: rule, dry_run: false });
  assert.match(content[0]!.text, /^forbidden: You need the admin role in this workspace/);
  const [entry] = (await stage.accounts.auditLog.search({ accountId: own.accountId })).entries;
  assert.deepEqual(
    [entry!.operation, entry!.via, entry!.result],
    ['virtual_clusters/acls/create', 'mcp', 'forbidden'],
  );
});
