import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '@weir/core';
import { batchRecords, recordBatches } from '@weir/wire';
import { batchOf } from '../../../packages/broker/testing/data-path.ts';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import {
  lastFirst,
  startCluster,
  startWeir,
  temporaryFolder,
  type WeirProcess,
} from '../brokers/weir-process.ts';

const bounded = { timeout: 240_000 };
const bin = join(import.meta.dirname, '../../../bin/weir');
const topic = 'orders';
const freePorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

async function connectTo(t: TestContext, agent: WeirProcess): Promise<TestClient> {
  const client = await TestClient.connect(Number(agent.address('Kafka').split(':').at(-1)));
  t.after(() => client.socket.destroy());
  return client;
}

/** Writes one record after the other, and notes the offsets of those that were acknowledged. */
class Writer {
  readonly acknowledged = new Map<bigint, string>();
  readonly #client: TestClient;
  #isStopped = false;
  #count = 0;
  readonly done: Promise<void>;

  constructor(client: TestClient) {
    this.#client = client;
    this.done = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) await this.write();
  }

  /** Returns whether a record was acknowledged. */
  async write(): Promise<boolean> {
    const value = `record ${this.#count++}`;
    const partitionData = [{ index: 0, records: batchOf([value]) }];
    const body = {
      transactionalId: null,
      acks: -1,
      timeoutMs: 2_000,
      topicData: [{ name: topic, partitionData }],
    };
    const { responses } = await this.#client.call('Produce', 9, body);
    const { errorCode, baseOffset } = responses[0]!.partitionResponses[0]!;
    if (errorCode === 0) this.acknowledged.set(baseOffset, value);
    return errorCode === 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.done;
  }
}

/** Returns every record by its offset. */
async function readAll(client: TestClient): Promise<Map<bigint, string>> {
  const found = new Map<bigint, string>();
  for (let fetchOffset = 0n; ; ) {
    const partitions = [{ partition: 0, fetchOffset, partitionMaxBytes: 1 << 20 }];
    const body = { maxWaitMs: 100, minBytes: 1, maxBytes: 1 << 20, topics: [{ topic, partitions }] };
    const { responses } = await client.call('Fetch', 12, body);
    const { errorCode, records } = responses[0]!.partitions[0]!;
    assert.equal(errorCode, 0);
    const before = fetchOffset;
    for (const batch of recordBatches(records ?? Buffer.alloc(0), { partialTail: 'ignore' })) {
      for (const { offset, value } of batchRecords(batch)) found.set(offset, String(value));
      fetchOffset = batch.nextOffset;
    }
    if (fetchOffset === before) return found;
  }
}

/** Restores as soon as there is a backup. */
async function restoreFrom(args: readonly string[]): Promise<string> {
  for (;;) {
    try {
      return (await promisify(execFile)(bin, args)).stdout;
    } catch (error) {
      if (!/has no metadata backup/.test((error as { stderr?: string }).stderr ?? '')) throw error;
      await pause(200);
    }
  }
}

test(
  'a cluster is restored while its old control plane serves: that one stops, and nothing acknowledged is lost',
  bounded,
  async (t) => {
    const lifetime = lastFirst(t);
    const folder = temporaryFolder(lifetime);
    const bucketUrl = pathToFileURL(join(folder, 'bucket')).href;
    const backup = ['-bucketURL', bucketUrl, '-metadataBackupInterval', '1s'];
    const { agents, clusterId } = await startCluster(lifetime, {
      agents: [{ zone: 'zone-a' }],
      controlPlanes: 1,
      controlPlaneFlags: backup,
      bucketUrl,
    });
    const old = await connectTo(t, agents[0]!);
    const topics = [{ name: topic, numPartitions: 1, replicationFactor: -1, assignments: [], configs: [] }];
    const created = await old.call('CreateTopics', 7, { topics, timeoutMs: 10_000 });
    assert.equal(created.topics[0]!.errorCode, 0);
    const writer = new Writer(old);
    while (writer.acknowledged.size < 20) await pause(20);

    const dataDir = join(folder, 'new');
    const restore = ['control-plane', 'restore', ...backup, '-dataDir', dataDir];
    const stdout = await restoreFrom(restore);
    assert.match(stdout, new RegExp(`^restored ${clusterId} as generation 1\n`, 'm'));
    assert.match(stdout, /recovery point .*; the previous control plane completed its backup and stopped/);
    await writer.stop();
    const acknowledged = new Map(writer.acknowledged);
    assert.equal(await writer.write(), false, 'the old control plane takes no commits');

    // The old agent and its control plane still run.
    const restored = await startWeir(
      ['playground', '-dataDir', dataDir, '-bucketURL', bucketUrl, ...freePorts],
      ['Kafka', 'HTTP', 'control plane'],
    );
    lifetime.after(() => restored.stop());
    const client = await connectTo(t, restored);
    const found = await readAll(client);
    for (const [offset, value] of acknowledged) assert.equal(found.get(offset), value, `offset ${offset}`);
    const next = new Writer(client);
    while (next.acknowledged.size < 3) await pause(20);
    await next.stop();
    assert.equal(await writer.write(), false, 'nor does it after the new one has begun');
    const after = await readAll(client);
    assert.equal(after.size, found.size + next.acknowledged.size);
    for (const [offset, value] of [...found, ...next.acknowledged]) assert.equal(after.get(offset), value);
  },
);

test('a control plane that comes back after a restore takes no commits', bounded, async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const bucketUrl = pathToFileURL(join(folder, 'bucket')).href;
  const backup = ['-bucketURL', bucketUrl, '-metadataBackupInterval', '1s'];
  const { agents, clusterId, controlPlanes, restartControlPlane } = await startCluster(lifetime, {
    agents: [{ zone: 'zone-a' }],
    controlPlanes: 1,
    controlPlaneFlags: backup,
    bucketUrl,
  });
  const client = await connectTo(t, agents[0]!);
  const topics = [{ name: topic, numPartitions: 1, replicationFactor: -1, assignments: [], configs: [] }];
  await client.call('CreateTopics', 7, { topics, timeoutMs: 10_000 });
  const writer = new Writer(client);
  const entries = join(folder, 'bucket', 'service', clusterId, 'metadata', '00000000', 'entries');
  while (writer.acknowledged.size < 20 || !existsSync(entries)) await pause(20);
  await controlPlanes[0]!.kill();
  await writer.stop();

  const dataDir = join(folder, 'new');
  const stdout = await restoreFrom(['control-plane', 'restore', ...backup, '-dataDir', dataDir]);
  assert.match(stdout, /^ +incomplete +\S/m);
  const old = await restartControlPlane(0);
  while (!/"message":"[^"]*restored/.test(old.output.err)) {
    assert.equal(await writer.write(), false, old.output.err);
  }
  for (let tries = 0; tries < 3; tries++) assert.equal(await writer.write(), false);
});
