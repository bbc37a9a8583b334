import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumerStage } from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';

const accepting = (format: string) => ({ accept: `application/vnd.kafka.${format}.v2+json` });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const partitions = (...of: number[]) => ({
  partitions: of.map((partition) => ({ topic: 'orders', partition })),
});
const at = (offset: number) => ({ topic: 'orders', partition: 0, offset });
const offsetsOf = (records: readonly { readonly offset: number }[]) => records.map(({ offset }) => offset);
const earliest = { format: 'json', 'auto.offset.reset': 'earliest', 'fetch.min.bytes': 0 };
const numbers = (count: number) => Array.from({ length: count }, (_, value) => ({ value, partition: 0 }));

test('an assigned consumer reads from a position, as binary and as JSON', async (t) => {
  const { create, done, write, read, call } = await consumerStage(t);
  await write('orders', [
    { key: 'a', value: { n: 1 }, partition: 0 },
    { value: 'two', partition: 1 },
    { key: null, value: null, partition: 0 },
  ]);
  const json = await create({ name: 'j', format: 'json', 'auto.offset.reset': 'earliest' });
  assert.equal(json, '/consumers/g/instances/j');
  await done('POST', `${json}/assignments`, partitions(0));
  assert.deepEqual((await call('GET', `${json}/assignments`)).json, partitions(0));
  const expected = [
    { topic: 'orders', key: 'a', value: { n: 1 }, partition: 0, offset: 0 },
    { topic: 'orders', key: null, value: null, partition: 0, offset: 1 },
  ];
  assert.deepEqual(await read(json, 2), expected);
  await done('POST', `${json}/positions`, { offsets: [at(1)] });
  assert.deepEqual(await read(json, 1), expected.slice(1));
  await done('POST', `${json}/positions/beginning`, partitions(0));
  assert.deepEqual(await read(json, 2), expected);
  await done('POST', `${json}/positions/end`, partitions());
  assert.deepEqual(await read(json, 0), []);

  const binary = await create({ format: 'BINARY', 'auto.offset.reset': 'earliest' });
  assert.match(binary, /^\/consumers\/g\/instances\/rest-consumer-[0-9a-f-]{36}$/);
  await done('POST', `${binary}/assignments`, partitions(1));
  const { headers, json: found } = await call('GET', `${binary}/records`, undefined, accepting('binary'));
  assert.equal(headers.get('content-type'), 'application/vnd.kafka.binary.v2+json');
  assert.deepEqual(found, [{ topic: 'orders', key: null, value: base64('"two"'), partition: 1, offset: 0 }]);
  await done('DELETE', binary);
  const { status, json: gone } = await call('GET', `${binary}/records`);
  assert.deepEqual([status, gone], [404, { error_code: 40403, message: 'Consumer instance not found.' }]);
});

test('a consumer begins where it was told to, or at committed offsets', async (t) => {
  const { create, done, write, read } = await consumerStage(t);
  await write('orders', numbers(3));
  const latest = await create({ format: 'json', 'fetch.min.bytes': '0', 'auto.commit.enable': 'false' });
  await done('POST', `${latest}/assignments`, partitions(0));
  assert.deepEqual(await read(latest, 0), []);
  await write('orders', numbers(1));
  assert.deepEqual(offsetsOf(await read(latest, 1)), [3]);
  // Its group has no committed offset, because it does not commit by itself.
  const first = await create(earliest);
  await done('POST', `${first}/assignments`, partitions(0));
  assert.deepEqual(offsetsOf(await read(first, 4)), [0, 1, 2, 3]);
  // One that commits by itself does so at its end.
  await done('DELETE', first);
  await write('orders', numbers(1));
  const second = await create(earliest);
  await done('POST', `${second}/assignments`, partitions(0));
  assert.deepEqual(offsetsOf(await read(second, 1)), [4]);
});

test('a position is found by its time', async (t) => {
  const { create, done, write, read, clock } = await consumerStage(t);
  await write('orders', numbers(2));
  clock.advance(60_000);
  const middle = new Date(clock.nowMs() - 30_000).toISOString();
  const after = new Date(clock.nowMs() + 86_400_000).toISOString();
  await write('orders', numbers(1));
  const path = await create(earliest);
  await done('POST', `${path}/assignments`, partitions(0));
  const to = (timestamp: unknown) => ({ timestamps: [{ topic: 'orders', partition: 0, timestamp }] });
  await done('POST', `${path}/positions`, to(middle));
  assert.deepEqual(offsetsOf(await read(path, 1)), [2]);
  await done('POST', `${path}/positions`, to(after));
  assert.deepEqual(await read(path, 0), []);
  await done('POST', `${path}/positions`, to(0));
  assert.deepEqual(offsetsOf(await read(path, 3)), [0, 1, 2]);
});

