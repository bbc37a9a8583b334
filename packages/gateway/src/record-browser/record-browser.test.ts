import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { AnswerMemory, type RequestServer } from '@weir/broker';
import { addUser } from '@weir/broker/testing';
import {
  aclKey,
  type ProduceRecordAnswer,
  type ProduceRecordQuery,
  type ReadRecords,
  type ReadRecordsAnswer,
  type ReadRecordsQuery,
} from '@weir/cluster';
import { type Acl, MiB, systemClock } from '@weir/core';
import { pause } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { fullAccess, openSession } from '@weir/security';
import { buildRecordBatch } from '@weir/wire';
import { recordFormatter } from '../http-data/formatted-records.ts';
import { InflatedMemory } from '../http-data/inflated-memory.ts';
import { gatewayLimits } from '../limits.ts';
import { BrowserClient } from './browser-client.ts';
import { readRecords } from './read-records.ts';

const reading: ReadRecordsQuery = {
  kind: 'readRecords',
  caller: { remoteAddress: '127.0.0.1' },
  topic: 'orders',
  partitions: [0],
  start: 'newest',
  direction: 'older',
  limit: 10,
  contains: '',
  filter: '',
  keyFormat: 'auto',
  valueFormat: 'auto',
  isWhole: false,
  scannedRecordsMax: 100_000,
  scannedBytesMax: 64 * 1024 * 1024,
  scanMsMax: 600_000,
};

const writing: ProduceRecordQuery = {
  kind: 'produceRecord',
  caller: { remoteAddress: '127.0.0.1' },
  topic: 'orders',
  partitionCount: 1,
  partition: null,
  key: null,
  value: { text: 'v', format: 'string' },
  headers: [],
  timestampMs: 7,
  producerId: 1,
};

type Differences = Parameters<typeof httpStage>[1];

/** An agent that answers queries of the leader about records. */
async function stage(t: TestContext, differences: Differences = {}) {
  const cluster = (differences?.cluster as TestCluster | undefined) ?? new TestCluster();
  const staged = await httpStage(t, { ...differences, cluster, answersQueries: true });
  let asked = 0;
  const ask = async <Answer>(query: object, whileRunning?: (queryId: string) => Promise<void>) => {
    const queryId = `q${asked++}`;
    const running = cluster.runQuery({
      queryId,
      request: Buffer.from(JSON.stringify(query)),
      limitMs: 20_000,
    });
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    running.then(end, end);
    await whileRunning?.(queryId);
    while (!isOver) {
      staged.clock.advance(5);
      await pause(0);
    }
    const outcome = await running;
    if (outcome.kind === 'refused') return `${outcome.refusal}: ${outcome.message}` as never;
    return JSON.parse(Buffer.from(outcome.answer).toString()) as Answer;
  };
  const produce = async (
    records: readonly { key?: Buffer; value: Buffer | null; timestamp?: number; headers?: object[] }[],
    partition = 0,
    headers: Record<string, string> = {},
  ) => {
    const { status } = await staged.call(
      'POST',
      '/v1/kafka/produce',
      {
        topics: [
          {
            topic: 'orders',
            partitions: [
              {
                partition,
                records: records.map(({ key, value, ...rest }) => ({
                  key: key?.toString('base64') ?? null,
                  value: value?.toString('base64') ?? null,
                  ...rest,
                })),
              },
            ],
          },
        ],
      },
      headers,
    );
    assert.equal(status, 200);
  };
  const read = async (differs: Partial<ReadRecordsQuery> = {}) => {
    const answer = await ask<ReadRecordsAnswer>({ ...reading, ...differs });
    assert.ok(answer.kind === 'read', JSON.stringify(answer));
    return answer;
  };
  return { ...staged, cluster, ask, produce, read };
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, nth) => ({
    value: Buffer.from(JSON.stringify({ n: from + nth })),
    timestamp: 1_000 + from + nth,
  }));

const placesOf = ({ records }: ReadRecords) =>
  records.map(({ partition, offset }) => `${partition}:${offset}`);
