import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { httpStage as stage } from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';
import { TestCluster } from '@weir/metadata/testing';
import { buildRecordBatch } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('records that are produced over HTTP are fetched over HTTP', async (t) => {
  const { cluster, call } = await stage(t);
  cluster.addTopic('orders', 2);
  const produced = await call('POST', '/v1/kafka/produce', {
    topics: [
      {
        topic: 'orders',
        partitions: [
          {
            partition: 1,
            records: [
              {
                key: base64('k'),
                value: base64('one'),
                headers: [{ key: 'h"', value: base64('x') }],
                timestamp: 7,
              },
              { value: base64('two') },
              { key: base64('k'), value: null },
            ],
          },
        ],
      },
    ],
  });
  assert.equal(produced.status, 200);
  assert.deepEqual(produced.json, {
    topics: [
      {
        topic: 'orders',
        partitions: [{ partition: 1, error_code: 0, base_offset: 0, log_append_time_ms: -1 }],
      },
    ],
  });
  const query = { topics: [{ topic: 'orders', partitions: [{ partition: 1, fetch_offset: 1 }] }] };
  {
    const { json } = await call('POST', '/v1/kafka/fetch', query);
    const [{ records, ...rest }] = json.topics[0].partitions;
    assert.deepEqual(rest, {
      partition: 1,
      error_code: 0,
      high_watermark: 3,
      last_stable_offset: 3,
      log_start_offset: 0,
      next_offset: 3,
    });
    assert.deepEqual(
      records.map(({ offset, key, value }: { offset: number; key: string; value: string }) => ({
        offset,
        key,
        value,
      })),
      [
        { offset: 1, key: null, value: base64('two') },
        { offset: 2, key: base64('k'), value: null },
      ],
    );
  }
  const places = [
    '/v1/kafka/fetch_single_record?topic=orders&partition=1&offset=0',
    '/v1/kafka/topics/orders/partitions/1/records/0',
  ];
  for (const path of places) {
    const { json } = await call('GET', path);
    assert.deepEqual(json, {
      topic: 'orders',
      partition: 1,
      offset: 0,
      timestamp: 7,
      key: base64('k'),
      value: base64('one'),
      headers: [{ key: 'h"', value: base64('x') }],
    });
  }
});

test('records without a partition go where Kafka clients send their key', async (t) => {
  const { cluster, call } = await stage(t);
  cluster.addTopic('keyed', 7);
  const records = ['a', 'b', 'a'].map((key) => ({ key: base64(key), value: base64(key) }));
  const { json } = await call('POST', '/v1/kafka/produce', {
    topics: [{ topic: 'keyed', partitions: [{ records }] }],
  });
  const partitions = json.topics[0].partitions as { partition: number; error_code: number }[];
  assert.equal(partitions.length, 2);
  for (const { partition, error_code } of partitions)
    assert.ok(error_code === 0 && partition >= 0, JSON.stringify(json));
});

