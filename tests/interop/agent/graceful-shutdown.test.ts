import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Clock, seededRandom, systemClock } from '@weir/core';
import { buildRecordBatch, errorByCode } from '@weir/wire';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { BucketServer } from '../../faults/cluster/bucket-server.ts';
import { storedTopic, valuesOf } from '../brokers/stored.ts';
import { createTopic } from '../brokers/topics.ts';
import { type Cluster, lastFirst, startCluster, type WeirProcess } from '../brokers/weir-process.ts';

/** Agents that receive SIGTERM while clients are active, over a bucket whose answers the test controls. */
const topic = 'orders';
const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

/** A clock whose timers can be held, and with them the answers of the server that uses it. */
class HeldClock implements Clock {
  readonly nowMs = systemClock.nowMs;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly #held: (() => void)[] = [];
  isHolding = false;

  after(delayMs: number, run: () => void): () => void {
    if (!this.isHolding) return systemClock.after(delayMs, run);
    this.#held.push(run);
    return () => {};
  }

  release(): void {
    this.isHolding = false;
    for (const run of this.#held.splice(0)) run();
  }
}

interface Scene {
  readonly cluster: Cluster;
  readonly stopping: WeirProcess;
  readonly other: WeirProcess;
  readonly bucket: HeldClock;
}

async function start(t: TestContext, gracefulShutdownDuration: string): Promise<Scene> {
  const lifetime = lastFirst(t);
  const bucket = new HeldClock();
  const server = new BucketServer(bucket, seededRandom(1));
  const bucketUrl = await server.start();
  lifetime.after(async () => server.stop());
  const flags = ['-gracefulShutdownDuration', gracefulShutdownDuration, '-batchTimeout', '25ms'];
  const agents = [{ zone: 'zone-a', flags }, { zone: 'zone-a' }];
  const cluster = await startCluster(lifetime, {
    agents,
    controlPlanes: 1,
    bucketUrl,
    variables: credentials,
  });
  lifetime.after(async () => bucket.release());
  const [stopping, other] = cluster.agents;
  await createTopic(stopping!.address('Kafka'), topic, 1);
  return { cluster, stopping: stopping!, other: other!, bucket };
}

function portOf(agent: WeirProcess): number {
  return Number(agent.address('Kafka').split(':')[1]);
}

async function clientOf(t: TestContext, agent: WeirProcess): Promise<TestClient> {
  const client = await TestClient.connect(portOf(agent));
  t.after(() => client.socket.destroy());
  return client;
}

function produceBody(value: string) {
  const records = buildRecordBatch([{ timestamp: 0n, key: null, value: Buffer.from(value) }], {});
  return {
    transactionalId: null,
    acks: -1,
    timeoutMs: 60_000,
    topicData: [{ name: topic, partitionData: [{ index: 0, records }] }],
  };
}

const longPoll = {
  maxWaitMs: 300_000,
  minBytes: 1,
  maxBytes: 1_000_000,
  sessionEpoch: -1,
  topics: [{ topic, partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1_000_000 }] }],
  forgottenTopicsData: [],
};

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise<void>((resolve) => systemClock.after(20, resolve));
}

