import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { AllowedHosts } from '@weir/cluster/outbound';
import { type Clock, silentLog, systemClock } from '@weir/core';
import { HandClock, pause } from '@weir/core/testing';
import { TestCa } from '@weir/security/testing';
import {
  buildEndTransactionMarker,
  buildRecordBatch,
  type CompressionCodec,
  errors,
  rewritePosition,
} from '@weir/wire';
import type { SourceBatch, SourceReader } from '../ingestion/source.ts';
import { tableLimits } from '../limits.ts';
import type { Credential, SourceCluster, SourceCredentials } from '../table-definition.ts';
import { SourceClusters } from './source-clusters.ts';

type Lifetime = { after(run: () => Promise<void>): void };

async function startKafka(t: Lifetime, options: FakeKafkaOptions = {}): Promise<FakeKafka> {
  const kafka = await FakeKafka.start({ topics: { orders: 2 }, ...options });
  t.after(() => kafka.stop());
  return kafka;
}

function clusterOf(kafka: FakeKafka, credentials?: Partial<SourceCredentials>): SourceCluster {
  return {
    name: 'shop',
    brokers: [{ hostname: '127.0.0.1', port: kafka.port() }],
    credentials: credentials && {
      mechanism: undefined,
      username: undefined,
      password: undefined,
      usesTls: false,
      isInsecure: false,
      trustedCertificates: undefined,
      clientCertificate: undefined,
      clientKey: undefined,
      ...credentials,
    },
  };
}

const values: Readonly<Record<string, string>> = { USER: 'ann', PASSWORD: 'secret' };

function credentialValue({ variable }: Credential): string {
  const value = values[variable];
  if (value === undefined) throw new Error(`the environment variable ${variable} of the agents is not set`);
  return value;
}

function clustersOf({
  clock = systemClock as Clock,
  hosts = ['loopback'],
  lookUpMs = 60_000,
} = {}): SourceClusters {
  return new SourceClusters({ hosts: new AllowedHosts(hosts), lookUpMs, clock, log: silentLog });
}

function append(kafka: FakeKafka, topic: string, partition: number, batch: Buffer): void {
  const log = kafka.topics.get(topic)!.partitions[partition]!;
  rewritePosition(batch, log.end, 0);
  log.batches.push(batch);
  log.end += BigInt(batch.readInt32BE(23) + 1);
}

function batchOf(texts: readonly string[], options: Parameters<typeof buildRecordBatch>[1] = {}): Buffer {
  return buildRecordBatch(
    texts.map((text) => ({
      key: Buffer.from(`k-${text}`),
      value: Buffer.from(text),
      timestamp: 7n,
      headers: [{ key: 'h', value: Buffer.from('v') }],
    })),
    options,
  );
}

async function nextBatch(reader: SourceReader): Promise<SourceBatch> {
  const event = await reader.next();
  assert.equal(event.kind, 'batch');
  return event as SourceBatch;
}

const textsOf = ({ records }: SourceBatch) => records.map(({ value }) => Buffer.from(value!).toString());

test('records of all partitions and codecs come in order, with all that rows may use', async (t) => {
  const kafka = await startKafka(t);
  const codecs: readonly CompressionCodec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
  for (const codec of codecs) append(kafka, 'orders', 0, batchOf([`${codec}-1`, `${codec}-2`], { codec }));
  const source = clustersOf().open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  const { partitions, topicId } = await source.describe();
  assert.deepEqual(partitions, [
    { partition: 0, logStart: 0n, endOffset: 10n },
    { partition: 1, logStart: 0n, endOffset: 0n },
  ]);
  assert.ok(topicId !== undefined);
  const reader = source.open(
    new Map([
      [0, 1n],
      [1, 0n],
    ]),
  );
  const batch = await nextBatch(reader);
  const wanted = codecs.flatMap((codec) => [`${codec}-1`, `${codec}-2`]).slice(1);
  assert.deepEqual(textsOf(batch), wanted);
  assert.equal(batch.nextOffset, 10n);
  assert.equal(batch.endOffset, 10n);
  const [first] = batch.records;
  assert.deepEqual(first, {
    partition: 0,
    offset: 1n,
    timestampMs: 7,
    key: Buffer.from('k-none-2'),
    value: Buffer.from('none-2'),
    headers: [['h', Buffer.from('v')]],
  });
  const waiting = nextBatch(reader);
  append(kafka, 'orders', 1, batchOf(['later']));
  assert.deepEqual(textsOf(await waiting), ['later']);
});