const offsetsOf = ({ records }: ReadRecords) => records.map(({ offset }) => offset);

test('the newest records come first across partitions, and cursors reach all others once', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders', 3);
  // Times interleave: those of partition 1 lie between those of partition 0.
  await produce(
    [0, 2, 4, 6, 8].map((ms) => ({ value: Buffer.from('a'), timestamp: 1_000 + ms })),
    0,
  );
  await produce(
    [1, 3, 5].map((ms) => ({ value: Buffer.from('b'), timestamp: 1_000 + ms })),
    1,
  );
  const all = { partitions: [0, 1, 2], limit: 3 };
  const first = await read(all);
  assert.deepEqual(placesOf(first), ['0:4', '0:3', '1:2']);
  const seen = [...placesOf(first)];
  let page = first;
  while (page.older !== null) {
    page = await read({ ...all, start: 'positions', direction: 'older', positions: page.older });
    seen.push(...placesOf(page));
    assert.ok(seen.length <= 8, seen.join());
  }
  assert.deepEqual(seen, ['0:4', '0:3', '1:2', '0:2', '1:1', '0:1', '1:0', '0:0']);
  const forwards = await read({ ...all, start: 'oldest', direction: 'newer', limit: 8 });
  assert.deepEqual(placesOf(forwards), seen.toReversed());
  assert.equal(forwards.older, null);
  // Records that are written later are where the first answer says.
  await produce([{ value: Buffer.from('late'), timestamp: 1_100 }], 2);
  const newer = await read({ ...all, start: 'positions', direction: 'newer', positions: first.newer! });
  assert.deepEqual(placesOf(newer), ['2:0']);
});

test('a read begins at an offset or a time, and outside of the log at its ends', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders');
  await produce(numbered(100));
  const from = (start: 'offset' | 'time', at: number) =>
    read({
      start,
      direction: 'newer',
      limit: 2,
      ...(start === 'offset' ? { offset: at } : { timestampMs: at }),
    });
  assert.deepEqual(offsetsOf(await from('offset', 40)), [40, 41]);
  assert.deepEqual(offsetsOf(await from('offset', 1_000_000)), []);
  assert.deepEqual(offsetsOf(await from('time', 1_050)), [50, 51]);
  assert.deepEqual(offsetsOf(await from('time', 9_999)), []);
  assert.deepEqual(
    offsetsOf(await read({ limit: 100 })),
    Array.from({ length: 100 }, (_, nth) => 99 - nth),
  );
});

test('filters find text, fields of JSON, headers and places', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders');
  await produce([
    ...numbered(300),
    {
      key: Buffer.from('k<1>'),
      value: Buffer.from('plain needle'),
      timestamp: 2_000,
      headers: [{ key: 'trace', value: Buffer.from('abc').toString('base64') }],
    },
  ]);
  // biome-ignore format: a table
  const cases: [differs: Partial<ReadRecordsQuery>, offsets: number[]][] = [
    [{ contains: 'needle' },                               [300]],
    [{ contains: 'k<1>' },                                 [300]],
    [{ contains: 'abc' },                                  [300]],
    [{ contains: 'trace' },                                [300]],
    [{ contains: 'absent' },                               []],
    [{ contains: 'NEEDLE' },                               []],
    [{ contains: 'NEEDLE', ignoresCase: true },            [300]],
    [{ contains: 'K<1>', ignoresCase: true },              [300]],
    [{ contains: 'TRACE', ignoresCase: true },             [300]],
    [{ contains: 'ABC', ignoresCase: true },               [300]],
    [{ contains: 'Absent', ignoresCase: true },            []],
    [{ filter: 'value.n == 7' },                           [7]],
    [{ filter: 'value.n > 296 and offset != 298' },        [299, 297]],
    [{ filter: 'headers.trace == "abc"' },                 [300]],
    [{ filter: 'key == "k<1>" and partition == 0' },       [300]],
    [{ filter: 'timestamp >= "1970-01-01T00:00:02.000Z"' }, [300]],
    [{ filter: 'value like "plain%"', contains: 'needle' }, [300]],
  ];
  for (const [differs, offsets] of cases) {
    const answer = await read(differs);
    assert.deepEqual(offsetsOf(answer), offsets, JSON.stringify(differs));
    assert.deepEqual([answer.scanned, answer.matched], [301, offsets.length]);
    assert.equal(answer.cut, null);
  }
});

