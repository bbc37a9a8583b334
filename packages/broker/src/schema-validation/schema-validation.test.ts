import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, MiB, systemClock } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { type PayloadCodec, RegistryUnavailable, type SchemaType } from '@weir/registry';
import { SchemaCache, SchemaPool, schemaIdHeaders } from '@weir/registry/decoding';
import { TestReader, textFormat } from '@weir/registry/testing';
import { buildRecordBatch, type CompressionCodec, codecIds, type RecordToWrite } from '@weir/wire';
import { acceptingWritePath } from '../../testing/accepting-write-path.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { errorName } from '../../testing/transactional-client.ts';
import { produceHandler } from '../handlers/00-produce.ts';
import { SchemaValidation } from './schema-validation.ts';
import { invalidRecordsRow } from './validation-metrics.ts';

const values = { 'service.value.schema.validation': 'true' };
const warning = { ...values, 'service.schema.validation.warning.only': 'true' };

/** An agent that validates by a registry of texts: a payload must begin with the text of its schema. */
async function start(
  configs: { readonly [name: string]: string },
  {
    withRegistry = true,
    formatOf = textFormat,
    pool,
  }: { withRegistry?: boolean; formatOf?: typeof textFormat; pool?: SchemaPool } = {},
) {
  let pauses = 0;
  const clock = new HandClock();
  const metrics = new Metrics();
  const reader = new TestReader();
  reader.add(1, 'a', ['t-value', 't-key']);
  reader.add(2, 'b', ['record.b'], 'PROTOBUF');
  reader.add(3, 'c', ['t-record.c', 'other-value'], 'JSON');
  reader.add(4, 'invalid', ['t-value']);
  const cache = new SchemaCache({ reader, formatOf, clock, pool });
  const { appended, writePath } = acceptingWritePath();
  const heard: { [what: string]: number } = {};
  const onInvalid = (topic: string, reason: string, count: number) => {
    heard[`${topic} ${reason}`] = (heard[`${topic} ${reason}`] ?? 0) + count;
  };
  const produce = produceHandler({
    roles: ['proxy'],
    metrics,
    writePath,
    recordBytesMax: MiB,
    pause: async () => {
      pauses++;
    },
    schemaValidation: withRegistry ? new SchemaValidation({ cache, clock, metrics, onInvalid }) : undefined,
  });
  const agent = await startTestAgent({ produce });
  agent.cluster.addTopic('t', 10, configs);

  async function sendBytes(
    bytes: Buffer,
    { partition = 0, closed }: { partition?: number; closed?: AbortSignal } = {},
  ) {
    const [answer] = await sendAll([{ index: partition, records: bytes }], closed);
    return answer!;
  }
  /** Sends batches of several partitions in one request. */
  async function sendAll(
    partitionData: readonly { readonly index: number; readonly records: Buffer }[],
    closed?: AbortSignal,
  ) {
    const topicData = [{ name: 't', partitionData }];
    const answer = answered(
      await agent.call('Produce', 11, { acks: -1, timeoutMs: 1000, topicData }, null, closed),
    );
    return answer.responses[0]!.partitionResponses.map(({ errorCode, errorMessage, recordErrors }) => ({
      error: errorName(errorCode),
      message: errorMessage,
      records: (recordErrors ?? []).map(
        ({ batchIndex, batchIndexErrorMessage }) => `${batchIndex}: ${batchIndexErrorMessage}`,
      ),
    }));
  }
  const send = (
    records: readonly Partial<RecordToWrite>[],
    options?: { partition?: number; closed?: AbortSignal },
  ) => sendBytes(batchOf(records), options);
  const counts = () => {
    const counted: unknown = Object.fromEntries(
      metrics
        .read()
        .filter(({ row }) => row.name === invalidRecordsRow.name)
        .flatMap(({ series }) => series.map(({ labels, value }) => [Object.values(labels).join(' '), value])),
    );
    assert.deepEqual(heard, counted, 'the stats of the agent get what the metric counts');
    return counted;
  };
  return { send, sendBytes, sendAll, reader, appended, counts, clock, pauses: () => pauses };
}

function batchOf(records: readonly Partial<RecordToWrite>[], codec: CompressionCodec = 'none'): Buffer {
  return buildRecordBatch(
    records.map((record) => ({ timestamp: 0n, key: null, value: null, ...record })),
    { codec },
  );
}

