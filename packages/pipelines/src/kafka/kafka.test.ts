import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committedOffsets, createTopic, type KafkaCluster, produceRecords } from '@weir/client';
import { openCluster, recordsOf, topicWith, until } from '../../testing/kafka-cluster.ts';
import { Collected, catalogueWith, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import type { PipelineServices } from '../component/component-context.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { Stream } from '../engine/stream.ts';

/** Runs a configuration in the background; `stop` ends it as an agent does. */
function start(yaml: string, collected: Collected, services: PipelineServices = testServices()) {
  const stopping = new AbortController();
  const all = catalogueWith(collected.spec);
  const reading = readConfiguration(yaml, { catalogue: all, isLocal: true });
  assert.ok(reading.config, JSON.stringify(reading.problems));
  const running = new Stream(reading.config, services, all).run(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const committedAt = async (cluster: KafkaCluster, group: string, topic: string, partition: number) =>
  (await committedOffsets(cluster, group)).get(topic)?.get(partition);

test('messages of a group have metadata of their records, and what is written is committed at the end', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await topicWith(cluster, 'orders', [['a', 'tombstone', 'c']]);
  const collected = new Collected();
  const pipeline = start(
    `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: [orders]
    consumer_group: g
output:
  collect: {}
`,
    collected,
  );
  await until(() => collected.texts.length === 3);
  await pipeline.stop();
  assert.deepEqual(collected.texts, ['a', '', 'c']);
  const {
    kafka_timestamp_unix: seconds,
    kafka_timestamp_unix_ms: ms,
    ...metadata
  } = Object.fromEntries(collected.batches[1]![0]!.metadata);
  assert.equal(seconds, Math.floor((ms as number) / 1000));
  assert.deepEqual(metadata, {
    kafka_key: 'key 1',
    kafka_topic: 'orders',
    kafka_partition: 0,
    kafka_offset: 1,
    kafka_tombstone_message: true,
    trace: 'two',
  });
  assert.equal(await committedAt(cluster, 'g', 'orders', 0), 3n);

  const again = new Collected();
  const second = start(
    `
input:
  kafka:
    addresses: ["${broker}"]
    topics: [orders]
    consumer_group: h
    multi_header: true
    batching: { count: 2, period: 50ms }
output:
  collect: {}
`,
    again,
  );
  await until(() => again.texts.length === 3);
  await second.stop();
  assert.deepEqual(
    again.batches.map((batch) => batch.length),
    [2, 1],
  );
  const { metadata: listed } = again.batches[1]![0]!;
  assert.deepEqual(listed.get('trace'), ['one', 'two']);
  assert.equal(listed.get('kafka_lag'), 0);
});

test('without a group partitions are named, with an offset or not, and nothing is committed', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await topicWith(cluster, 'orders', [['a'], ['b', 'c', 'd'], ['e']]);
  const collected = new Collected();
  const pipeline = start(
    `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: ["orders:1:1, orders:2"]
output:
  collect: {}
`,
    collected,
  );
  await until(() => collected.texts.length === 3);
  await pipeline.stop();
  assert.deepEqual(collected.texts.toSorted(), ['c', 'd', 'e']);
});

test('topics by expressions are found also when they come later, and internal ones are left out', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await topicWith(cluster, 'eu-orders', [['a']]);
  await topicWith(cluster, 'payments', [['no']]);
  const collected = new Collected();
  const pipeline = start(
    `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: ["-ord"]
    regexp_topics: true
    metadata_max_age: 100ms
    consumer_group: g
output:
  collect: {}
`,
    collected,
  );
  await until(() => collected.texts.length === 1);
  await topicWith(cluster, 'us-orders', [['b']]);
  await until(() => collected.texts.length === 2);
  await pipeline.stop();
  assert.deepEqual(collected.texts, ['a', 'b']);
});

test('a message that is not written holds back the offset, and one in the middle of a batch alone is repeated', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await topicWith(cluster, 'orders', [['a', 'b', 'c', 'd']]);
  const collected = new Collected();
  let isDown = true;
  collected.fail = (batch) => {
    if (isDown && batch[0]!.content.toString() === 'b') throw new Error('down');
  };
  const pipeline = start(
    `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: [orders]
    consumer_group: g
    commit_period: 20ms
output:
  collect: {}
`,
    collected,
  );
  await until(async () => (await committedAt(cluster, 'g', 'orders', 0)) === 1n);
  await until(() => collected.texts.length === 3);
  assert.equal(await committedAt(cluster, 'g', 'orders', 0), 1n);
  isDown = false;
  await until(async () => (await committedAt(cluster, 'g', 'orders', 0)) === 4n);
  await pipeline.stop();
});

test('what was not written when a pipeline ends is not committed', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await topicWith(cluster, 'orders', [['a', 'b']]);
  for (const isReplayed of [true, false]) {
    const collected = new Collected();
    let failures = 0;
    collected.fail = () => {
      failures++;
      throw new Error('down');
    };
    const group = `g-${isReplayed}`;
    const pipeline = start(
      `
shutdown_timeout: 50ms
input:
  kafka:
    addresses: ["${broker}"]
    topics: [orders]
    consumer_group: ${group}
    auto_replay_nacks: ${isReplayed}
output:
  collect: {}
`,
      collected,
    );
    await until(() => failures >= 2);
    await pipeline.stop();
    // Without a replay, messages that were not written are dropped.
    assert.equal(await committedAt(cluster, group, 'orders', 0), isReplayed ? undefined : 2n);
  }
});

