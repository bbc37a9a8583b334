import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { committedOffsets, createTopic, KafkaCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import { startApache } from '../../../bench/kafka/apache.ts';
import { Lifetime } from '../../../bench/kafka/lifetime.ts';
import { recordsOf, until } from '../../../packages/pipelines/testing/kafka-cluster.ts';
import { Collected, runPipeline } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { buildApacheKafka, missingApacheKafka } from './apache-kafka.ts';

const bounded = { timeout: 120_000 };
const partitionCount = 4;
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
/** Bytes that are no UTF-8, an empty value, and enough of the same to be compressed. */
const mapping = (count: number) => `
input:
  generate:
    mapping: |
      let n = counter()
      root = if $n == 2 { "" } else { "%v %s".format($n, "text ".repeat(40)) }
      meta key = "key %v".format($n % 7)
      meta trace = "t%v".format($n)
    interval: ""
    count: ${count}
    batch_size: 10
`;

/** The components of Kafka against Apache's server. */
describe('pipelines and Apache Kafka', { skip: missingApacheKafka() }, () => {
  let broker = '';
  let cluster: KafkaCluster;
  const done = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;

  before(async () => {
    const started = Promise.withResolvers<string>();
    running = Lifetime.during(async (lifetime) => {
      started.resolve((await startApache(lifetime, buildApacheKafka())).servers);
      await done.promise;
    });
    running.catch(started.reject);
    broker = await started.promise;
    const [host = '', port] = broker.split(':');
    cluster = new KafkaCluster({
      bootstrap: [{ host, port: Number(port) }],
      clientId: 'test',
      timeoutMs: 30_000,
      clock: systemClock,
      stop: new AbortController().signal,
    });
  }, bounded);
  after(async () => {
    await cluster?.close();
    done.resolve();
    await running;
  });

  const outputs = {
    kafka: (topic: string, codec: string) =>
      `kafka: {addresses: ["${broker}"], topic: ${topic}, key: '\${! @key }', compression: ${codec}, idempotent_write: true, ack_replicas: true, max_in_flight: 1}`,
    kafka_franz: (topic: string, codec: string) =>
      `kafka_franz: {seed_brokers: ["${broker}"], topic: ${topic}, key: '\${! @key }', compression: ${codec}, metadata: {include_prefixes: [trace]}}`,
  };
  const inputs = {
    kafka: (topic: string, group: string) =>
      `kafka: {addresses: ["${broker}"], topics: [${topic}], consumer_group: ${group}, commit_period: 100ms}`,
    kafka_franz: (topic: string, group: string, more = '') =>
      `kafka_franz: {seed_brokers: ["${broker}"], topics: [${topic}], consumer_group: ${group}, commit_period: 100ms${more}}`,
  };

  /** Reads until there are so many messages. */
  async function readAll(input: string, count: number): Promise<Collected> {
    const collected = new Collected();
    const stop = new AbortController();
    const reading = runPipeline(`input: {${input}}\noutput: {collect: {}}\n`, {
      collected,
      stop: stop.signal,
    });
    await until(() => collected.texts.length >= count);
    stop.abort();
    await reading;
    return collected;
  }

  for (const writer of ['kafka', 'kafka_franz'] as const)
    for (const codec of codecs)
      test(`${writer} writes with ${codec}, and both inputs read it`, bounded, async () => {
        const topic = `${writer}-${codec}`;
        const count = 60;
        await createTopic(cluster, { name: topic, partitions: partitionCount, configs: [] });
        await runPipeline(`${mapping(count)}\noutput: {${outputs[writer](topic, codec)}}\n`);
        assert.equal((await recordsOf(cluster, topic, 1_000)).length, count, 'each is written once');
        const reader = writer === 'kafka' ? 'kafka_franz' : 'kafka';
        const read = await readAll(inputs[reader](topic, 'readers'), count);
        const messages = read.batches.flat();
        assert.equal(messages.length, count);
        const texts = new Set(messages.map(({ content }) => content.toString()));
        assert.equal(texts.size, count);
        assert.ok(texts.has('') && texts.has(`7 ${'text '.repeat(40)}`));
        for (const message of messages) {
          const [n] = message.content.toString().split(' ');
          if (n !== '') assert.equal(message.metadata.get('kafka_key'), `key ${Number(n) % 7}`);
          if (n !== '') assert.equal(message.metadata.get('trace'), `t${n}`);
        }
        const committed = (await committedOffsets(cluster, 'readers')).get(topic)!;
        assert.equal(
          [...committed.values()].reduce((sum, offset) => sum + Number(offset), 0),
          count,
        );
      });

  for (const balancers of ['cooperative_sticky', 'range'] as const)
    test(`members come and go: ${balancers}`, bounded, async () => {
      const topic = `group-${balancers}`;
      await createTopic(cluster, { name: topic, partitions: partitionCount, configs: [] });
      /** At least once: what was on its way when partitions moved is read again. */
      const read = new Set<string>();
      const member = () => {
        const collected = new Collected();
        collected.fail = (batch) => {
          for (const { content } of batch) read.add(content.toString());
        };
        const stop = new AbortController();
        const input = inputs.kafka_franz(
          topic,
          topic,
          `, group_balancers: [${balancers}], checkpoint_limit: 50`,
        );
        const running = runPipeline(`input: {${input}}\noutput: {collect: {}}\n`, {
          collected,
          stop: stop.signal,
        });
        return {
          collected,
          async leave() {
            stop.abort();
            await running;
          },
        };
      };
      const first = member();
      const stopWriting = new AbortController();
      const writing = runPipeline(
        `input: {generate: {mapping: root = counter(), interval: 2ms}}\noutput: {kafka_franz: {seed_brokers: ["${broker}"], topic: ${topic}}}\n`,
        { stop: stopWriting.signal },
      );
      await until(() => first.collected.texts.length > 0);
      const second = member();
      await until(() => second.collected.texts.length > 0);
      await first.leave();
      const third = member();
      await until(() => third.collected.texts.length > 0);
      stopWriting.abort();
      await writing;
      const count = (await recordsOf(cluster, topic, 1_000_000)).length;
      await until(() => read.size === count);
      await Promise.all([second.leave(), third.leave()]);
      const committed = (await committedOffsets(cluster, topic)).get(topic)!;
      assert.equal(
        [...committed.values()].reduce((sum, offset) => sum + Number(offset), 0),
        count,
      );
    });
});