test('masked fields are neither shown nor found, in any format', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders');
  await produce([
    {
      key: Buffer.from('{"email":"key@x"}'),
      value: Buffer.from('{"n":1,"email":"ann@x"}'),
      headers: [{ key: 'email', value: Buffer.from('head@x').toString('base64') }],
    },
    { value: Buffer.from('plain ann@x') },
  ]);
  const masks = ['email'];
  const open = await read({ contains: 'ann@x' });
  assert.deepEqual([offsetsOf(open), open.areMasksApplied], [[1, 0], undefined]);
  for (const format of ['auto', 'string', 'json', 'base64'] as const) {
    const answer = await read({ masks, keyFormat: format, valueFormat: format });
    assert.equal(answer.areMasksApplied, true);
    assert.doesNotMatch(JSON.stringify(answer), /@x|YW5uQH|QHg/, format);
    assert.equal(answer.records[0]!.value!.isMasked, true);
  }
  const [, masked] = (await read({ masks })).records;
  assert.deepEqual([masked!.value!.text, masked!.value!.format], ['{"n":1,"email":"•••"}', 'json']);
  assert.equal(masked!.headers[0]!.value!.text, '•••');
  // biome-ignore format: a table
  const searches: [differs: Partial<ReadRecordsQuery>, offsets: number[]][] = [
    [{ contains: 'ann@x' },                     []],
    [{ contains: 'ANN@X', ignoresCase: true },  []],
    [{ contains: 'head@x' },                    []],
    [{ filter: 'value.email == "ann@x"' },      []],
    [{ filter: 'value like "%ann%"' },          []],
    [{ filter: 'key.email like "key%"' },       []],
    [{ filter: 'headers.email == "head@x"' },   []],
    [{ filter: 'value.n == 1' },                [0]],
    [{ contains: '"n":1' },                     [0]],
  ];
  for (const [differs, offsets] of searches)
    assert.deepEqual(offsetsOf(await read({ masks, ...differs })), offsets, JSON.stringify(differs));
});

test('bounds end a read early, and its cursors continue it', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders');
  await produce(numbered(2_000));
  const rare = { filter: 'value.n == 3' };
  for (const direction of ['older', 'newer'] as const) {
    const start = direction === 'older' ? 'newest' : 'oldest';
    let answer = await read({ ...rare, filter: 'value.n == 1000', start, direction, scannedRecordsMax: 50 });
    assert.deepEqual([answer.cut, answer.records.length], ['records', 0]);
    let reads = 1;
    while (answer.records.length === 0) {
      const positions = answer[direction]!;
      answer = await read({
        filter: 'value.n == 1000',
        start: 'positions',
        positions,
        direction,
        scannedRecordsMax: 50,
      });
      assert.ok(reads++ < 100, 'every read comes further');
    }
    assert.deepEqual(offsetsOf(answer), [1_000]);
  }
  assert.equal((await read({ ...rare, scannedBytesMax: 100 })).cut, 'bytes');
  const late = await read({ ...rare, scanMsMax: 0 });
  assert.deepEqual([late.cut, late.scanned, late.older], ['time', 0, [{ partition: 0, offset: 2_000 }]]);
});