test('what is wrong with a request is said in one line', async (t) => {
  const { cluster, call } = await stage(t);
  cluster.addTopic('orders', 1);
  const one = (partition: unknown) => ({ topics: [{ topic: 'orders', partitions: [partition] }] });
  // biome-ignore format: a table
  const cases: [method: string, path: string, body: unknown, status: number, message: RegExp][] = [
    ['POST', '/v1/kafka/fetch', '{',                                         400, /^The body is not JSON\.$/],
    ['POST', '/v1/kafka/fetch', [],                                          400, /^the body must be an object\.$/],
    ['POST', '/v1/kafka/fetch', {},                                          400, /^topics must be a list\.$/],
    ['POST', '/v1/kafka/fetch', { topics: [{}] },                            400, /^topics\[0\]\.topic must be a text\.$/],
    ['POST', '/v1/kafka/fetch', one({ partition: -1 }),                      400, /partitions\[0\]\.partition must be an integer/],
    ['POST', '/v1/kafka/fetch', one({ partition: 0 }),                       400, /fetch_offset must be an integer/],
    ['POST', '/v1/kafka/fetch', { ...one({ partition: 0, fetch_offset: 0 }), max_wait_ms: 60000 }, 400, /max_wait_ms must be an integer from 0 to 10000/],
    ['POST', '/v1/kafka/produce', one({ records: [{ value: '*' }] }),        400, /records\[0\]\.value must be base64 or null/],
    ['POST', '/v1/kafka/produce', '['.repeat(40),                            413, /more than 32 lists and objects/],
    ['GET',  '/v1/kafka/produce', undefined,                                 405, /GET is not allowed here/],
    ['GET',  '/v1/kafka/fetch_single_record?topic=orders&partition=0', undefined, 400, /^offset must be an integer/],
    ['GET',  '/v1/kafka/fetch_single_record?topic=orders&partition=0&offset=9', undefined, 404, /no record at offset 9|orders/],
    ['GET',  '/v1/kafka/topics/orders/partitions/5/records/0', undefined,    404, /has no partition 5/],
    ['GET',  '/v1/kafka/topics/absent/partitions/0/records/0', undefined,    404, /Topic absent not found/],
  ];
  for (const [method, path, body, status, message] of cases) {
    const { status: got, json } = await call(method, path, body);
    assert.equal(got, status, `${method} ${path}: ${JSON.stringify(json)}`);
    assert.match(json.message, message);
    assert.equal(typeof json.error_code, 'number');
  }
});

test('bodies may be gzip, up to the limit of what they inflate to', async (t) => {
  const { cluster, call } = await stage(t);
  cluster.addTopic('orders', 1);
  const records = [{ value: base64('zipped') }];
  const body = gzipSync(
    JSON.stringify({ topics: [{ topic: 'orders', partitions: [{ partition: 0, records }] }] }),
  );
  const gzip = { 'content-encoding': 'gzip' };
  assert.equal(
    (await call('POST', '/v1/kafka/produce', body, gzip)).json.topics[0].partitions[0].error_code,
    0,
  );
  const bomb = gzipSync(Buffer.alloc(gatewayLimits.httpBodyBytesMax + 1, ' '));
  assert.equal((await call('POST', '/v1/kafka/produce', bomb, gzip)).status, 413);
  assert.equal((await call('POST', '/v1/kafka/produce', 'x', gzip)).status, 400);
  assert.equal((await call('POST', '/v1/kafka/produce', 'x', { 'content-encoding': 'br' })).status, 415);
});

const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
const fetchOrders = { topics: [{ topic: 'orders', partitions: [{ partition: 0, fetch_offset: 0 }] }] };
const basic = (user: string, password: string) => ({
  authorization: `Basic ${base64(`${user}:${password}`)}`,
});

test('credentials are needed where Kafka needs them, and checked wherever they are sent', async (t) => {
  for (const isRequired of [true, false]) {
    const { cluster, call } = await stage(t, { sasl: { ...sasl, isRequired } });
    addUser(cluster, 'alice', 'wonderland');
    cluster.addTopic('orders');
    const statusOf = async (headers: Record<string, string>) =>
      (await call('POST', '/v1/kafka/fetch', fetchOrders, headers)).status;
    assert.equal(await statusOf({}), isRequired ? 401 : 200);
    assert.equal(await statusOf(basic('alice', 'wrong')), 401);
    assert.equal(await statusOf({ authorization: 'Bearer x' }), 401);
    assert.equal(await statusOf(basic('alice', 'wonderland')), 200);
  }
});

test('a caller without rights gets the error of Kafka, or 400 for a single record', async (t) => {
  const acls = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  acls.addTopic('orders');
  const { call } = await stage(t, { cluster: acls });
  const denied = 29;
  const fetched = await call('POST', '/v1/kafka/fetch', fetchOrders);
  assert.equal(fetched.status, 200);
  assert.equal(fetched.json.topics[0].partitions[0].error_code, denied);
  const produced = await call('POST', '/v1/kafka/produce', {
    topics: [{ topic: 'orders', partitions: [{ partition: 0, records: [{ value: null }] }] }],
  });
  assert.equal(produced.json.topics[0].partitions[0].error_code, denied);
  assert.match(produced.json.topics[0].partitions[0].error_message, /\S/);
  const single = await call('GET', '/v1/kafka/topics/orders/partitions/0/records/0');
  assert.deepEqual([single.status, single.json.error_code], [400, denied]);
});

