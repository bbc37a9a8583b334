import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createClient } from '@weir/api';
import type { QueryOutcome, QueryToRun, TableAnswer } from '@weir/cluster';
import { fakeHandlers, startTestApi } from '../../../testing/api-server.ts';
import { refused } from '../../../testing/refused.ts';
import { appGrant, makeAccount } from '../../../testing/two-accounts.ts';
import { tableQuestionHandlers } from './table-questions.ts';

const lake = {
  name: 'lake',
  type: 'byoc_data_lake',
  tier: 'pro',
  cloudProvider: 'aws',
  place: { region: 'us-east-1' },
} as const;

async function start(t: TestContext) {
  const { accounts } = await startTestApi(t);
  const own = await makeAccount(accounts, 'Lake');
  const cluster = await accounts.virtualClusters.create(own.accountId, own.a.id, lake);
  const place = { accountId: own.accountId, clusterId: cluster.id };
  const configured = { pipelineId: 'p', sourceCluster: 'k', bucketUrl: undefined };
  const [orders] = await accounts.tables.ensure(place, [
    { ...configured, name: 'k__orders', topic: 'orders' },
    { ...configured, name: 'k__users', topic: 'users', bucketUrl: 's3://other' },
  ]);
  const agent = {
    asked: [] as unknown[],
    answer: { kind: 'refused', reason: 'unavailable', message: 'no answer' } as TableAnswer,
  };
  const portOf = () => ({
    async runQuery({ request }: QueryToRun): Promise<QueryOutcome> {
      agent.asked.push(JSON.parse(Buffer.from(request).toString()));
      const answer = Buffer.from(JSON.stringify(agent.answer));
      return { kind: 'answered', agentId: 'a', answer, isLast: true };
    },
    cancelQuery: async () => {},
  });
  let ids = 0;
  const handlers = {
    ...fakeHandlers(),
    ...tableQuestionHandlers({
      tables: accounts.tables,
      secrets: accounts.secrets,
      portOf,
      freshUuid: () => `q${ids++}`,
    }),
  };
  const { url } = await startTestApi(t, { accounts, handlers });
  const clientWith = async (name: string, grant: Parameters<typeof own.key>[1]) => {
    const headers = { 'service-api-key': await own.key(name, grant) };
    return createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  };
  return {
    agent,
    own,
    client: await clientWith('all', appGrant(own.a.id)),
    clientWith,
    on: { virtual_cluster_id: cluster.id },
    target: { virtual_cluster_id: cluster.id, table_uuid: orders!.uuid },
    asked: { tableName: 'k__orders', tableUuid: orders!.uuid },
  };
}

test('a table is described', async (t) => {
  const { agent, client, target, asked } = await start(t);
  const summary = { 'added-records': '3' };
  agent.answer = {
    kind: 'answered',
    answer: {
      location: 's3://lake/x',
      metadataLocation: 's3://lake/x/metadata/v2.metadata.json',
      schemas: [{ id: 0, isCurrent: true, columns: [{ id: 1, name: 'id', type: 'long', isRequired: true }] }],
      partitionFields: [{ name: 'ts_day', column: 'ts', transform: 'day' }],
      properties: { owner: 'shop' },
      snapshots: [
        { id: '3051729675574597004', timestampMs: 1_000, operation: 'append', schemaId: 0, summary },
      ],
      snapshotCount: 1,
      refs: [{ name: 'main', type: 'branch', snapshotId: '3051729675574597004' }],
    },
  };
  assert.deepEqual(await client.call('dl/describe_table', target), {
    metadata_location: 's3://lake/x/metadata/v2.metadata.json',
    schemas: [
      { schema_id: 0, is_current: true, fields: [{ id: 1, name: 'id', type: 'long', required: true }] },
    ],
    partition_fields: [{ name: 'ts_day', column: 'ts', transform: 'day' }],
    properties: { owner: 'shop' },
    snapshots: [
      {
        snapshot_id: '3051729675574597004',
        committed_at: '1970-01-01T00:00:01.000Z',
        timestamp_ms: 1_000,
        operation: 'append',
        schema_id: 0,
        summary,
      },
    ],
    snapshot_count: 1,
    refs: [{ name: 'main', type: 'branch', snapshot_id: '3051729675574597004' }],
  });
  assert.deepEqual(agent.asked, [{ kind: 'describeTable', table: asked }]);
});