test('payloads of any kind are shown as what they are, and long ones are cut', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders');
  const long = 'ä'.repeat(100_000);
  await produce([
    { value: null },
    { value: Buffer.alloc(0), key: Buffer.alloc(0) },
    { value: Buffer.from([0xff, 0xfe, 0x00]) },
    { value: Buffer.from('<script>\u0000\u202e') },
    { value: Buffer.from('{"big":12345678901234567890}') },
    { value: Buffer.from(long) },
  ]);
  const { records } = await read({ start: 'oldest', direction: 'newer' });
  const shown = records.map(({ value }) => value && [value.format, value.text.slice(0, 40), value.isCut]);
  assert.deepEqual(shown, [
    null,
    ['string', '', false],
    ['base64', '//4A', false],
    ['string', '<script>\u0000\u202e', false],
    ['json', '{"big":12345678901234567890}', false],
    ['string', 'ä'.repeat(40), true],
  ]);
  assert.equal(records[1]!.key!.text, '');
  assert.equal(records[0]!.key, null);
  assert.equal(records[5]!.value!.bytes, 200_000);
  const whole = await read({ start: 'offset', offset: 5, direction: 'newer', limit: 1, isWhole: true });
  assert.equal(whole.records[0]!.value!.text, long);
});

test('a large answer is divided', async (t) => {
  const { cluster, produce, read } = await stage(t);
  cluster.addTopic('orders');
  const value = Buffer.alloc(60_000, 'x');
  for (let nth = 0; nth < 4; nth++) await produce(Array.from({ length: 25 }, () => ({ value })));
  const first = await read({ limit: 100 });
  assert.equal(first.cut, 'answer_bytes');
  const rest = await read({ limit: 100, start: 'positions', direction: 'older', positions: first.older! });
  assert.deepEqual(
    [...offsetsOf(first), ...offsetsOf(rest)],
    Array.from({ length: 100 }, (_, nth) => 99 - nth),
  );
});

test('a read that is no longer wanted stops between fetches', async () => {
  const wanted = new AbortController();
  let fetches = 0;
  // A log without an end, in which nothing matches.
  const serve = async ({ api, body }: { api: { name: string }; body: unknown }): Promise<unknown> => {
    if (api.name === 'ListOffsets') {
      const [{ partitions }] = (body as { topics: [{ partitions: { timestamp: bigint }[] }] }).topics;
      const offset = partitions[0]!.timestamp === -2n ? 0n : 1_000_000_000n;
      return { topics: [{ name: 'orders', partitions: [{ partitionIndex: 0, errorCode: 0, offset }] }] };
    }
    if (++fetches === 3) wanted.abort();
    assert.ok(fetches < 10, 'it goes on');
    const [{ partitions }] = (body as { topics: [{ partitions: { fetchOffset: bigint }[] }] }).topics;
    const record = { timestamp: 1n, key: null, value: Buffer.from('x') };
    const records = buildRecordBatch([record], { baseOffset: partitions[0]!.fetchOffset });
    const fetched = { partitionIndex: 0, errorCode: 0, abortedTransactions: [], records };
    return { throttleTimeMs: 0, responses: [{ topic: 'orders', partitions: [fetched] }] };
  };
  const session = openSession({ remoteAddress: '127.0.0.1', remotePort: 0 });
  const server = { serve } as unknown as RequestServer;
  const client = new BrowserClient({ server, session, signal: wanted.signal, clock: systemClock });
  const deps = { schemas: undefined, clock: systemClock, pause: () => client.pause(0) };
  const formatter = await recordFormatter({ key: 'auto', value: 'auto' }, fullAccess, deps);
  const inflated = new InflatedMemory(new AnswerMemory(1024 * MiB, systemClock), systemClock);
  const read = readRecords(
    { ...reading, start: 'oldest', direction: 'newer', contains: 'absent' },
    { client, formatter, inflated, clock: systemClock, signal: wanted.signal, limitMs: 60_000 },
  );
  await assert.rejects(read, { name: 'AbortError' });
  assert.equal(fetches, 3);
});