test('aborted transactions and control batches are left out, and passed', async (t) => {
  const aborted = [{ producerId: 1n, firstOffset: 2n }];
  const kafka = await startKafka(t, {
    script: {
      Fetch: ({ topics }) => {
        const [topic] = topics;
        const [partition] = topic!.partitions;
        if (partition!.fetchOffset > 0n) return undefined;
        const log = kafka.topics.get('orders')!.partitions[0]!;
        const one = { partitionIndex: 0, errorCode: 0, highWatermark: 9n, lastStableOffset: 6n };
        return {
          throttleTimeMs: 0,
          responses: [
            {
              topic: topic!.topic,
              topicId: topic!.topicId,
              partitions: [{ ...one, abortedTransactions: aborted, records: log.batches }],
            },
          ],
        };
      },
    },
  });
  append(kafka, 'orders', 0, batchOf(['a', 'b']));
  append(
    kafka,
    'orders',
    0,
    batchOf(['x', 'y'], { producerId: 1n, producerEpoch: 0, baseSequence: 0, isTransactional: true }),
  );
  append(kafka, 'orders', 0, batchOf(['c']));
  const marker = { producerId: 1n, producerEpoch: 0, coordinatorEpoch: 0, timestamp: 0n, baseOffset: 5n };
  append(kafka, 'orders', 0, buildEndTransactionMarker({ ...marker, result: 'abort' }));
  const source = clustersOf().open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  const batch = await nextBatch(source.open(new Map([[0, 0n]])));
  assert.deepEqual(textsOf(batch), ['a', 'b', 'c']);
  assert.equal(batch.nextOffset, 6n);
  assert.equal(batch.endOffset, 6n, 'readers of committed records see no more');
});

test('a batch has no more records than are allowed, and none is lost', async (t) => {
  const kafka = await startKafka(t);
  const { sourceBatchRecordsMax } = tableLimits;
  const texts = Array.from({ length: sourceBatchRecordsMax + 5 }, (_, index) => String(index));
  append(kafka, 'orders', 0, batchOf(texts));
  const source = clustersOf().open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  const reader = source.open(new Map([[0, 0n]]));
  const [one, two] = [await nextBatch(reader), await nextBatch(reader)];
  assert.equal(one.records.length, sourceBatchRecordsMax);
  assert.equal(one.nextOffset, BigInt(sourceBatchRecordsMax));
  assert.deepEqual([...textsOf(one), ...textsOf(two)], texts);
});

// biome-ignore format: a table
const logins: readonly [what: string, sasl: string, given: Partial<SourceCredentials>][] = [
  ['PLAIN',         'PLAIN',         { mechanism: 'plain' }],
  ['no mechanism',  'PLAIN',         {}],
  ['SCRAM-SHA-256', 'SCRAM-SHA-256', { mechanism: 'scram-256' }],
  ['SCRAM-SHA-512', 'SCRAM-SHA-512', { mechanism: 'scram-512' }],
];

for (const [what, mechanism, given] of logins)
  test(`a source that wants a login gets it: ${what}`, async (t) => {
    const users = { ann: 'secret' };
    const kafka = await startKafka(t, { sasl: { mechanisms: [mechanism], users, isRequired: true } });
    append(kafka, 'orders', 0, batchOf(['a']));
    const credentials = { ...given, username: { variable: 'USER' }, password: { variable: 'PASSWORD' } };
    const source = clustersOf().open(clusterOf(kafka, credentials), 'orders', credentialValue);
    t.after(() => source.close());
    assert.equal((await source.describe()).partitions.length, 2);
    assert.deepEqual(textsOf(await nextBatch(source.open(new Map([[0, 0n]])))), ['a']);
  });