test('a fetch of very many partitions is refused', async (t) => {
  const { cluster, call } = await stage(t);
  const { httpPartitionsMax } = gatewayLimits;
  cluster.addTopic('orders', httpPartitionsMax);
  const partitions = (count: number) =>
    Array.from({ length: count }, (_, partition) => ({ partition, fetch_offset: 0 }));
  const body = (count: number) => ({
    topics: [{ topic: 'orders', partitions: partitions(count) }],
    max_wait_ms: 0,
  });
  const refused = await call('POST', '/v1/kafka/fetch', body(httpPartitionsMax + 1));
  assert.deepEqual(
    [refused.status, refused.json.message],
    [413, 'The request asks for more than 10000 partitions; ask for fewer at a time.'],
  );
  const empty = Array.from({ length: httpPartitionsMax + 1 }, () => ({ topic: 'orders', partitions: [] }));
  assert.equal((await call('POST', '/v1/kafka/fetch', { topics: empty })).status, 413);
  const whole = await call('POST', '/v1/kafka/fetch', body(httpPartitionsMax));
  assert.equal(whole.json.topics[0].partitions.length, httpPartitionsMax);
});

test('a web page of another host cannot write', async (t) => {
  const { cluster, call, agent } = await stage(t);
  cluster.addTopic('orders');
  const own = `http://127.0.0.1:${agent.httpPort}`;
  for (const [origin, status] of [
    ['https://pages.example', 403],
    ['null', 403],
    [own, 200],
  ] as const)
    assert.equal((await call('POST', '/v1/kafka/fetch', fetchOrders, { origin })).status, status, origin);
});

test('a web page whose name leads to the agent is not served without a login', async (t) => {
  const { cluster, agent } = await stage(t, { sasl: { ...sasl, isRequired: false } });
  addUser(cluster, 'ann', 'pencil');
  const authorization = `Basic ${base64('ann:pencil')}`;
  const host = `pages.example:${agent.httpPort}`;
  const cases: readonly [headers: Record<string, string>, status: number][] = [
    [{ host }, 403],
    [{ host, origin: `http://${host}` }, 403],
    [{ host, authorization }, 200],
    [{ host: `localhost:${agent.httpPort}` }, 200],
    [{ host: `[::1]:${agent.httpPort}` }, 200],
  ];
  // `fetch` does not let a program choose the host.
  const statusOf = async (headers: Record<string, string>) => {
    const target = { host: '127.0.0.1', port: agent.httpPort, path: '/topics', agent: false } as const;
    const [answer] = (await once(get({ ...target, headers }), 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const [headers, status] of cases)
    assert.equal(await statusOf(headers), status, JSON.stringify(headers));
});

test('compressed batches are read from the offset of the request on', async (t) => {
  const { cluster, call, connect } = await stage(t);
  cluster.addTopic('orders');
  const client = await connect();
  const values = ['zero', 'one', 'two'];
  const records = values.map((value) => ({ timestamp: 1n, key: null, value: Buffer.from(value) }));
  client.send('Produce', 9, {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1000,
    topicData: [
      {
        name: 'orders',
        partitionData: [{ index: 0, records: buildRecordBatch(records, { codec: 'zstd' }) }],
      },
    ],
  });
  const from = { topics: [{ topic: 'orders', partitions: [{ partition: 0, fetch_offset: 1 }] }] };
  let found: { value: string }[] = [];
  while (found.length === 0)
    found = (await call('POST', '/v1/kafka/fetch', from)).json.topics[0].partitions[0].records;
  assert.deepEqual(
    found.map(({ value }) => Buffer.from(value, 'base64').toString()),
    ['one', 'two'],
  );
});