test('decompressed batches count as memory of answers, and a read waits for room', async () => {
  const value = Buffer.alloc(MiB);
  const records = buildRecordBatch([{ timestamp: 1n, key: null, value }], { codec: 'zstd' });
  const offsets = [0n, 1n];
  const serve = async ({ api }: { api: { name: string } }): Promise<unknown> => {
    if (api.name !== 'ListOffsets') {
      const fetched = { partitionIndex: 0, errorCode: 0, abortedTransactions: [], records };
      return { throttleTimeMs: 0, responses: [{ topic: 'orders', partitions: [fetched] }] };
    }
    const partition = { partitionIndex: 0, errorCode: 0, offset: offsets.shift()! };
    return { topics: [{ name: 'orders', partitions: [partition] }] };
  };
  const session = openSession({ remoteAddress: '127.0.0.1', remotePort: 0 });
  const server = { serve } as unknown as RequestServer;
  const clock = systemClock;
  const answers = new AnswerMemory(1024 * MiB, clock);
  const inflated = new InflatedMemory(answers, clock);
  const { signal } = new AbortController();
  const client = new BrowserClient({ server, session, signal, clock });
  const counted: number[] = [];
  const pause = async () => undefined;
  const formatter = await recordFormatter({ key: 'auto', value: 'base64' }, fullAccess, {
    schemas: undefined,
    clock,
    pause,
  });
  const part = formatter.part.bind(formatter);
  formatter.part = (...given) => {
    counted.push(answers.bytes);
    return part(...given);
  };
  const deps = { client, formatter, inflated, clock, signal, limitMs: 60_000 };
  const query: ReadRecordsQuery = { ...reading, start: 'oldest', direction: 'newer', limit: 1 };
  const { length } = (JSON.parse(await readRecords(query, deps)) as ReadRecords).records;
  assert.equal(length, 1);
  assert.ok(counted.length > 0 && counted.every((bytes) => bytes > MiB));
  assert.equal(answers.bytes, 0);
  const held = await inflated.inflate(async () => Buffer.alloc(gatewayLimits.httpInflatedBytesMax + 1));
  offsets.push(0n, 1n);
  await assert.rejects(readRecords(query, deps), { name: 'RecordRefused', reason: 'unavailable' });
  held.release();
});

test('the control plane can take a read back', async (t) => {
  const { cluster, ask } = await stage(t);
  cluster.addTopic('orders');
  const refused: unknown = await ask(reading, (queryId) => cluster.cancelQuery(queryId));
  assert.match(String(refused), /^cancelled/);
});

function allow(cluster: TestCluster, user: string, operation: Acl['operation']): void {
  const acl: Acl = {
    permission: 'ALLOW',
    operation,
    resourceType: 'TOPIC',
    resourceName: 'orders',
    patternType: 'LITERAL',
    principal: `User:${user}`,
    host: '*',
  };
  cluster.putRecord('acl', aclKey(acl), {});
}

test('where ACLs are on, a credential decides what is read and written', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  cluster.addTopic('orders');
  for (const user of ['reader', 'writer', 'stranger']) addUser(cluster, user, `${user}-secret`);
  allow(cluster, 'reader', 'READ');
  allow(cluster, 'writer', 'WRITE');
  const { ask } = await stage(t, { cluster });
  const as = (username: string, password = `${username}-secret`) => ({
    caller: { remoteAddress: '127.0.0.1', login: { username, password } },
  });
  // biome-ignore format: a table
  const cases: [query: object, reason: string, message: RegExp][] = [
    [reading,                              'loginRequired', /authorizes reads and writes by Kafka credential/],
    [writing,                              'loginRequired', /provide one\.$/],
    [{ ...reading, ...as('reader', 'no') }, 'loginWrong',   /is wrong\.$/],
    [{ ...reading, ...as('absent') }, 'loginWrong',    /is wrong\.$/],
    [{ ...reading, ...as('stranger') },    'denied',        /may not read the topic orders/],
    [{ ...writing, ...as('reader') },      'denied',        /may not write the topic orders/],
  ];
  for (const [query, reason, message] of cases) {
    const answer = await ask<ReadRecordsAnswer>(query);
    assert.ok(answer.kind === 'refused', JSON.stringify(answer));
    assert.equal(answer.reason, reason, answer.message);
    assert.match(answer.message, message);
    assert.doesNotMatch(JSON.stringify(answer), /secret/);
  }
  const written = await ask<ProduceRecordAnswer>({ ...writing, ...as('writer') });
  assert.deepEqual(written, { kind: 'produced', partition: 0, offset: 0, timestampMs: 7 });
  const found = await ask<ReadRecordsAnswer>({ ...reading, ...as('reader') });
  assert.ok(found.kind === 'read');
  assert.deepEqual(offsetsOf(found), [0]);
});