async function metric(agent: WeirProcess, series: string): Promise<number> {
  const text = await (await fetch(`${agent.address('HTTP')}/metrics`)).text();
  return Number(new RegExp(`^service_${series}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Returns the Kafka ports in an agent's Metadata. */
async function brokersListedBy(client: TestClient): Promise<number[]> {
  const { brokers } = await client.call('Metadata', 9, { topics: [] });
  return brokers.map(({ port }) => port);
}

test('what has begun is finished, nothing else begins, and the others know', {
  timeout: 120_000,
}, async (t) => {
  const { stopping, other, bucket } = await start(t, '300s');
  const witness = await clientOf(t, other);
  await until(async () => (await brokersListedBy(witness)).includes(portOf(stopping)));
  const [idle, producer, poller] = await Promise.all([
    clientOf(t, stopping),
    clientOf(t, stopping),
    clientOf(t, stopping),
  ]);
  bucket.isHolding = true;
  producer.send('Produce', 9, produceBody('begun'));
  poller.send('Fetch', 11, longPoll);
  await until(async () => (await metric(stopping, 'agent_kafka_inflight_requests')) === 2);

  process.kill(stopping.pid, 'SIGTERM');
  await idle.closed;
  // A long poll does not delay shutdown: it is answered with the records available.
  const { body: polled } = await poller.receive('Fetch', 11);
  assert.equal(polled.responses[0]?.partitions[0]?.errorCode ?? 0, 0);
  await poller.closed;
  await assert.rejects(TestClient.connect(portOf(stopping)), /ECONNREFUSED/);
  assert.equal((await brokersListedBy(witness)).includes(portOf(stopping)), false);
  const status = await fetch(`${stopping.address('HTTP')}/v1/status`);
  assert.equal(`${status.status} ${await status.text()}`, '200 OK', 'the probe would kill it otherwise');

  // Requests after the signal are not served.
  producer.send('Produce', 9, produceBody('too late'));
  bucket.release();
  const { body } = await producer.receive('Produce', 9);
  assert.equal(body.responses[0]!.partitionResponses[0]!.errorCode, 0);
  assert.equal(await producer.frame(), undefined, 'the connection closes behind the last answer');
  assert.equal(await stopping.ended, '0', stopping.output.err);
  const [stored] = await storedTopic(other.address('Kafka'), topic, 1);
  assert.deepEqual(valuesOf(stored!), ['begun']);
});

test('under load nothing acknowledged is lost', { timeout: 120_000 }, async (t) => {
  const { stopping, other } = await start(t, '300s');
  const acknowledged: string[] = [];
  const problems: string[] = [];
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const client = await clientOf(t, stopping);
    for (let number = 0; ; number += 5) {
      const values = Array.from({ length: 5 }, (_, index) => `${writer}-${number + index}`);
      for (const value of values) client.send('Produce', 9, produceBody(value));
      for (const value of values) {
        const frame = await client.receive('Produce', 9).catch(() => undefined);
        if (frame === undefined) return;
        const { errorCode } = frame.body.responses[0]!.partitionResponses[0]!;
        const error = errorByCode(errorCode);
        if (errorCode === 0) acknowledged.push(value);
        else if (error?.retriable !== true) problems.push(error?.name ?? String(errorCode));
      }
    }
  });
  await until(async () => acknowledged.length > 200);
  process.kill(stopping.pid, 'SIGTERM');
  await Promise.all(writers);
  assert.equal(await stopping.ended, '0', stopping.output.err);
  assert.deepEqual(problems, []);
  const [stored] = await storedTopic(other.address('Kafka'), topic, acknowledged.length);
  const values = valuesOf(stored!);
  const found = new Set(values);
  assert.deepEqual(
    acknowledged.filter((value) => !found.has(value)),
    [],
  );
  assert.equal(found.size, values.length, 'nothing is there twice');
});

test('the time is limited', { timeout: 120_000 }, async (t) => {
  const { stopping, bucket } = await start(t, '1s');
  const client = await clientOf(t, stopping);
  bucket.isHolding = true;
  client.send('Produce', 9, produceBody('never'));
  await until(async () => (await metric(stopping, 'agent_kafka_inflight_requests')) === 1);
  process.kill(stopping.pid, 'SIGTERM');
  assert.equal(await client.frame(), undefined, 'nobody knows what became of it, so that there is no answer');
  assert.equal(await stopping.ended, '0', stopping.output.err);
});

test('a second signal does not ask', { timeout: 120_000 }, async (t) => {
  const { stopping, bucket } = await start(t, '300s');
  const [idle, client] = await Promise.all([clientOf(t, stopping), clientOf(t, stopping)]);
  bucket.isHolding = true;
  client.send('Produce', 9, produceBody('never'));
  await until(async () => (await metric(stopping, 'agent_kafka_inflight_requests')) === 1);
  process.kill(stopping.pid, 'SIGTERM');
  await idle.closed;
  process.kill(stopping.pid, 'SIGTERM');
  assert.equal(await stopping.ended, '143');
});
