import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import type { ReadRecordsQuery } from '@weir/cluster';
import { agentOf } from '@weir/diagnostics/testing';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';
import { targetsOf } from '../../api-server/audit-trail.ts';
import { printRecordCursor, readRecordCursor } from './record-cursors.ts';

type Grants = NonNullable<Parameters<typeof openTestClusterApi>[1]>['grants'];

/** Answers queries in place of an agent, and collects them. */
async function serve({ node }: TestClusterApi, answer: object): Promise<ReadRecordsQuery[]> {
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  await node.heartbeat(agent);
  const queries: ReadRecordsQuery[] = [];
  const serveNext = async (): Promise<void> => {
    const taken = await node.takeQuery({ agentId: 'a', waitMs: 20_000 }).catch(() => null);
    if (taken === null) return;
    queries.push(JSON.parse(String(Buffer.from(taken.request))) as ReadRecordsQuery);
    const text = Buffer.from(JSON.stringify(answer));
    const { queryId } = taken;
    await node.reportQuery({ agentId: 'a', queryId, state: 'done', answer: text, message: '' });
    return serveNext();
  };
  void serveNext();
  return queries;
}

const part = { text: 'v', format: 'string', bytes: 1, isCut: false };
const read = {
  kind: 'read',
  records: [
    {
      partition: 1,
      offset: 4,
      timestampMs: -1,
      key: null,
      value: { ...part, schemaId: 7, schemaType: 'AVRO', subjects: ['s'] },
      headers: [{ name: 'h', value: part }],
      headerCount: 1,
      bytes: 3,
    },
  ],
  scanned: 9,
  scannedBytes: 90,
  matched: 1,
  ms: 3,
  older: [{ partition: 1, offset: 4 }],
  newer: [{ partition: 1, offset: 5 }],
  cut: null,
  problem: null,
};

test('an agent reads as the credential of the caller, and cursors bring back its positions', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders', 3);
  const queries = await serve(testApi, read);
  const call = (body: object) =>
    testApi.call('read_records', { topic_name: 'orders', ...body } as { topic_name: string });
  const first = await call({ kafka_user_name: 'u', kafka_password: 'p' });
  assert.deepEqual(first.records[0]!.timestamp, null);
  assert.deepEqual(
    [first.records[0]!.timestamp_ms, first.records[0]!.value!.schema_id, first.records[0]!.headers[0]!.key],
    [-1, 7, 'h'],
  );
  const [query] = queries as [ReadRecordsQuery];
  assert.deepEqual(query.caller.login, { username: 'u', password: 'p' });
  assert.deepEqual([query.partitions, query.start, query.direction], [[0, 1, 2], 'newest', 'older']);
  assert.equal(query.caller.mayReadAll, false, 'the ACLs of the credential apply');
  await call({ cursor: first.newer_cursor! });
  const { start, direction, positions, caller } = queries[1]!;
  assert.deepEqual([caller.login, caller.mayReadAll], [undefined, true]);
  assert.deepEqual([start, direction, positions], ['positions', 'newer', read.newer]);
});

test('fields are masked for callers who may not change the cluster', async (t) => {
  const rules = 'orders:value.card,*:email,other:key';
  const opened = async (answer: object, grants: NonNullable<Grants> = []) => {
    const testApi = await openTestClusterApi(t, { grants });
    await testApi.addTopic('orders');
    const changes = [{ name: 'service.record.masks', operation: 'set', value: rules }] as const;
    const [set] = await testApi.node.alterOwnerConfigs(
      [{ kind: 'cluster', name: '', replacesAll: false, changes }],
      { validateOnly: false },
    );
    assert.equal(set!.error, 'NONE');
    return { testApi, queries: await serve(testApi, answer) };
  };
  const named = { topic_name: 'orders' };
  const reader = await opened({ ...read, areMasksApplied: true });
  await reader.testApi.call('read_records', named);
  assert.deepEqual(reader.queries[0]!.masks, ['value.card', 'email']);

  const admin = await opened(read, [{ workspaceId: '*', managedGrantName: 'admin' }]);
  await admin.testApi.call('read_records', named);
  assert.deepEqual(admin.queries[0]!.masks, []);

  const [code, message] = await (await opened(read)).testApi.refusal('read_records', named);
  assert.equal(code, 'unavailable');
  assert.match(message, /update all agents/);
});

