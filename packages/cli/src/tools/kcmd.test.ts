import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';
import { batchRecords, buildRecordBatch, RecordBatchView } from '@weir/wire';
import { runArguments } from '../../testing/command-run.ts';
import { startFakeRegistry } from '../../testing/fake-registry.ts';

async function cluster(t: TestContext) {
  const fake = await FakeKafka.start();
  t.after(() => fake.stop());
  const at = ['-bootstrap-host', '127.0.0.1', '-bootstrap-port', String(fake.port())];
  return { fake, kcmd: (...argv: readonly string[]) => runArguments(['kcmd', ...argv, ...at]) };
}

test('kcmd creates, produces and fetches with its own flags', async (t) => {
  const { fake, kcmd } = await cluster(t);
  const created = await kcmd('-type', 'create-topic', '-topic', 'orders');
  assert.deepEqual(created, { status: 0, out: `${fake.topics.get('orders')!.id}\n`, err: '' });
  assert.match(created.out, /^[A-Za-z0-9_-]{22}\n$/);

  const results =
    'result: partition:0 offset:0 value:"a"\nresult: partition:0 offset:1 value:" b \\"quoted\\""\n';
  assert.deepEqual(await kcmd('-type', 'produce', '-topic', 'orders', '-records', 'a,, b "quoted"'), {
    status: 0,
    out: results,
    err: '',
  });
  assert.deepEqual(await kcmd('-type', 'fetch', '-topic', 'orders'), { status: 0, out: results, err: '' });
  assert.deepEqual(
    (await kcmd('-type', 'fetch', '-topic', 'orders', '-offset', '1')).out,
    `${results.split('\n')[1]}\n`,
  );
  assert.deepEqual(
    (await kcmd('-type', 'fetch', '-topic', 'orders', '-max-records', '1')).out,
    `${results.split('\n')[0]}\n`,
  );

  const [batch] = fake.topics.get('orders')!.partitions[0]!.batches;
  const keys = [...batchRecords(new RecordBatchView(batch!))].map(({ key }) => String(key));
  assert.deepEqual(keys, ['hello', 'hello']);
});

test('kcmd also prints JSON', async (t) => {
  const { fake, kcmd } = await cluster(t);
  const created = await kcmd('-type', 'create-topic', '-topic', 'orders', '-output', 'json');
  assert.deepEqual(JSON.parse(created.out), {
    topic: 'orders',
    topicId: fake.topics.get('orders')!.id,
    partitions: 1,
    replicationFactor: 1,
  });
  const produced = await kcmd('-type', 'produce', '-topic', 'orders', '-records', 'a', '-output', 'json');
  assert.equal(produced.out, '{"topic":"orders","partition":0,"offset":0,"value":"a"}\n');
  const fetched = await kcmd('-type', 'fetch', '-topic', 'orders', '-output', 'json');
  assert.match(
    fetched.out,
    /^\{"topic":"orders","partition":0,"offset":0,"timestamp":\d+,"key":"hello","value":"a",/,
  );
});

test('kcmd decodes values by their schemas', async (t) => {
  const { fake, kcmd } = await cluster(t);
  const { url } = await startFakeRegistry(t, {
    'GET /schemas/ids/7': { schema: '"string"' },
    'GET /schemas/ids/7/versions': [{ subject: 'orders-value', version: 1 }],
  });
  await kcmd('-type', 'create-topic', '-topic', 'orders');
  const values = ['\0\0\0\0\x07\x02x', '\0\0\0\0\x07y', 'z'];
  const log = fake.topics.get('orders')!.partitions[0]!;
  log.batches.push(
    buildRecordBatch(values.map((value) => ({ timestamp: 0n, key: null, value: Buffer.from(value) }))),
  );
  log.end = 3n;
  const fetch = ['-type', 'fetch', '-topic', 'orders', '-decode', 'auto', '-schema-registry-url', url];
  assert.deepEqual(await kcmd(...fetch), {
    status: 0,
    out: [
      'result: partition:0 offset:0 value:"x"',
      'result: partition:0 offset:1 value:"\\u0000\\u0000\\u0000\\u0000\\u0007y" (schema 7: a length is negative)',
      'result: partition:0 offset:2 value:"z"',
      '',
    ].join('\n'),
    err: '',
  });
  const [first, second] = (await kcmd(...fetch, '-output', 'json')).out
    .split('\n')
    .map((line) => line && JSON.parse(line));
  const schema = [first.value, first.valueSchema, first.valueSchemaType, first.valueSubjects];
  assert.deepEqual(schema, ['x', 7, 'AVRO', ['orders-value']]);
  assert.equal(second.valueProblem, 'a length is negative');
});