test('offsets are committed, and read by any consumer of the group', async (t) => {
  const { create, done, write, read, call, callBare } = await consumerStage(t);
  await write('orders', numbers(5));
  const path = await create({ ...earliest, 'auto.commit.enable': false });
  await done('POST', `${path}/assignments`, partitions(0, 1));
  const committed = async (group = 'g') => {
    const other = await create({}, group);
    return (await callBare('GET', `${other}/offsets`, partitions(0, 1))).json.offsets;
  };
  assert.deepEqual(await committed(), []);
  await read(path, 5);
  assert.deepEqual((await call('POST', `${path}/offsets`)).json, []);
  assert.deepEqual(await committed(), [
    { ...at(5), metadata: '' },
    { ...at(0), partition: 1, metadata: '' },
  ]);
  // As in Confluent's proxy, the offset is that of the last record that was read.
  const body = { offsets: [{ ...at(1), metadata: 'why' }] };
  assert.deepEqual((await call('POST', `${path}/offsets`, body)).json, []);
  assert.deepEqual((await committed())[0], { ...at(2), metadata: 'why' });
  assert.deepEqual(await committed('another'), []);
});

test('an answer has no more than was asked for, and at least one record', async (t) => {
  const { create, done, write, call } = await consumerStage(t);
  await write('orders', numbers(10));
  const path = await create(earliest);
  await done('POST', `${path}/assignments`, partitions(0));
  const sizes: number[] = [];
  for (const bytes of [4, 1, 1, -1])
    sizes.push((await call('GET', `${path}/records?max_bytes=${bytes}&timeout=50`)).json.length);
  assert.deepEqual(sizes, [3, 1, 1, 5]);
});

test('a read waits for more until its time is over, unless it has enough', async (t) => {
  const { create, done, write, read, clock } = await consumerStage(t);
  await write('orders', numbers(1));
  const timeOf = async (settings: object) => {
    const path = await create({ format: 'json', 'auto.offset.reset': 'earliest', ...settings }, 'waiting');
    await done('POST', `${path}/assignments`, partitions(0));
    const begunMs = clock.monotonicMs();
    assert.equal((await read(path, 1)).length, 1);
    return clock.monotonicMs() - begunMs;
  };
  assert.ok((await timeOf({})) >= 1_000);
  assert.ok((await timeOf({ 'consumer.request.timeout.ms': 3_000 })) >= 3_000);
  assert.ok((await timeOf({ 'fetch.min.bytes': 0 })) < 1_000);
});

test('a record that is not JSON is an error, after those before it, and can be passed over', async (t) => {
  const { create, done, write, read, call } = await consumerStage(t);
  await write(
    'orders',
    ['1', '{', '2'].map((value) => ({ value: base64(value), partition: 0 })),
    'binary',
  );
  const path = await create(earliest);
  await done('POST', `${path}/assignments`, partitions(0));
  assert.deepEqual(offsetsOf(await read(path, 1)), [0]);
  const { status, json } = await call('GET', `${path}/records`);
  assert.deepEqual([status, json.error_code], [408, 40801]);
  assert.equal(
    json.message,
    'The value at offset 1 in partition 0 of topic orders cannot be decoded: it is not JSON.',
  );
  await done('POST', `${path}/positions`, { offsets: [at(2)] });
  assert.deepEqual(offsetsOf(await read(path, 1)), [2]);
});

test('calls of one instance run one after the other, and its end ends them', async (t) => {
  const { create, done, write, call } = await consumerStage(t);
  await write('orders', numbers(4));
  const path = await create({ ...earliest, 'consumer.request.timeout.ms': 10_000 });
  await done('POST', `${path}/assignments`, partitions(0));
  const read = (bytes = 3) => call('GET', `${path}/records?max_bytes=${bytes}`);
  const found = (await Promise.all([read(), read()])).map(({ json }) => json);
  assert.deepEqual(
    found
      .flat()
      .map(({ offset }) => offset)
      .toSorted(),
    [0, 1, 2, 3],
  );
  const waiting = Array.from({ length: 12 }, () => read());
  const [, ...others] = await Promise.all([done('DELETE', path), ...waiting]);
  const statuses = others.map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([404, 503]));
});