test('what an agent refuses is an error that says what to do', async (t) => {
  for (const [reason, code] of [
    ['loginRequired', 'kafka_credential_required'],
    ['loginWrong', 'invalid_kafka_credential'],
    ['denied', 'kafka_access_denied'],
    ['unavailable', 'unavailable'],
  ] as const) {
    const testApi = await openTestClusterApi(t);
    await testApi.addTopic('orders');
    await serve(testApi, { kind: 'refused', reason, message: 'One sentence.' });
    for (const name of ['read_records', 'produce_record'] as const)
      assert.deepEqual(await testApi.refusal(name, { topic_name: 'orders' }), [code, 'One sentence.']);
  }
});

test('what is wrong with a read is said before an agent is asked', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders', 2);
  await testApi.addTopic('wide', 501);
  const other = printRecordCursor({ direction: 'older', positions: [{ partition: 2, offset: 0 }] });
  // biome-ignore format: a table
  const cases: [body: object, code: string, message: RegExp][] = [
    [{ topic_name: 'none' },                      'not_found',       /^Topic none not found\.$/],
    [{ partitions: [2] },                         'not_found',       /^The topic orders has no partition 2\.$/],
    [{ start: 'offset' },                         'invalid_request', /^offset: goes with/],
    [{ start: 'time' },                           'invalid_request', /^time: goes with/],
    [{ filter: 'total > 1' },                     'filter_syntax',   /total/],
    [{ filter: 'value.x ==' },                    'filter_syntax',   /line 1/],
    [{ cursor: 'AAAA' },                          'invalid_request', /^cursor: is not a cursor/],
    [{ cursor: other },                           'invalid_request', /^cursor: is not a cursor/],
    [{ whole: true },                             'invalid_request', /^whole: goes with a limit of 1/],
    [{ kafka_user_name: 'u' },                    'invalid_request', /go together/],
    [{ topic_name: 'wide' },                      'invalid_request', /has 501; name up to 500/],
    [{ limit: 501 },                              'invalid_request', /limit/],
  ];
  for (const [body, code, message] of cases) {
    const [found, text] = await testApi.refusal('read_records', { topic_name: 'orders', ...body });
    assert.equal(found, code, text);
    assert.match(text, message);
  }
  assert.deepEqual(await testApi.refusal('produce_record', { topic_name: 'orders', partition: 5 }), [
    'not_found',
    'The topic orders has no partition 5.',
  ]);
});

test('cursors with other things in them are refused', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const value of [
    {},
    [],
    ['older'],
    ['up', [0, 1]],
    ['older', [0]],
    ['older', [0, -1]],
    ['older', [0, 1.5]],
    ['older', [9, 1]],
    ['older', [0, 1], [0, 2]],
    ['older', ['0', 1]],
    ['older', null],
  ])
    assert.throws(() => readRecordCursor(encoded(value), 2), /is not a cursor/, JSON.stringify(value));
  const cursor = { direction: 'newer', positions: [{ partition: 1, offset: 2 }] } as const;
  assert.deepEqual(readRecordCursor(printRecordCursor(cursor), 2), cursor);
});

test('the audit log has the topic and the Kafka user, and neither a password nor data', () => {
  const input = {
    topic_name: 'orders',
    kafka_user_name: 'alice',
    kafka_password: 'wonderland',
    contains: 'data',
    key: { text: 'data', format: 'string' },
    headers: [{ key: 'data', value: null }],
  };
  for (const name of ['read_records', 'produce_record'] as const)
    assert.deepEqual(targetsOf({ operation: catalogue[name], input, output: undefined }), [
      'orders',
      'alice',
    ]);
});
