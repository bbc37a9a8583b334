/** The settings of docs/guides/clients.md, given to the clients that they are for, which write and read with them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { createTopic } from '../brokers/topics.ts';
import { startLocal } from '../brokers/weir-process.ts';
import { buildGo } from '../go/programs.ts';
import { pythonWith } from '../python/venv.ts';
import { type Block, blocksOf } from './blocks.ts';

const here = import.meta.dirname;
const page = readFileSync(join(here, '../../../docs/guides/clients.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'weir-samples-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const bounded = { timeout: 300_000 };
/** Addresses in samples, with which those of the cluster change places. */
const sampleAddresses = /"agent-1:9092", "agent-2:9092"/;

/** The only block of the chapter whose heading begins with this. */
function sampleOf(heading: string): string {
  const chapter = page.split(/^## /m).find((text) => text.startsWith(heading));
  assert.ok(chapter !== undefined, `a chapter ${heading}`);
  const [block, ...others] = blocksOf(chapter) as readonly [Block, ...Block[]];
  assert.equal(others.length, 0, `${heading}: one block`);
  return block.text;
}

const addressed = (sample: string, broker: string) => {
  assert.match(sample, sampleAddresses);
  return sample.replace(sampleAddresses, JSON.stringify(broker));
};

/** The address of a cluster with the topic of the samples. */
async function startBroker(t: TestContext): Promise<string> {
  const broker = (await startLocal(t)).address('Kafka');
  await createTopic(broker, 'orders', 1);
  return broker;
}

/** Runs a program that has to print what it wrote and read. */
function assertReads(command: string, args: readonly string[], cwd = scratch): void {
  const ran = spawnSync(command, args, {
    cwd,
    env: { ...systemEnvironment, GOTOOLCHAIN: 'local' },
    encoding: 'utf8',
    timeout: 240_000,
  });
  assert.equal(ran.status, 0, `${ran.error ?? ''}${ran.stdout}${ran.stderr}`);
  assert.match(ran.stdout, /^read: one order$/m, ran.stderr);
}

test('the page has samples of these clients and of no others', () => {
  const languages = blocksOf(page).map(({ language }) => language);
  assert.deepEqual(languages, ['properties', 'properties', 'go', 'js', 'js', 'python']);
});

const go = buildGo('franz-go').missing;

test('franz-go', { skip: go, ...bounded }, async (t) => {
  const options = addressed(sampleOf('franz-go'), await startBroker(t));
  writeFileSync(
    join(scratch, 'main.go'),
    `package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	client, err := ${options.trim()}
	check(err)
	ctx := context.Background()
	client.AddConsumeTopics("orders")
	check(client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: []byte("one order")}).FirstErr())
	for _, record := range client.PollFetches(ctx).Records() {
		fmt.Printf("read: %s\\n", record.Value)
	}
	client.Close()
	_ = time.Second
}
`,
  );
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(here, '../go', name), join(scratch, name));
  assertReads('go', ['run', '.']);
});

const { missing: missingKafkaPython, python: kafkaPython } = pythonWith('kafka-python');

test('kafka-python', { skip: missingKafkaPython, ...bounded }, async (t) => {
  const broker = await startBroker(t);
  const program = [
    'from kafka import KafkaConsumer, KafkaProducer',
    `producer = ${addressed(sampleOf('kafka-python'), broker).trim()}`,
    'producer.send("orders", b"one order").get(60)',
    'producer.close()',
    `for record in KafkaConsumer("orders", bootstrap_servers="${broker}", auto_offset_reset="earliest"):`,
    '    print("read: " + record.value.decode())',
    '    break',
  ];
  assertReads(kafkaPython!, ['-c', program.join('\n')]);
});

const { missing: missingLibrdkafka, python: librdkafka } = pythonWith('confluent-kafka');

test('librdkafka knows every property', { skip: missingLibrdkafka, ...bounded }, async (t) => {
  const broker = await startBroker(t);
  const sample = sampleOf('librdkafka');
  /** The lines of parts of the sample, each of which begins with a comment. */
  const propertiesOf = (...parts: readonly string[]) => {
    const found = sample
      .split(/^# /m)
      .filter((part) => parts.includes(part.split('\n', 1)[0]!))
      .flatMap((part) => part.trim().split('\n').slice(1))
      .map((line) => line.split('='));
    assert.ok(found.length > parts.length);
    return JSON.stringify(Object.fromEntries(found.map(([name, ...value]) => [name, value.join('=')])));
  };
  const program = [
    'import json',
    'from confluent_kafka import Consumer, Producer',
    `where = {"bootstrap.servers": "${broker}"}`,
    `producer = Producer({**json.loads('${propertiesOf('producer', 'both')}'), **where})`,
    'producer.produce("orders", b"one order")',
    'assert producer.flush(60) == 0',
    `reader = {**json.loads('${propertiesOf('consumer', 'both')}'), **where}`,
    'consumer = Consumer({**reader, "group.id": "billing", "auto.offset.reset": "earliest"})',
    'consumer.subscribe(["orders"])',
    'record = None',
    'while record is None or record.error():',
    '    record = consumer.poll(1)',
    'print("read: " + record.value().decode())',
    'consumer.close()',
  ];
  assertReads(librdkafka!, ['-c', program.join('\n')]);
});

test('kafkajs', bounded, async (t) => {
  const broker = await startBroker(t);
  const [first, second, sendBatch, last] = sampleOf('kafkajs').trim().split('\n');
  const program = [
    "import { CompressionTypes, Kafka } from 'kafkajs';",
    `const brokers = ['${broker}'];`,
    "const topicMessages = [{ topic: 'orders', messages: [{ value: 'one order' }] }];",
    ...[first, second, 'await producer.connect();', sendBatch, last],
    'await producer.disconnect();',
    'await consumer.connect();',
    "await consumer.subscribe({ topics: ['orders'], fromBeginning: true });",
    'const value = await new Promise((resolve) =>',
    '  consumer.run({ eachMessage: async ({ message }) => resolve(message.value) }));',
    "console.log('read: ' + value);",
    'await consumer.disconnect();',
  ];
  assertReads(process.execPath, ['--input-type=module', '-e', program.join('\n')], here);
});

test('@platformatic/kafka', bounded, async (t) => {
  const broker = await startBroker(t);
  const program = [
    "import { Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';",
    `const bootstrapBrokers = ['${broker}'];`,
    sampleOf('@platformatic/kafka')
      .replace('new Producer({', 'new Producer({ serializers: stringSerializers,')
      .replace('new Consumer({', 'new Consumer({ deserializers: stringDeserializers,'),
    "await producer.send({ messages: [{ topic: 'orders', value: 'one order' }] });",
    'await producer.close();',
    "const stream = await consumer.consume({ topics: ['orders'], mode: 'earliest' });",
    'for await (const { value } of stream) {',
    "  console.log('read: ' + value);",
    '  break;',
    '}',
    'await consumer.close(true);',
  ];
  assertReads(process.execPath, ['--input-type=module', '-e', program.join('\n')], here);
});
