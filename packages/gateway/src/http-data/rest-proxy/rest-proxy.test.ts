import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';
import { TestCluster } from '@weir/metadata/testing';

const v2 = 'application/vnd.kafka.v2+json';
const typed = (format: string) => ({ 'content-type': `application/vnd.kafka.${format}.v2+json`, accept: v2 });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const stored = (partition: number, offset: number) => ({ partition, offset, error_code: null, error: null });

/** Keys and values of a partition, as text. */
async function written(
  call: Awaited<ReturnType<typeof httpStage>>['call'],
  topic: string,
  partition: number,
): Promise<(string | null)[][]> {
  const { json } = await call('POST', '/v1/kafka/fetch', {
    topics: [{ topic, partitions: [{ partition, fetch_offset: 0 }] }],
  });
  const text = (bytes: string | null) => (bytes === null ? null : Buffer.from(bytes, 'base64').toString());
  const records = json.topics[0].partitions[0].records as { key: string | null; value: string | null }[];
  return records.map(({ key, value }) => [text(key), text(value)]);
}

test('records are written as binary and as JSON', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders', 2);
  {
    const body = {
      records: [
        { key: base64('k'), value: base64('one'), partition: 1 },
        { value: base64('two'), partition: 0 },
        { key: null, value: null, partition: 1 },
      ],
    };
    const { status, headers, json } = await call('POST', '/topics/orders', body, typed('binary'));
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(headers.get('content-type'), v2);
    assert.deepEqual(json, {
      offsets: [stored(1, 0), stored(0, 0), stored(1, 1)],
      key_schema_id: null,
      value_schema_id: null,
    });
  }
  {
    // As text: these numbers have more digits than a double.
    const body =
      '{"records":[{"key":"k","value":{"id":12345678901234567890,"rate":1e400,"n":[1.5,true]}},{"key":7,"value":null}]}';
    const { json } = await call('POST', '/topics/orders/partitions/0', body, typed('json'));
    assert.deepEqual(json.offsets, [stored(0, 1), stored(0, 2)]);
  }
  assert.deepEqual(await written(call, 'orders', 1), [
    ['k', 'one'],
    [null, null],
  ]);
  assert.deepEqual(await written(call, 'orders', 0), [
    [null, 'two'],
    ['"k"', '{"id":12345678901234567890,"rate":1e400,"n":[1.5,true]}'],
    ['7', null],
  ]);
});

test('records without a partition go where Kafka clients send their key', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('keyed', 7);
  const records = ['a', 'b', 'a'].map((key) => ({ key: base64(key), value: base64(key) }));
  const { json } = await call('POST', '/topics/keyed', { records }, { 'content-type': v2 });
  const [first, second, third] = json.offsets;
  assert.deepEqual([first.partition, first.offset], [third.partition, third.offset - 1]);
  assert.notEqual(first.partition, second.partition);
});

test('topics and partitions are listed', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders', 2);
  cluster.addTopic('payments', 1);
  const get = async (path: string) => (await call('GET', path, undefined, { accept: v2 })).json;
  assert.deepEqual((await get('/topics')).toSorted(), ['orders', 'payments']);
  const partitions = await get('/topics/orders/partitions');
  assert.deepEqual(
    partitions.map(({ partition }: { partition: number }) => partition),
    [0, 1],
  );
  const [{ leader, replicas }] = partitions;
  assert.ok(Number.isInteger(leader));
  assert.ok(replicas.some((one: object) => 'leader' in one && one.leader === true));
  const topic = await get('/topics/orders');
  assert.deepEqual([topic.name, topic.partitions], ['orders', partitions]);
  assert.equal(topic.configs['cleanup.policy'], 'delete');
  assert.deepEqual(await get('/topics/orders/partitions/1'), partitions[1]);
});

test('records create their topic, with a partition of their own or without', async (t) => {
  const { call } = await httpStage(t, { cluster: new TestCluster() });
  for (const [topic, record] of [
    ['with-partition', { value: 'YQ==', partition: 0 }],
    ['without-partition', { value: 'YQ==' }],
  ] as const) {
    const { status, json } = await call('POST', `/topics/${topic}`, { records: [record] }, typed('binary'));
    assert.deepEqual([status, json.offsets[0].offset], [200, 0], JSON.stringify(json));
  }
});