test('records are written with key, headers and partition, compressed in every way, and tombstones stay', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await createTopic(cluster, { name: 'in', partitions: 1, configs: [] });
  await createTopic(cluster, { name: 'out', partitions: 4, configs: [] });
  await produceRecords(
    cluster,
    'in',
    new Map([
      [
        0,
        [
          {
            key: Buffer.from([0xff, 0]),
            value: Buffer.from('{"id":1}'),
            headers: [{ key: 'h', value: Buffer.from('v') }],
          },
          { key: null, value: Buffer.from('{"id":2}') },
          { key: Buffer.from('gone'), value: null },
        ],
      ],
    ]),
    { acks: 'all', codec: 'none' },
  );
  let expected = 0;
  for (const compression of ['none', 'snappy', 'lz4', 'gzip', 'zstd']) {
    const services = { ...testServices(), ownCluster: { brokers: [broker] } };
    const pipeline = start(
      `
input:
  kafka_franz_service:
    topics: [in]
    consumer_group: ${compression}
output:
  kafka_franz_service:
    topic: \${! "out" }
    key: \${! @kafka_key }
    partitioner: manual
    partition: \${! @kafka_offset }
    compression: ${compression}
    metadata: { include_patterns: ["^h$"] }
    batching: { count: 3 }
`,
      new Collected(),
      services,
    );
    expected += 3;
    await until(async () => (await recordsOf(cluster, 'out', 100)).length === expected);
    await pipeline.stop();
  }
  const records = await recordsOf(cluster, 'out', 100);
  const shown = records.map(({ partition, key, value, headers }) => [
    partition,
    key?.toString('hex') ?? null,
    value?.toString() ?? null,
    headers.map((header) => `${header.key}=${header.value}`).join(),
  ]);
  assert.deepEqual(shown.slice(0, 5), Array(5).fill([0, 'ff00', '{"id":1}', 'h=v']));
  assert.deepEqual(shown.slice(5, 10), Array(5).fill([1, null, '{"id":2}', '']));
  assert.deepEqual(shown.slice(10), Array(5).fill([2, Buffer.from('gone').toString('hex'), null, '']));
});

test('only the messages that a cluster refuses fail, and the others are written in order', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await createTopic(cluster, {
    name: 'out',
    partitions: 1,
    configs: [{ name: 'max.message.bytes', value: '2000' }],
  });
  const failures: string[] = [];
  const services = testServices();
  const log = {
    ...services.log,
    warn: (_: string, fields?: { readonly error?: unknown }) => void failures.push(String(fields?.error)),
  } as PipelineServices['log'];
  log.with = () => log;
  const collected = new Collected();
  const stopping = new AbortController();
  const running = runPipeline(
    `
shutdown_timeout: 1s
input:
  generate:
    mapping: root.id = counter()
    count: 6
    batch_size: 6
    interval: ""
    auto_replay_nacks: false
  processors:
    - mapping: |
        root.id = this.id
        root.text = if this.id == 3 { "x".repeat(3000) } else { "y".repeat(500) }
output:
  kafka:
    addresses: ["${broker}"]
    topic: out
    max_retries: 1
    compression: none
    metadata: { exclude_prefixes: [""] }
    backoff: { initial_interval: 1ms, max_interval: 1ms }
`,
    { collected, services: { ...services, log }, stop: stopping.signal },
  );
  await running;
  const ids = (await recordsOf(cluster, 'out', 100)).map(({ value }) => JSON.parse(value!.toString()).id);
  assert.deepEqual(ids, [1, 2, 4, 5, 6]);
  assert.match(failures.at(-1)!, /MESSAGE_TOO_LARGE/);
});

test('a checkpoint limit below the size of a batch stops no pipeline', async (t) => {
  const { cluster, broker } = await openCluster(t);
  const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  await topicWith(cluster, 'orders', [texts]);
  for (const input of [
    `kafka: {addresses: ["${broker}"], topics: [orders], consumer_group: g, checkpoint_limit: 3, batching: {count: 2, period: 10ms}}`,
    `kafka_franz: {seed_brokers: ["${broker}"], topics: [orders], consumer_group: h, checkpoint_limit: 3}`,
  ]) {
    const collected = new Collected();
    const pipeline = start(
      `
input: {${input}}
output: {broker: {pattern: fan_out, outputs: [{collect: {}}], batching: {count: 5, processors: []}}}
`,
      collected,
    );
    // The last ones may wait: without a period, the output waits for a full batch.
    await until(() => collected.texts.length >= 6);
    await pipeline.stop();
    assert.deepEqual(collected.texts, texts);
  }
});

test('a cluster that pipelines may not connect to is refused, and so are brokers that it names', async (t) => {
  const { cluster, broker } = await openCluster(t);
  await topicWith(cluster, 'orders', [['a']]);
  const problems: string[] = [];
  const services = testServices();
  const log = {
    ...services.log,
    warn: (message: string, fields?: { readonly error?: unknown }) =>
      void problems.push(`${message}: ${fields?.error}`),
  } as PipelineServices['log'];
  log.with = () => log;
  const collected = new Collected();
  const pipeline = start(
    `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: [orders]
    consumer_group: g
output:
  collect: {}
`,
    collected,
    {
      ...services,
      log,
      outbound: {
        lookupFor: (host) => {
          throw new Error(`the host ${host} is not allowed`);
        },
        check: async () => {},
      },
    },
  );
  await until(() => problems.some((problem) => /127.0.0.1 is not allowed/.test(problem)));
  await pipeline.stop();
  assert.deepEqual(collected.texts, []);
});
