import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import {
  buildEndTransactionMarker,
  buildRecordBatch,
  errors,
  RecordBatchView,
  rewritePosition,
} from '@weir/wire';
import { type RunOptions, runLine } from '../../testing/command-run.ts';
import { TestAuthority } from '../../testing/test-authority.ts';

async function cluster(t: TestContext, options: FakeKafkaOptions) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return { fake, weir: (line: string, run?: RunOptions) => runLine(`${line} ${at}`, run) };
}

/** Appends a batch to a partition. */
function append(fake: FakeKafka, topic: string, partition: number, batch: Buffer): void {
  const log = fake.topics.get(topic)!.partitions[partition]!;
  rewritePosition(batch, log.end, 4);
  log.batches.push(batch);
  log.end = new RecordBatchView(batch).nextOffset;
}

const timestamp = 1_700_000_000_000n;

function batchOf(...values: readonly string[]): Buffer {
  return buildRecordBatch(values.map((value) => ({ timestamp, key: null, value: Buffer.from(value) })));
}

test('records are printed as a table and as JSON', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const binary = Buffer.from([0xff, 0x00]);
  const headers = [
    { key: 'trace', value: Buffer.from('1') },
    { key: 'empty', value: null },
  ];
  append(
    fake,
    'orders',
    0,
    buildRecordBatch([
      { timestamp, key: Buffer.from('k'), value: Buffer.from('one\ntwo'), headers },
      { timestamp: timestamp + 1n, key: null, value: null },
      { timestamp: 1_754_000_000_000_000_001n, key: Buffer.from(''), value: binary },
    ]),
  );
  assert.deepEqual(await weir('cli fetch -topic orders'), {
    status: 0,
    out: [
      'PARTITION  OFFSET  TIMESTAMP                 KEY     VALUE',
      '0          0       2023-11-14T22:13:20.000Z  k       one\\ntwo',
      '0          1       2023-11-14T22:13:20.001Z  (null)  (null)',
      '0          2       1754000000000000001               0xff00',
      '',
    ].join('\n'),
    err: '',
  });
  assert.deepEqual(await weir('cli fetch -topic orders -output json'), {
    status: 0,
    out: [
      '{"topic":"orders","partition":0,"offset":0,"timestamp":1700000000000,"key":"k","value":"one\\ntwo",' +
        '"headers":[{"key":"trace","value":"1"},{"key":"empty","value":null}]}',
      '{"topic":"orders","partition":0,"offset":1,"timestamp":1700000000001,"key":null,"value":null,"headers":[]}',
      '{"topic":"orders","partition":0,"offset":2,"timestamp":1754000000000000001,"key":"",' +
        '"value":{"base64":"/wA="},"headers":[]}',
      '',
    ].join('\n'),
    err: '',
  });
});

test('reading starts and ends where the flags say', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  append(fake, 'orders', 0, batchOf('a', 'b', 'c'));
  append(
    fake,
    'orders',
    0,
    buildEndTransactionMarker({
      producerId: 1n,
      producerEpoch: 0,
      result: 'commit',
      timestamp,
      coordinatorEpoch: 0,
    }),
  );
  append(fake, 'orders', 0, batchOf('d', 'e'));
  const cases: readonly [flags: string, values: readonly string[]][] = [
    ['', ['a', 'b', 'c', 'd', 'e']],
    ['-offset earliest -max-records 2', ['a', 'b']],
    // The batch begins before the offset; earlier records are not shown.
    ['-offset 1 -max-records 2', ['b', 'c']],
    // Offset 3 is a transaction marker.
    ['-offset 3', ['d', 'e']],
    ['-offset 6', []],
    ['-offset latest', []],
  ];
  for (const [flags, values] of cases) {
    const { status, out } = await weir(`cli fetch -topic orders -output json ${flags}`);
    assert.equal(status, 0);
    const found = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).value);
    assert.deepEqual(found, values, flags);
  }
  assert.equal(
    (await weir('cli fetch -topic orders -offset 7')).err,
    'weir cli fetch: topic orders, partition 0: no record at offset 7; offsets are 0 to 5\n',
  );
});

test('all partitions are read from their leaders, and a number needs one partition', async (t) => {
  const { fake, weir } = await cluster(t, { brokers: 2, topics: { orders: 3 } });
  for (const partition of [0, 1, 2]) append(fake, 'orders', partition, batchOf(`p${partition}`));
  const { out } = await weir('cli fetch -topic orders');
  assert.deepEqual(
    out
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ +/).at(-1)),
    ['p0', 'p1', 'p2'],
  );
  assert.deepEqual(
    fake.requests
      .filter(({ api }) => api === 'Fetch')
      .map(({ nodeId }) => nodeId)
      .sort(),
    [1, 2],
  );
  assert.equal(
    (await weir('cli fetch -topic orders -offset 0')).err,
    'weir cli fetch: topic orders has 3 partitions, and offset 0 is a different record in each; add -partition\n',
  );
  assert.match((await weir('cli fetch -topic orders -offset 0 -partition 2')).out, /p2\n$/);
});