test('what is wrong has the status and code of the REST proxy', async (t) => {
  const { call } = await httpStage(t, {
    cluster: withTopics(new TestCluster({ clusterConfigs: { 'auto.create.topics.enable': 'false' } })),
  });
  const one = { records: [{ value: 'YQ==' }] };
  const at = (partition: number) => ({ records: [{ value: 'YQ==', partition }] });
  const binary = typed('binary');
  // biome-ignore format: a table
  const cases: [method: string, path: string, body: unknown, headers: Record<string, string>, status: number, code: number, message: RegExp][] = [
    ['POST', '/topics/orders', '{',                         binary, 400, 400, /^The body is not JSON\.$/],
    ['POST', '/topics/orders', {},                          binary, 422, 422, /^records must be a list\.$/],
    ['POST', '/topics/orders', { records: [] },             binary, 422, 422, /^records must not be empty\.$/],
    ['POST', '/topics/orders', { records: [{ value: '*' }] }, binary, 422, 422, /^records\[0\]\.value must be base64 or null\.$/],
    ['POST', '/topics/orders', { records: [{ value: 1 }] }, binary, 422, 422, /must be base64/],
    ['POST', '/topics/orders', { records: [{ headers: [] }] }, binary, 422, 422, /^records\[0\] has an unknown field "headers"/],
    ['POST', '/topics/orders/partitions/0', at(0),          binary, 422, 422, /unknown field "partition"/],
    ['POST', '/topics/orders', at(-1),                      binary, 422, 422, /partition must be an integer/],
    ['POST', '/topics/orders', one, { 'content-type': 'text/plain' }, 415, 415, /FORMAT is binary, json, avro/],
    ['POST', '/topics/orders', one, { 'content-type': 'application/vnd.kafka.json.v3+json' }, 415, 415, /\.v2\+json/],
    ['POST', '/topics/orders', one, { accept: 'text/html' }, 406, 406, /none of which Accept allows/],
    ['POST', '/topics/orders', `{"records":[{"value":[${'1234567890123456,'.repeat(20_000)}1]}]}`, typed('json'), 413, 413, /more than 20000 values; send fewer/],
    ['POST', '/topics/absent', one,                         binary, 404, 40401, /^Topic absent not found\.$/],
    ['POST', '/topics/absent', at(0),                       binary, 404, 40401, /^Topic absent not found\.$/],
    ['POST', '/topics/absent/partitions/0', one,            binary, 404, 40401, /^Topic absent not found\.$/],
    ['POST', '/topics/orders/partitions/9', one,            binary, 404, 40402, /^Partition 9 of topic orders not found\.$/],
    ['POST', '/topics/orders/partitions/x', one,            binary, 404, 40402, /^Partition x of/],
    ['GET',  '/topics/absent', undefined,                   {},     404, 40401, /^Topic absent not found\.$/],
    ['GET',  '/topics/absent/partitions', undefined,        {},     404, 40401, /^Topic absent not found\.$/],
    ['GET',  '/topics/orders/partitions/9', undefined,      {},     404, 40402, /^Partition 9 of topic orders not found\.$/],
    ['POST', '/topics', one,                                binary, 405, 405, /POST is not allowed here/],
  ];
  for (const [method, path, body, headers, status, code, message] of cases) {
    const { status: got, json } = await call(method, path, body, headers);
    const where = `${method} ${path} ${JSON.stringify(body)?.slice(0, 99)}: ${JSON.stringify(json)}`;
    assert.deepEqual([got, json.error_code], [status, code], where);
    assert.match(json.message, message);
  }
  // One of several records fails alone.
  const mixed = {
    records: [
      { value: 'YQ==', partition: 0 },
      { value: 'YQ==', partition: 9 },
    ],
  };
  const { status, json } = await call('POST', '/topics/orders', mixed, binary);
  assert.equal(status, 200);
  assert.deepEqual(json.offsets[0], stored(0, 0));
  const { error, ...failed } = json.offsets[1];
  assert.deepEqual(failed, { partition: null, offset: null, error_code: 2 });
  assert.match(error, /\S/);
});

function withTopics(cluster: TestCluster): TestCluster {
  cluster.addTopic('orders', 1);
  return cluster;
}

test('logins and rights are those of Kafka clients', async (t) => {
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const acls = withTopics(new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } }));
  addUser(acls, 'alice', 'wonderland');
  const { call } = await httpStage(t, { cluster: acls, sasl });
  const alice = { authorization: `Basic ${base64('alice:wonderland')}` };
  const body = { records: [{ value: 'YQ==' }] };
  for (const [method, path] of [
    ['POST', '/topics/orders'],
    ['POST', '/topics/orders/partitions/0'],
    ['GET', '/topics/orders'],
    ['GET', '/topics/orders/partitions/0'],
  ] as const) {
    const sent = method === 'POST' ? body : undefined;
    const codeOf = async (headers: Record<string, string>) => {
      const { status, json } = await call(method, path, sent, { ...headers, 'content-type': v2 });
      return [status, json.error_code];
    };
    assert.deepEqual(await codeOf({}), [401, 40101], path);
    assert.deepEqual(await codeOf(alice), [403, 40301], path);
  }
  assert.deepEqual((await call('GET', '/topics', undefined, alice)).json, []);
});

test('brokers are listed, and content types of API v1 mean the same', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders', 1);
  const v1 = 'application/vnd.kafka.v1+json';
  const { status, headers, json } = await call('GET', '/brokers', undefined, { accept: v1 });
  assert.deepEqual([status, headers.get('content-type')], [200, v1]);
  const { json: partition } = await call('GET', '/topics/orders/partitions/0');
  assert.deepEqual(json, { brokers: [partition.leader] });
  const written = await call(
    'POST',
    '/topics/orders',
    { records: [{ value: { a: 1 } }] },
    { 'content-type': 'application/vnd.kafka.json.v1+json' },
  );
  assert.deepEqual(written.json.offsets, [stored(0, 0)]);
  const unknown = { 'content-type': 'application/vnd.kafka.json.v3+json' };
  assert.equal((await call('POST', '/topics/orders', { records: [{ value: 1 }] }, unknown)).status, 415);
});