function withId(id: number, text: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeInt32BE(id, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

const fine = { error: 'NONE', message: null, records: [] };

function refusal(index: number, message: string) {
  return {
    error: 'INVALID_RECORD',
    message: `record ${index}: ${message}`,
    records: [`${index}: ${message}`],
  };
}

const guid = Buffer.from('00000000000000000000000000000001', 'hex');
const byGuid = Buffer.concat([Buffer.from([1]), guid]);

/** Configs beside the validation of values, records, and the problem of the last record. */
const rows: [string, { readonly [name: string]: string }, Partial<RecordToWrite>[], string?][] = [
  ['a valid value', {}, [{ value: withId(1, 'abc') }]],
  ['a tombstone', {}, [{ key: Buffer.from('k'), value: null }]],
  ['a key that is not validated', {}, [{ key: Buffer.from('k'), value: withId(1, 'a') }]],
  [
    'no magic byte',
    {},
    [{ value: Buffer.from('abc') }],
    'value does not start with a magic byte and a schema id',
  ],
  [
    'an empty value',
    {},
    [{ value: Buffer.alloc(0) }],
    'value does not start with a magic byte and a schema id',
  ],
  ['an unknown id', {}, [{ value: withId(99, 'a') }], 'value has schema 99, which does not exist'],
  [
    'an id of another subject',
    {},
    [{ value: withId(3, 'c') }],
    'value has schema 3, which is not registered under subject t-value',
  ],
  [
    'a payload that does not decode',
    {},
    [{ value: withId(1, 'x') }],
    'value does not match schema 1: must begin with a',
  ],
  [
    'a schema that cannot be parsed',
    {},
    [{ value: withId(4, 'x') }],
    'value has schema 4, which cannot be parsed: the text says so',
  ],
  [
    'one invalid record among valid ones',
    {},
    [{ value: withId(1, 'a') }, { value: withId(1, 'ab') }, { value: withId(1, 'b') }],
    'value does not match schema 1: must begin with a',
  ],
  [
    'a subject by record',
    { 'service.value.subject.name.strategy': 'RecordNameStrategy' },
    [{ value: withId(2, 'b') }],
  ],
  [
    'another subject by record',
    { 'service.value.subject.name.strategy': 'RecordNameStrategy' },
    [{ value: withId(1, 'a') }],
    'value has schema 1, which is not registered under subject record.a',
  ],
  [
    'a subject by topic and record',
    { 'service.value.subject.name.strategy': 'TopicRecordNameStrategy' },
    [{ value: withId(3, 'c') }],
  ],
  [
    'another subject by topic and record',
    { 'service.value.subject.name.strategy': 'TopicRecordNameStrategy' },
    [{ value: withId(2, 'b') }],
    'value has schema 2, which is not registered under subject t-record.b',
  ],
  ['no key', { 'service.key.schema.validation': 'true' }, [{ value: withId(1, 'a') }]],
  [
    'a valid key',
    { 'service.key.schema.validation': 'true' },
    [{ key: withId(1, 'a'), value: withId(1, 'a') }],
  ],
  [
    'an invalid key',
    { 'service.key.schema.validation': 'true' },
    [{ key: Buffer.from('k'), value: withId(1, 'a') }],
    'key does not start with a magic byte and a schema id',
  ],
  [
    'a GUID in a header',
    {},
    [{ value: Buffer.from('abc'), headers: [{ key: schemaIdHeaders.value, value: byGuid }] }],
  ],
  [
    'an id in a header',
    {},
    [{ value: Buffer.from('abc'), headers: [{ key: schemaIdHeaders.value, value: withId(1, '') }] }],
  ],
  [
    'a header for the key',
    {},
    [{ value: Buffer.from('abc'), headers: [{ key: schemaIdHeaders.key, value: byGuid }] }],
    'value does not start with a magic byte and a schema id',
  ],
  [
    'the last header of the name',
    {},
    [
      {
        value: Buffer.from('abc'),
        headers: [
          { key: schemaIdHeaders.value, value: withId(9, '') },
          { key: schemaIdHeaders.value, value: byGuid },
        ],
      },
    ],
  ],
  [
    'a payload that does not fit the GUID',
    {},
    [{ value: Buffer.from('b'), headers: [{ key: schemaIdHeaders.value, value: byGuid }] }],
    'value does not match schema 00000000-0000-0000-0000-000000000001: must begin with a',
  ],
  [
    'a header that is no reference',
    {},
    [{ value: withId(1, 'a'), headers: [{ key: schemaIdHeaders.value, value: Buffer.from('x') }] }],
    'value does not start with a magic byte and a schema id',
  ],
];
for (const [name, configs, records, problem] of rows) {
  test(`validation: ${name}`, async () => {
    const { send, appended } = await start({ ...values, ...configs });
    const expected = problem === undefined ? fine : refusal(records.length - 1, problem);
    assert.deepEqual(await send(records), expected);
    // Once more with everything in the cache.
    assert.deepEqual(await send(records), expected);
    assert.equal(appended.length, problem === undefined ? 2 : 0);
  });
}

for (const codec of Object.keys(codecIds) as CompressionCodec[]) {
  test(`${codec}: large batches are validated off the serving thread, small ones on it`, async () => {
    const { sendBytes, appended } = await start(values);
    const valid = { value: withId(1, `a${'x'.repeat(10_000)}`) };
    const large = Array.from({ length: 80 }, () => valid);
    const invalid = { value: withId(1, 'b') };
    assert.deepEqual(await sendBytes(batchOf([valid, valid], codec)), fine);
    assert.deepEqual(await sendBytes(batchOf(large, codec)), fine);
    const expected = refusal(80, 'value does not match schema 1: must begin with a');
    assert.deepEqual(await sendBytes(batchOf([...large, invalid], codec)), expected);
    assert.equal(appended.length, 2);
  });
}

test('with warnings only, invalid records are written and counted', async () => {
  const { send, appended, counts } = await start(warning);
  const records = [
    { value: withId(1, 'a') },
    { value: withId(1, 'x') },
    { value: withId(99, 'x') },
    { value: Buffer.from('x') },
    { value: withId(3, 'c') },
    { value: withId(4, 'x') },
    { value: withId(1, 'y') },
  ];
  assert.deepEqual(await send(records), fine);
  assert.equal(appended.length, 1);
  assert.deepEqual(counts(), {
    't payload': 2,
    't unknown_schema': 1,
    't wire_format': 1,
    't subject': 1,
    't unreadable_schema': 1,
  });
});

test('refused records are counted once', async () => {
  const { send, counts } = await start(values);
  await send([{ value: withId(98, 'a') }, { value: withId(99, 'a') }]);
  assert.deepEqual(counts(), { 't unknown_schema': 2 });
});

test('while the registry is away, known schemas are validated and others are retried', async () => {
  const { send, reader, appended, clock, counts } = await start(values);
  assert.deepEqual(await send([{ value: withId(1, 'a') }]), fine);
  reader.failure = new RegistryUnavailable('http://registry: away');
  clock.advance(1_000_000);
  assert.deepEqual(await send([{ value: withId(1, 'a') }]), fine);
  assert.deepEqual(
    await send([{ value: withId(1, 'x') }]),
    refusal(0, 'value does not match schema 1: must begin with a'),
  );
  assert.deepEqual(await send([{ value: withId(2, 'b') }]), {
    error: 'REQUEST_TIMED_OUT',
    message: 'value has schema 2, which cannot be fetched: http://registry: away',
    records: [],
  });
  reader.failure = undefined;
  clock.advance(1_001);
  const message = 'value has schema 2, which is not registered under subject t-value';
  assert.deepEqual(await send([{ value: withId(2, 'b') }]), refusal(0, message));
  assert.equal(appended.length, 2);
  assert.deepEqual(counts(), { 't payload': 1, 't subject': 1 });
});

test('with warnings only, records whose schema cannot be fetched are written', async () => {
  const { send, reader, counts } = await start(warning);
  reader.failure = new RegistryUnavailable('http://registry: away');
  assert.deepEqual(await send([{ value: withId(1, 'a') }]), fine);
  assert.deepEqual(counts(), { 't unchecked': 1 });
});

test('requests of a connection keep their order while a schema is fetched, and other connections do not wait', async () => {
  const { send, reader, appended } = await start(values);
  const one = new AbortController().signal;
  assert.deepEqual(await send([{ value: withId(1, 'a') }], { partition: 9 }), fine);
  reader.add(5, 'a', ['t-value']);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  reader.gate = gate;
  const first = send([{ value: withId(5, 'a') }], { partition: 0, closed: one });
  const second = send([{ value: withId(1, 'a') }], { partition: 1, closed: one });
  // More connections than batches that may be inflated off the serving thread at a time.
  const waiting = [2, 3, 4].map((partition) => send([{ value: withId(5, 'a') }], { partition }));
  const large = Array.from({ length: 80 }, () => ({ value: withId(1, `a${'x'.repeat(10_000)}`) }));
  assert.deepEqual(await send(large, { partition: 8 }), fine);
  await settle();
  assert.deepEqual(
    appended.map(({ partition }) => partition),
    [9, 8],
  );
  open();
  for (const answer of await Promise.all([first, second, ...waiting])) assert.deepEqual(answer, fine);
  const order = appended.map(({ partition }) => partition);
  assert.ok(order.indexOf(0) < order.indexOf(1));
  assert.equal(reader.asked.filter((what) => what === 'id 5').length, 1);
});

test('a batch of unknown ids fetches few of them', async () => {
  const { send, reader } = await start(values);
  const records = Array.from({ length: 5_000 }, (_, index) => ({ value: withId(1_000 + index, 'a') }));
  const { error, records: recordErrors } = await send(records);
  assert.equal(error, 'INVALID_RECORD');
  assert.equal(recordErrors.length, 16);
  assert.equal(reader.asked.filter((what) => what.startsWith('id ')).length, 16);
  const warned = await start(warning);
  assert.deepEqual(await warned.send(records), fine);
  assert.equal(warned.reader.asked.filter((what) => what.startsWith('id ')).length, 64);
});

test('many schemas of one batch are all fetched', async () => {
  const { send, reader } = await start(values);
  const ids = Array.from({ length: 100 }, (_, index) => 1_000 + index);
  for (const id of ids) reader.add(id, 'a', ['t-value']);
  assert.deepEqual(await send(ids.map((id) => ({ value: withId(id, 'a') }))), fine);
});

/** A format whose payloads cost what they say. */
function costlyFormat(type: SchemaType): ReturnType<typeof textFormat> {
  const format = textFormat(type);
  const codec: typeof format.codec = (schema): PayloadCodec => ({
    ...format.codec(schema),
    problemOf(bytes, start = 0, end = bytes.length, work) {
      work?.spend(Number(Buffer.from(bytes.subarray(start, end)).toString()));
      return undefined;
    },
  });
  return { ...format, codec };
}

test('records that take much work are checked in turns, whatever their bytes', async () => {
  const { send, pauses } = await start(values, { formatOf: costlyFormat });
  const records = Array.from({ length: 10 }, () => ({ value: withId(1, String(1.2 * MiB)) }));
  assert.deepEqual(await send([{ value: withId(1, '1') }]), fine);
  assert.equal(pauses(), 0);
  assert.deepEqual(await send(records), fine);
  const turns = pauses();
  // One record is checked at once, and each of the others but the last ends a turn.
  assert.equal(turns, 8);
  assert.deepEqual(await send([...records, ...records].slice(0, 13)), fine);
  assert.equal(pauses() - turns, turns + 3);
});

test('the batches of a request share what their check may cost', async () => {
  const { sendAll, appended, counts } = await start(values, { formatOf: costlyFormat });
  const batch = batchOf(Array.from({ length: 3 }, () => ({ value: withId(1, String(2 * MiB)) })));
  const request = [0, 1, 2, 3].map((index) => ({ index, records: batch }));
  const problem = 'value cannot be validated: schema 1 is too expensive for the records of the request';
  const costly = { ...refusal(2, problem), records: [`2: ${problem}`] };
  const all = { error: 'INVALID_RECORD', message: `record 0: ${problem}` };
  const answers = await sendAll(request);
  assert.deepEqual(answers.slice(0, 3), [fine, fine, costly]);
  assert.partialDeepStrictEqual(answers[3], all);
  assert.equal(appended.length, 2);
  assert.deepEqual(counts(), { 't too_costly': 4 });
  // The next request has its own.
  assert.deepEqual(await sendAll(request.slice(0, 2)), [fine, fine]);
});

test('a batch that is checked in turns checks each record once', async () => {
  let checked = 0;
  const { send, reader } = await start(values, {
    formatOf: (type) => {
      const format = costlyFormat(type);
      return {
        ...format,
        codec: (schema) => {
          const codec = format.codec(schema);
          return {
            ...codec,
            problemOf(...payload) {
              checked++;
              return codec.problemOf(...payload);
            },
          };
        },
      };
    },
  });
  const ids = Array.from({ length: 100 }, (_, index) => 1_000 + index);
  for (const id of ids) reader.add(id, 'a', ['t-value']);
  assert.deepEqual(await send(ids.map((id) => ({ value: withId(id, '100000') }))), fine);
  assert.equal(checked, 100);
});

/** Threads that know the real formats, and a format that is never used. */
async function startWithThreads(configs: { readonly [name: string]: string }) {
  const pool = new SchemaPool({ clock: systemClock, threadsMax: 1 });
  const parsed: string[] = [];
  const formatOf = (type: SchemaType): ReturnType<typeof textFormat> => {
    const format = textFormat(type);
    return {
      ...format,
      parse(source) {
        parsed.push(source.text);
        return format.parse(source);
      },
    };
  };
  const started = await start(configs, { formatOf, pool });
  return { ...started, parsed, [Symbol.asyncDispose]: () => pool.end() };
}

/** A schema of that title for objects with a number, of about so many characters. */
const largeSchema = (title: string, chars = 100_000) =>
  JSON.stringify({ title, properties: { a: { type: 'number' } }, description: 'x'.repeat(chars) });

test('a large schema stays in threads, and so do its payloads', async () => {
  await using agent = await startWithThreads(values);
  const { send, reader, parsed, counts } = agent;
  reader.add(5, largeSchema('five'), ['t-value'], 'JSON');
  reader.add(6, `{"type":"nothing"}${' '.repeat(100_000)}`, ['t-value'], 'JSON');
  const valid = { value: withId(5, '{"a":1}') };
  assert.deepEqual(await send([valid, valid, { value: withId(1, 'abc') }, valid]), fine);
  const problem = 'value does not match schema 5: #/a: must be number';
  assert.deepEqual(await send([valid, { value: withId(5, '{"a":"1"}') }, valid]), refusal(1, problem));
  const unreadable = await send([{ value: withId(6, '{}') }]);
  assert.match(unreadable.message!, /^record 0: value has schema 6, which cannot be parsed: /);
  assert.deepEqual(parsed, ['a']);
  assert.deepEqual(counts(), { 't payload': 1, 't unreadable_schema': 1 });
});

test('the name of a record comes from the thread where the subject needs it', async () => {
  const strategy = { 'service.value.subject.name.strategy': 'RecordNameStrategy' };
  await using agent = await startWithThreads({ ...values, ...strategy });
  const { send, reader } = agent;
  reader.add(5, largeSchema('five'), ['five'], 'JSON');
  reader.add(6, largeSchema('six'), ['other'], 'JSON');
  assert.deepEqual(await send([{ value: withId(5, '{"a":1}') }]), fine);
  const problem = 'value has schema 6, which is not registered under subject six';
  assert.deepEqual(await send([{ value: withId(6, '{"a":1}') }]), refusal(0, problem));
});

test('large payloads in JSON are checked in threads, and share the limit of their request', async () => {
  await using agent = await startWithThreads(values);
  const { send, reader, counts } = agent;
  const next = (at: number) => ({ $ref: `#/definitions/a${at + 1}` });
  const definitions = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`a${at}`, { allOf: [next(at), next(at)] }]),
  );
  const doubling = { $ref: '#/definitions/a0', definitions: { ...definitions, a40: { type: 'number' } } };
  reader.add(5, JSON.stringify({ ...doubling, description: 'x'.repeat(100_000) }), ['t-value'], 'JSON');
  const { error, records } = await send(Array.from({ length: 500 }, () => ({ value: withId(5, '1') })));
  assert.equal(error, 'INVALID_RECORD');
  const problem = 'value cannot be validated: schema 5 is too expensive for the records of the request';
  assert.equal(records[0], `0: ${problem}`);
  assert.deepEqual(Object.keys(counts() as object), ['t too_costly']);
});

test('an agent without a registry takes no records of a topic that validates them', async () => {
  const { send, appended } = await start(values, { withRegistry: false });
  assert.deepEqual(await send([{ value: withId(1, 'a') }]), {
    error: 'INVALID_CONFIG',
    message:
      'the topic has schema validation, but this agent has no schema registry; set -externalSchemaRegistryURL',
    records: [],
  });
  assert.equal(appended.length, 0);
  const warned = await start(warning, { withRegistry: false });
  assert.deepEqual(await warned.send([{ value: withId(1, 'a') }]), fine);
});