test('a request that reaches another broker than the leader is repeated at the leader', async (t) => {
  const { fake, weir } = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Fetch: ({ topics: [topic] }, { earlier }) =>
        earlier > 0
          ? undefined
          : {
              throttleTimeMs: 0,
              responses: [
                {
                  topicId: topic!.topicId,
                  partitions: [
                    {
                      partitionIndex: 0,
                      errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
                      highWatermark: -1n,
                      abortedTransactions: null,
                      records: null,
                    },
                  ],
                },
              ],
            },
    },
  });
  append(fake, 'orders', 0, batchOf('a'));
  assert.match((await weir('cli fetch -topic orders')).out, / a\n$/);
  assert.equal(fake.count('Fetch'), 2);
});

test('a corrupt batch is not shown', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const batch = batchOf('precious');
  append(fake, 'orders', 0, batch);
  batch[batch.length - 3]! ^= 1;
  assert.deepEqual(await weir('cli fetch -topic orders'), {
    status: 1,
    out: '',
    err: 'weir cli fetch: topic orders, partition 0: the batch at offset 0 is damaged\n',
  });
});

test('with -wait a later record is shown', async (t) => {
  let requestCount = 0;
  const { fake, weir } = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Fetch() {
        requestCount++;
        if (requestCount === 1) append(fake, 'orders', 0, batchOf('late'));
        return undefined;
      },
    },
  });
  assert.match(
    (await weir('cli fetch -topic orders -offset latest -wait 1h -max-records 1')).out,
    / late\n$/,
  );
});

test('a user who stops the command gets the records so far', async (t) => {
  const stop = new AbortController();
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  append(fake, 'orders', 0, batchOf('a'));
  const { status, out, err } = await weir('cli fetch -topic orders -wait 1h', {
    stop: stop.signal,
    onOut: () => stop.abort(),
  });
  assert.deepEqual({ status, err }, { status: 130, err: '' });
  assert.match(out, / a\n$/);
});

/** A registry with schema 1 (JSON, an object with the number `id`) and no other. */
async function registry(t: TestContext, identity?: { cert: string; key: string }): Promise<string> {
  const schema = '{"type":"object","properties":{"id":{"type":"number"}}}';
  const answer: RequestListener = ({ url = '' }, response) => {
    const isKnown = url.startsWith('/schemas/ids/1');
    const found = url.endsWith('/versions')
      ? [{ subject: 'orders-value', version: 1 }]
      : { schema, schemaType: 'JSON' };
    response
      .writeHead(isKnown ? 200 : 404)
      .end(JSON.stringify(isKnown ? found : { error_code: 40403, message: 'no schema' }));
  };
  const server = identity === undefined ? createServer(answer) : createSecureServer(identity, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return identity === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
}

test('keys and values are decoded by their schemas, and shown with the reason if that fails', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const withId = (id: number, text: string) => Buffer.from([0, 0, 0, 0, id, ...Buffer.from(text)]);
  append(
    fake,
    'orders',
    0,
    buildRecordBatch([
      { timestamp, key: Buffer.from('k'), value: withId(1, '{"id":5}') },
      { timestamp, key: withId(1, '{"id":6}'), value: withId(1, '{"id"') },
      { timestamp, key: null, value: withId(2, 'x') },
    ]),
  );
  const decoded = `cli fetch -topic orders -schema-registry-url ${await registry(t)}`;
  const { status, out, err } = await weir(`${decoded} -output json -decode auto`);
  assert.deepEqual([status, err], [0, '']);
  const [first, second, third] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([first!.key, first!.value, first!.valueSchema], ['k', { id: 5 }, 1]);
  assert.deepEqual([second!.key, second!.keySchema], [{ id: 6 }, 1]);
  assert.equal(second!.value, '\u0000\u0000\u0000\u0000\u0001{"id"');
  assert.match(String(second!.valueProblem), /./);
  assert.equal(third!.valueProblem, 'schema not found in the registry');
  const table = await weir(`${decoded} -decode avro`);
  assert.match(table.out, /\{"id":5\} \(schema 1: the schema is JSON, not AVRO\)/);
  const raw = JSON.parse((await weir(`${decoded} -output json`)).out.split('\n')[0]!) as Record<
    string,
    unknown
  >;
  assert.deepEqual(Object.keys(raw), [
    'topic',
    'partition',
    'offset',
    'timestamp',
    'key',
    'value',
    'headers',
  ]);
});

test('the registry may be reached over TLS while the cluster is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-ca-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const authority = await TestAuthority.create('Test CA');
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.pem);
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const value = Buffer.from([0, 0, 0, 0, 1, ...Buffer.from('{"id":5}')]);
  append(fake, 'orders', 0, buildRecordBatch([{ timestamp, key: null, value }]));
  const url = await registry(t, await authority.issue());
  const decoded = `cli fetch -topic orders -decode auto -schema-registry-url ${url}`;
  const trusted = await weir(`${decoded} -tls-server-ca-cert-file ${ca}`);
  assert.deepEqual([trusted.status, trusted.err], [0, '']);
  assert.match(trusted.out, / {"id":5}\n$/);
  const untrusted = await weir(decoded);
  assert.equal(untrusted.status, 0);
  assert.match(untrusted.out, /\(schema 1: https:.*unable to verify the first certificate/);
  const plain = await weir(`cli fetch -topic orders -tls-server-ca-cert-file ${ca}`);
  assert.match(plain.err, /needs -tls/);
});
