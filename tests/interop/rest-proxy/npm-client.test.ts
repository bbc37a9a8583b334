import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startLocal } from '../brokers/weir-process.ts';
import { missingRestProxyClient, restProxyClient } from './npm-client.ts';

const skip = missingRestProxyClient();
/** A client whose request is not answered waits on. */
const bounded = { skip, timeout: 60_000 };
const local = skip === false ? await startLocal({ after }) : undefined;

/** As its users make it: the client knows only the API v1. */
function connect() {
  const Client = restProxyClient();
  return new Client({ url: local!.address('HTTP') });
}

/** Calls a method whose last argument is a callback. */
// biome-ignore lint/suspicious/noExplicitAny: answers of a client without types, which assertions compare
function ask(target: any, method: string, ...values: unknown[]): Promise<any> {
  return promisify(target[method].bind(target))(...values);
}

test("Confluent's npm client lists brokers and topics, and writes", bounded, async () => {
  const kafka = connect();
  const brokers = await ask(kafka.brokers, 'list');
  assert.equal(brokers.length, 1);
  assert.ok(Number.isInteger(brokers[0].id));
  const topic = kafka.topic('written');
  const whole = await ask(
    topic,
    'produce',
    'one',
    { key: 'k', value: 'two', partition: 0 },
    Buffer.from([0, 255]),
  );
  assert.deepEqual(
    whole.offsets.map(({ partition, offset }: { partition: number; offset: number }) => [partition, offset]),
    [
      [0, 0],
      [0, 1],
      [0, 2],
    ],
  );
  const one = await ask(topic.partition(0), 'produce', [{ key: 'k', value: 'three' }]);
  assert.equal(one.offsets[0].offset, 3);
  const names = (await ask(kafka.topics, 'list')).map(({ name }: { name: string }) => name);
  assert.ok(names.includes('written'), names.join(' '));
  const described = await ask(kafka.topics, 'get', 'written');
  assert.equal(described.name, 'written');
  assert.deepEqual(
    (await ask(topic.partitions, 'list')).map(({ id }: { id: number }) => id),
    [0],
  );
  await assert.rejects(ask(kafka.topics, 'get', 'none'), { status: 404 });
});

test("Confluent's npm client writes and reads Avro", bounded, async () => {
  const { AvroSchema } = restProxyClient();
  const kafka = connect();
  const schema = new AvroSchema({
    name: 'Order',
    type: 'record',
    fields: [{ name: 'id', type: 'int' }],
  });
  await ask(kafka.topic('avro'), 'produce', schema, { id: 7 }, { id: 8 });
  const settings = { format: 'avro', 'auto.offset.reset': 'smallest' };
  const instance = await ask(kafka.consumer('of-avro'), 'join', settings);
  const stream = instance.subscribe('avro');
  assert.deepEqual(await read(stream, 2), [{ id: 7 }, { id: 8 }]);
  await end(instance, stream);
});

test("Confluent's npm client reads as members of a group, which go on where others stopped", {
  skip,
}, async () => {
  const kafka = connect();
  await ask(kafka.topic('read'), 'produce', 'a', 'b', 'c');
  const settings = { format: 'binary', 'auto.offset.reset': 'smallest', 'auto.commit.enable': 'false' };
  const join = () => ask(kafka.consumer('readers'), 'join', settings);
  const first = await join();
  const stream = first.subscribe('read');
  assert.deepEqual(await read(stream, 3), ['a', 'b', 'c']);
  await ask(first, 'commit');
  await ask(kafka.topic('read'), 'produce', 'd');
  assert.deepEqual(await read(stream, 1), ['d']);
  await end(first, stream);
  await assert.rejects(ask(first, 'commit'), { status: 404 });

  const second = await join();
  const again = second.subscribe('read');
  assert.deepEqual(await read(again, 1), ['d'], 'what was not committed is read again');
  const third = await join();
  assert.deepEqual(await failure(third.subscribe('none')), { status: 404, code: 40401 });
  await ask(kafka.topic('other'), 'produce', 'x');
  assert.deepEqual(await failure(second.subscribe('other')), { status: 409, code: 40901 });
  again.resume();
  await ask(again, 'shutdown');
});

/** Ends an instance. Its streams end once they are read to their end. */
async function end(instance: unknown, stream: Readable): Promise<void> {
  stream.resume();
  await ask(instance, 'shutdown');
}

/** How the first read of a stream fails. */
async function failure(stream: Readable): Promise<{ readonly status: number; readonly code: number }> {
  stream.resume();
  const [{ status, data }] = await once(stream, 'error').catch((error) => [error]);
  return { status, code: data.error_code };
}

/** The values of the next messages of a stream, which gives lists of them. */
async function read(stream: Readable, count: number): Promise<unknown[]> {
  const values: unknown[] = [];
  while (values.length < count) {
    const messages = stream.read() as { value: unknown }[] | null;
    if (messages === null) await once(stream, 'readable');
    else values.push(...messages.map(({ value }) => (Buffer.isBuffer(value) ? value.toString() : value)));
  }
  return values;
}