test('a read that the control plane has authorised needs no credential, and a write still does', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  cluster.addTopic('orders');
  for (const user of ['writer', 'stranger']) addUser(cluster, user, `${user}-secret`);
  allow(cluster, 'writer', 'WRITE');
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const { ask } = await stage(t, { cluster, sasl });
  const caller = { remoteAddress: '127.0.0.1', mayReadAll: true };
  const as = (username: string) => ({
    caller: { ...caller, login: { username, password: `${username}-secret` } },
  });
  await ask<ProduceRecordAnswer>({ ...writing, ...as('writer') });
  const found = await ask<ReadRecordsAnswer>({ ...reading, caller });
  assert.ok(found.kind === 'read', JSON.stringify(found));
  assert.deepEqual(offsetsOf(found), [0]);
  // biome-ignore format: a table
  const refused: [query: object, reason: string][] = [
    [{ ...reading, caller: { ...caller, mayReadAll: false } }, 'loginRequired'],
    [{ ...writing, caller },                                   'loginRequired'],
    [{ ...reading, ...as('stranger') },                        'denied'],
  ];
  for (const [query, reason] of refused) {
    const answer = await ask<ReadRecordsAnswer>(query);
    assert.ok(answer.kind === 'refused', JSON.stringify(answer));
    assert.equal(answer.reason, reason);
  }
});

test('where clients log in, a read needs a login too', async (t) => {
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const { cluster, ask } = await stage(t, { sasl });
  cluster.addTopic('orders');
  const answer = await ask<ReadRecordsAnswer>(reading);
  assert.ok(answer.kind === 'refused');
  assert.equal(answer.reason, 'loginRequired');
});

test('a record is written in each format, once, and read back', async (t) => {
  const { cluster, ask, read } = await stage(t);
  cluster.addTopic('orders', 2);
  const write = (differs: Partial<ProduceRecordQuery>) =>
    ask<ProduceRecordAnswer>({ ...writing, partitionCount: 2, ...differs });
  const query = {
    partition: 1,
    key: { text: 'k', format: 'string' as const },
    value: { text: '{"a": 1}', format: 'json' as const },
    headers: [
      { name: 'h', value: { text: '/w==', format: 'base64' as const } },
      { name: 'n', value: null },
    ],
  };
  const written = await write(query);
  assert.ok(written.kind === 'produced');
  assert.deepEqual([written.partition, written.offset], [1, 0]);
  // The same query again, as after an agent was lost.
  assert.deepEqual(await write(query), written);
  const { records } = await read({ partitions: [1] });
  assert.equal(records.length, 1);
  const [{ key, value, headers }] = records as [(typeof records)[number]];
  assert.deepEqual([key!.text, value!.text, value!.format], ['k', '{"a": 1}', 'json']);
  assert.deepEqual(
    headers.map((header) => [header.name, header.value?.text, header.value?.format]),
    [
      ['h', '/w==', 'base64'],
      ['n', undefined, undefined],
    ],
  );
  // biome-ignore format: a table
  const cases: [differs: Partial<ProduceRecordQuery>, message: RegExp][] = [
    [{ value: { text: '{', format: 'json' } },                /^The value cannot be written as JSON: it is not JSON\.$/],
    [{ value: { text: '*', format: 'base64' } },              /^The value is not base64\.$/],
    [{ key: { text: '1', format: 'schema' } },                /^The key needs the id of a schema\.$/],
    [{ value: { text: '1', format: 'schema', schemaId: 1 } }, /^This agent has no schema registry/],
  ];
  for (const [differs, message] of cases) {
    const answer = await write({ producerId: 9, ...differs });
    assert.ok(answer.kind === 'refused');
    assert.match(answer.message, message);
  }
});