test('a query is given the tables that it may mean', async (t) => {
  const { agent, client, on, asked } = await start(t);
  agent.answer = {
    kind: 'answered',
    answer: {
      columns: [{ name: 'x', type: 'BIGINT' }],
      rows: [['9007199254740993'], [null], [{ a: [1] }]],
      isComplete: false,
      ms: 12,
    },
  };
  const sql = 'SELECT x\nFROM "K__Orders"';
  assert.deepEqual(await client.call('dl/query_table', { ...on, sql, limit: 3 }), {
    columns: [{ name: 'x', type: 'BIGINT' }],
    rows: [['9007199254740993'], [null], ['{"a":[1]}']],
    is_complete: false,
    took_ms: 12,
  });
  assert.deepEqual(agent.asked, [{ kind: 'tableSql', sql, tables: [asked], limit: 3 }]);
});

test('kept records and files', async (t) => {
  const { agent, client, target, asked } = await start(t);
  agent.answer = {
    kind: 'answered',
    answer: {
      failures: [
        {
          topic: 'orders',
          partition: 0,
          offset: 42,
          timestampMs: -1,
          key: null,
          value: { base64: 'e30=', bytes: 2 },
          headers: [{ name: 'h', value: null }],
          step: 'decode',
          error: 'no JSON',
          failedAtMs: 1_000,
        },
      ],
      isComplete: true,
    },
  };
  const { failures } = await client.call('dl/list_table_failures', target);
  assert.deepEqual(failures, [
    {
      topic: 'orders',
      partition: 0,
      offset: 42,
      timestamp_ms: -1,
      key: null,
      value: { base64: 'e30=', bytes: 2 },
      headers: [{ name: 'h', value: null }],
      step: 'decode',
      error: 'no JSON',
      failed_at: '1970-01-01T00:00:01.000Z',
    },
  ]);
  const files = [{ path: 's3://lake/1.parquet', partition: '', records: 3, bytes: 10 }];
  agent.answer = { kind: 'answered', answer: { files, isComplete: true } };
  assert.deepEqual(await client.call('dl/list_table_files', { ...target, limit: 5 }), {
    files,
    is_complete: true,
  });
  assert.deepEqual(agent.asked, [
    { kind: 'tableFailures', table: asked, limit: 100 },
    { kind: 'tableFiles', table: asked, limit: 5 },
  ]);
});

test('rows and kept records need the right to read records; refusals have codes', async (t) => {
  const { agent, client, clientWith, own, on, target } = await start(t);
  const reader = await clientWith('reader', appGrant(own.a.id, 'app_r'));
  const sql = 'SELECT 1';
  const right = /^You need the grant read_records or admin in this workspace to read records\.$/;
  await refused(reader, 'forbidden', 'dl/query_table', { ...on, sql }, right);
  await refused(reader, 'forbidden', 'dl/list_table_failures', target, right);
  await refused(reader, 'forbidden', 'dl/list_table_files', target, right);
  assert.deepEqual(agent.asked, []);
  const kafka = { virtual_cluster_id: own.a.clusterId };
  await refused(client, 'unsupported_cluster_type', 'dl/query_table', { ...kafka, sql }, /data lake/);
  const table_uuid = '0f1e2d3c-4b5a-4968-8776-000000000016';
  await refused(client, 'not_found', 'dl/describe_table', { ...on, table_uuid }, /table/);
  for (const [reason, code] of [
    ['notFound', 'not_found'],
    ['invalid', 'invalid_request'],
    ['limit', 'limit_exceeded'],
    ['unavailable', 'unavailable'],
  ] as const) {
    agent.answer = { kind: 'refused', reason, message: 'only SELECT can be run' };
    await refused(client, code, 'dl/query_table', { ...on, sql }, /^only SELECT can be run$/);
  }
});
