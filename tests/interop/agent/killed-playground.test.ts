import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
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
  startPlayground,
  startWeir,
  temporaryFolder,
  type WeirProcess,
} from '../brokers/weir-process.ts';

const bounded = { timeout: 240_000 };
const bin = join(import.meta.dirname, '../../../bin/weir');
const topic = 'orders';
const partitionCount = 3;
const freePorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

async function connectTo(t: TestContext, weir: WeirProcess): Promise<TestClient> {
  const client = await TestClient.connect(Number(weir.address('Kafka').split(':').at(-1)));
  client.socket.on('error', () => undefined);
  t.after(() => client.socket.destroy());
  return client;
}

/** What was acknowledged, by partition and offset. */
type Acknowledged = Map<string, string>;

let writers = 0;

/** Writes to a partition until the connection breaks. */
async function write(client: TestClient, partition: number, acknowledged: Acknowledged): Promise<void> {
  const writer = writers++;
  for (let number = 0; ; number++) {
    const value = `writer ${writer}, record ${number}, ${'x'.repeat((number * 331) % 20_000)}`;
    const partitionData = [{ index: partition, records: batchOf([value]) }];
    const topicData = [{ name: topic, partitionData }];
    const body = { transactionalId: null, acks: -1, timeoutMs: 10_000, topicData };
    const { responses } = await client.call('Produce', 9, body);
    const { errorCode, baseOffset } = responses[0]!.partitionResponses[0]!;
    assert.equal(errorCode, 0);
    acknowledged.set(`${partition} ${baseOffset}`, value);
  }
}

async function readAll(client: TestClient): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let partition = 0; partition < partitionCount; partition++) {
    for (let fetchOffset = 0n; ; ) {
      const partitions = [{ partition, fetchOffset, partitionMaxBytes: 1 << 20 }];
      const body = { maxWaitMs: 100, minBytes: 1, maxBytes: 1 << 20, topics: [{ topic, partitions }] };
      const { responses } = await client.call('Fetch', 12, body);
      const { errorCode, records } = responses[0]!.partitions[0]!;
      assert.equal(errorCode, 0);
      const before = fetchOffset;
      for (const batch of recordBatches(records ?? Buffer.alloc(0), { partialTail: 'ignore' })) {
        for (const { offset, value } of batchRecords(batch))
          found.set(`${partition} ${offset}`, String(value));
        fetchOffset = batch.nextOffset;
      }
      if (fetchOffset === before) break;
    }
  }
  return found;
}

/** Every acknowledged record is where its answer said, and nowhere else. */
function check(found: ReadonlyMap<string, string>, acknowledged: Acknowledged): void {
  for (const [place, value] of acknowledged) assert.equal(found.get(place), value, place);
  const values = [...found.values()];
  assert.equal(new Set(values).size, values.length, 'no record is there twice');
}

test('a playground that is killed under load has every acknowledged record, once', bounded, async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const dataDir = join(folder, 'playground');
  const acknowledged: Acknowledged = new Map();
  for (let round = 0; round < 4; round++) {
    const playground = await startPlayground(lifetime, dataDir);
    const client = await connectTo(t, playground);
    if (round === 0) {
      const topics = [
        { name: topic, numPartitions: partitionCount, replicationFactor: -1, assignments: [], configs: [] },
      ];
      const created = await client.call('CreateTopics', 7, { topics, timeoutMs: 10_000 });
      assert.equal(created.topics[0]!.errorCode, 0);
    }
    check(await readAll(client), acknowledged);
    const wanted = acknowledged.size + 150;
    const writing = Array.from({ length: 6 }, async (_, number) => {
      const own = await connectTo(t, playground);
      await write(own, number % partitionCount, acknowledged).catch(() => undefined);
    });
    while (acknowledged.size < wanted) await pause(5);
    if (round < 3) await playground.kill();
    else await playground.stop();
    await Promise.all(writing);
    if (round > 0) continue;
    // Only the process that has the segments may open the database now.
    const flags = ['-dataDir', dataDir, '-consolePort', '0'];
    const other = promisify(execFile)(bin, ['control-plane', '-bindAddress', '127.0.0.1', ...flags]);
    await assert.rejects(other, /its last entries are in the segments of its bucket; start weir playground/);
  }
  assert.notDeepEqual(readdirSync(join(dataDir, 'bucket', '.weir-segments')), []);

  // The bucket alone is enough.
  const bucketUrl = pathToFileURL(join(dataDir, 'bucket')).href;
  const restoredDir = join(folder, 'restored');
  const places = ['-bucketURL', bucketUrl, '-dataDir', restoredDir];
  await promisify(execFile)(bin, ['control-plane', 'restore', ...places]);
  const restored = await startWeir(
    ['playground', ...places, ...freePorts],
    ['Kafka', 'HTTP', 'control plane'],
  );
  lifetime.after(() => restored.stop());
  check(await readAll(await connectTo(t, restored)), acknowledged);
});