test('errors have the codes of the REST proxy', async (t) => {
  const { create, done, code, call } = await consumerStage(t);
  const none = await create({ name: 'none', format: 'json' });
  const assigned = await create({ name: 'assigned' });
  const subscribed = await create({ name: 'subscribed' });
  await done('POST', `${assigned}/assignments`, partitions(0));
  await done('POST', `${subscribed}/subscription`, { topics: ['orders'] });
  const many = Array.from({ length: 1_001 }, () => 'orders');
  // biome-ignore format: a table
  const cases: [method: string, path: string, body: unknown, code: number][] = [
    ['POST',   '/consumers/g', { name: 'none' },                             40902],
    ['POST',   '/consumers/g', { format: 'xml' },                            422],
    ['POST',   '/consumers/g', { 'auto.offset.reset': 'first' },          42204],
    ['POST',   '/consumers/g', { 'auto.commit.enable': 'maybe' },            42204],
    ['POST',   '/consumers/g', { 'fetch.min.bytes': 10_000_001 },            40001],
    ['POST',   '/consumers/g', { 'consumer.request.timeout.ms': 'soon' },    422],
    ['POST',   '/consumers/g', { name: 'n'.repeat(257) },                    422],
    ['POST',   '/consumers/g', { isolation: 'level' },                       422],
    ['POST',   '/consumers/g', [],                                           422],
    ['DELETE', '/consumers/g/instances/other', undefined,                    40403],
    ['DELETE', '/consumers/other/instances/none', undefined,                 40403],
    ['GET',    `${none}/records`, undefined,                                 40903],
    ['POST',   `${none}/positions`, { offsets: [at(0)] },                    40903],
    ['POST',   `${none}/positions/end`, partitions(0),                       40903],
    ['POST',   `${none}/subscription`, {},                                   422],
    ['POST',   `${none}/subscription`, { topics: ['a b'] },                  422],
    ['POST',   `${none}/subscription`, { topics: many },                     422],
    ['POST',   `${none}/subscription`, { topic_pattern: '(' },               422],
    ['POST',   `${none}/assignments`, { partitions: [{ topic: 'orders' }] }, 422],
    ['GET',    `${none}/offsets`, undefined,                                 40402],
    ['POST',   `${assigned}/subscription`, { topics: ['orders'] },           40903],
    ['POST',   `${assigned}/positions`, { offsets: [at(-1)] },               422],
    ['POST',   `${assigned}/positions`, { offsets: [{ ...at(0), partition: 1 }] }, 40903],
    ['POST',   `${subscribed}/assignments`, partitions(0),                   40903],
    ['POST',   `${subscribed}/subscription`, { topic_pattern: 'o.*' },       40903],
    ['GET',    `${assigned}/records?timeout=soon`, undefined,                404],
    ['PUT',    `${assigned}/records`, undefined,                             405],
  ];
  for (const [method, path, body, expected] of cases)
    assert.equal(
      await code(method, path, body),
      expected,
      `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}`,
    );
  assert.equal(await code('GET', `${none}/records`, undefined, accepting('binary')), 40601);
  assert.equal(await code('GET', `${none}/records`, undefined, { accept: 'text/html' }), 406);
  const missing = { partitions: [{ topic: 'absent', partition: 0 }] };
  await done('POST', `${none}/assignments`, missing);
  assert.equal(await code('POST', `${none}/positions/beginning`, missing), 40401);
  // As in Kafka's consumer, it may come.
  assert.deepEqual((await call('GET', `${none}/records`)).json, []);
});

test('the address of an instance is the one that the caller used if that is of this agent', async (t) => {
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const { callBare, agent, cluster } = await consumerStage(t, { advertisedHost: 'agent-7.example', sasl });
  addUser(cluster, 'alice', 'secret');
  // Without a login, only known hosts are served.
  const authorization = `Basic ${Buffer.from('alice:secret').toString('base64')}`;
  const hostOf = async (host: string) => {
    const { json } = await callBare('POST', '/consumers/a%20b', {}, { host, authorization });
    const { origin, pathname } = new URL(json.base_uri);
    assert.equal(pathname, `/consumers/a%20b/instances/${json.instance_id}`);
    return origin;
  };
  assert.equal(await hostOf('localhost:18080'), 'http://localhost:18080');
  assert.equal(await hostOf('agent-7.example:9000'), 'http://agent-7.example:9000');
  assert.equal(await hostOf('balancer.example'), `http://agent-7.example:${agent.httpPort}`);
  assert.equal(await hostOf('bad host/?'), `http://agent-7.example:${agent.httpPort}`);
});