// biome-ignore format: a table
const loginsOverTls: readonly [mechanism: NonNullable<SourceCredentials['mechanism']>, sasl: string, isMutual: boolean][] = [
  ['plain',     'PLAIN',         false],
  ['plain',     'PLAIN',         true],
  ['scram-256', 'SCRAM-SHA-256', false],
  ['scram-256', 'SCRAM-SHA-256', true],
  ['scram-512', 'SCRAM-SHA-512', false],
  ['scram-512', 'SCRAM-SHA-512', true],
];

for (const [mechanism, name, isMutual] of loginsOverTls)
  test(`a login by ${name} is sent over TLS ${isMutual ? 'with' : 'without'} a client certificate`, async (t) => {
    const ca = await TestCa.create();
    const server = await ca.issue({ subject: 'CN=localhost', dns: ['localhost'] });
    const client = await ca.issue({ subject: 'CN=ann' });
    const tls = {
      cert: server.certificate,
      key: server.privateKey,
      ...(isMutual && { ca: ca.certificate, requestCert: true, rejectUnauthorized: true }),
    };
    const sasl = { mechanisms: [name], users: { ann: 'secret' }, isRequired: true };
    const kafka = await startKafka(t, { tls, sasl, advertisedHost: 'localhost' });
    append(kafka, 'orders', 0, batchOf(['a']));
    const given: Readonly<Record<string, string>> = {
      ...values,
      CA: ca.certificate,
      CERTIFICATE: client.certificate,
      KEY: client.privateKey,
    };
    const cluster = clusterOf(kafka, {
      mechanism,
      username: { variable: 'USER' },
      password: { variable: 'PASSWORD' },
      usesTls: true,
      trustedCertificates: { variable: 'CA' },
      ...(isMutual && { clientCertificate: { variable: 'CERTIFICATE' }, clientKey: { variable: 'KEY' } }),
    });
    const source = clustersOf().open(
      { ...cluster, brokers: [{ hostname: 'localhost', port: kafka.port() }] },
      'orders',
      ({ variable }) => given[variable]!,
    );
    t.after(() => source.close());
    assert.deepEqual(textsOf(await nextBatch(source.open(new Map([[0, 0n]])))), ['a']);
  });

test('a credential that agents do not have is named', async (t) => {
  const kafka = await startKafka(t);
  const clusters = clustersOf();
  const credentials = { username: { variable: 'GONE' } };
  assert.throws(() => clusters.open(clusterOf(kafka, credentials), 'orders', credentialValue), {
    message: 'the environment variable GONE of the agents is not set',
  });
  assert.equal(clusters.size, 0);
});

test('a host that the operator does not allow is not connected to', async (t) => {
  const kafka = await startKafka(t);
  const source = clustersOf({ hosts: ['public'] }).open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  await assert.rejects(source.describe(), /the host 127\.0\.0\.1 .*-allowedTargetHosts/);
  assert.equal(kafka.requests.length, 0);
});

test('tables of one cluster share its connections, and end them together', async (t) => {
  const kafka = await startKafka(t, { topics: { orders: 1, clicks: 1 } });
  append(kafka, 'orders', 0, batchOf(['o']));
  append(kafka, 'clicks', 0, batchOf(['c']));
  const clusters = clustersOf();
  const [orders, clicks] = ['orders', 'clicks'].map((topic) =>
    clusters.open(clusterOf(kafka), topic, credentialValue),
  );
  assert.equal(clusters.size, 1);
  const readers = [orders!, clicks!].map((source) => source.open(new Map([[0, 0n]])));
  const batches = await Promise.all(readers.map(nextBatch));
  assert.deepEqual(batches.map(textsOf), [['o'], ['c']]);
  const fetched = kafka.count('ApiVersions');
  assert.ok(fetched <= 2, `${fetched} connections`);
  await orders!.close();
  assert.equal(clusters.size, 1);
  await clicks!.close();
  assert.equal(clusters.size, 0);
  await assert.rejects(readers[0]!.next(), /was closed/);
});

test('an offset that the log does not have is reported, and read from elsewhere', async (t) => {
  let isGone = true;
  const kafka = await startKafka(t, {
    script: {
      Fetch: ({ topics }) => {
        if (!isGone) return undefined;
        const errorCode = errors.OFFSET_OUT_OF_RANGE.code;
        const one = {
          partitionIndex: 0,
          errorCode,
          highWatermark: -1n,
          abortedTransactions: null,
          records: null,
        };
        const { topic, topicId } = topics[0]!;
        return { throttleTimeMs: 0, responses: [{ topic, topicId, partitions: [one] }] };
      },
    },
  });
  append(kafka, 'orders', 0, batchOf(['a', 'b']));
  const source = clustersOf().open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  const reader = source.open(new Map([[0, 99n]]));
  assert.deepEqual(await reader.next(), { kind: 'out-of-range', partition: 0, logStart: 0n, endOffset: 2n });
  isGone = false;
  reader.seek(0, 1n);
  assert.deepEqual(textsOf(await nextBatch(reader)), ['b']);
});

test('partitions that are added later are reported', async (t) => {
  const kafka = await startKafka(t, { topics: { orders: 1 } });
  const source = clustersOf({ lookUpMs: 5 }).open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  const reader = source.open(new Map([[0, 0n]]));
  kafka.createTopic('orders', 3);
  assert.deepEqual(await reader.next(), {
    kind: 'new-partitions',
    partitions: [1, 2].map((partition) => ({ partition, logStart: 0n, endOffset: 0n })),
  });
});

test('a topic that does not exist stops no other, and fails after a while', async (t) => {
  const kafka = await startKafka(t);
  append(kafka, 'orders', 0, batchOf(['a']));
  const clock = new HandClock();
  const clusters = clustersOf({ clock });
  const gone = clusters.open(clusterOf(kafka), 'gone', credentialValue);
  const orders = clusters.open(clusterOf(kafka), 'orders', credentialValue);
  t.after(async () => {
    await gone.close();
    await orders.close();
  });
  const failures: Error[] = [];
  gone
    .open(new Map([[0, 0n]]))
    .next()
    .catch((error: Error) => failures.push(error));
  const batch = nextBatch(orders.open(new Map([[0, 0n]])));
  const advance = async () => {
    clock.advance(100);
    await pause(0);
  };
  let texts: string[] | undefined;
  void batch.then((found) => {
    texts = textsOf(found);
  });
  while (texts === undefined) await advance();
  assert.deepEqual(texts, ['a']);
  assert.equal(failures.length, 0);
  assert.match([...gone.problems().values()].join(), /topic gone/);
  while (failures.length === 0) await advance();
  assert.match(failures[0]!.message, /^topic gone: /);
});

test('a leader that moved is found, and a connection that broke is opened again', async (t) => {
  let isMoved = false;
  const kafka = await startKafka(t, {
    brokers: 2,
    topics: { orders: 1 },
    script: {
      Fetch: (_, { earlier }) => (earlier === 0 ? 'hang up' : undefined),
      Metadata: () => {
        isMoved = true;
        return undefined;
      },
    },
  });
  append(kafka, 'orders', 0, batchOf(['a']));
  const source = clustersOf().open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  assert.deepEqual(textsOf(await nextBatch(source.open(new Map([[0, 0n]])))), ['a']);
  assert.ok(isMoved);
});

test('a damaged batch holds its partition, and no other', async (t) => {
  const kafka = await startKafka(t, { brokers: 1 });
  const damaged = batchOf(['a']);
  append(kafka, 'orders', 0, damaged);
  damaged[damaged.length - 1]! ^= 1;
  append(kafka, 'orders', 1, batchOf(['b']));
  const source = clustersOf().open(clusterOf(kafka), 'orders', credentialValue);
  t.after(() => source.close());
  const batch = await nextBatch(
    source.open(
      new Map([
        [0, 0n],
        [1, 0n],
      ]),
    ),
  );
  assert.deepEqual(textsOf(batch), ['b']);
  assert.match(
    source.problems().get(0) ?? '',
    /^topic orders, partition 0: the batch at offset 0 cannot be read: .*crc/,
  );
});
