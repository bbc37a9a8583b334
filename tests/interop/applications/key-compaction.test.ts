import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { seededRandom, systemClock } from '@weir/core';
import { batchRecords, buildRecordBatch, type RecordBatchView, recordBatches } from '@weir/wire';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { BucketServer } from '../../faults/cluster/bucket-server.ts';
import { missingTool } from '../apache/tools.ts';
import { lastFirst, startCluster, temporaryFolder } from '../brokers/weir-process.ts';
import { javaCommand } from './application.ts';
import { startProgram } from './program.ts';

/**
 * Compaction of keys, as Apache's own programs see it. Configs of the cluster make records cleanable at once; how long
 * a compaction takes is not measured.
 */
const skip = missingTool();
const bounded = { skip, timeout: 300_000 };
const connect = (address: string) => TestClient.connect(Number(address.split(':').at(-1)));
const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));
const lifetime = lastFirst({ after });
const agent = skip ? undefined! : await start();

async function start(): Promise<string> {
  // Files on a disk are compacted when clients pause for a minute; in a bucket at once.
  const bucket = new BucketServer(systemClock, seededRandom(1));
  const bucketUrl = await bucket.start();
  lifetime.after(async () => bucket.stop());
  const { agents } = await startCluster(lifetime, {
    agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }],
    controlPlanes: 1,
    bucketUrl,
    variables: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  });
  const client = await connect(agents[0]!.address('Kafka'));
  const configs = { 'log.roll.ms': '1', 'log.cleaner.min.cleanable.ratio': '0.01' };
  const entries = Object.entries(configs).map(([name, value]) => ({ name, value, configOperation: 0 }));
  const { responses } = await client.call('IncrementalAlterConfigs', 1, {
    resources: [{ resourceType: 4, resourceName: '', configs: entries }],
    validateOnly: false,
  });
  assert.equal(responses[0]!.errorCode, 0, `${responses[0]!.errorMessage}`);
  client.socket.destroy();
  return agents[0]!.address('Kafka');
}

/**
 * Runs Apache's tester, which fails unless the last value of every key is what it wrote. Returns how much was removed,
 * in percent.
 */
async function runTester(sleepSeconds: number): Promise<number> {
  const args = [
    ...['--bootstrap-server', agent, '--messages', '20000', '--duplicates', '10', '--topics', '2'],
    ...['--percent-deletes', '20', '--sleep', String(sleepSeconds)],
  ];
  const { stdout } = await promisify(execFile)(
    'java',
    javaCommand('org.apache.kafka.tools.LogCompactionTester', args),
  );
  assert.match(stdout, /Data verification is completed/);
  return Number(/\((-?[\d.]+)% reduction\)/.exec(stdout)![1]);
}

/** Fetches all batches of a partition. */
async function batchesOf(client: TestClient, topic: string, partition: number): Promise<RecordBatchView[]> {
  const batches: RecordBatchView[] = [];
  for (let fetchOffset = 0n; ; ) {
    const partitions = [{ partition, fetchOffset, partitionMaxBytes: 1 << 20 }];
    const body = { maxWaitMs: 100, minBytes: 1, maxBytes: 1 << 20, topics: [{ topic, partitions }] };
    const { responses } = await client.call('Fetch', 12, body);
    const { errorCode, records } = responses[0]!.partitions[0]!;
    assert.equal(errorCode, 0);
    const found = [...recordBatches(records ?? Buffer.alloc(0), { partialTail: 'ignore' })];
    if (found.length === 0) return batches;
    batches.push(...found);
    fetchOffset = found.at(-1)!.nextOffset;
  }
}

describe('compaction of keys', { concurrency: true }, () => {
  test(
    "Apache's LogCompactionTester finds the last value of every key, and the rest removed",
    bounded,
    async () => {
      let sleepSeconds = 12;
      // On a busy machine the compaction may come after the tester has read.
      while ((await runTester(sleepSeconds)) < 50) sleepSeconds *= 2;
    },
  );

  test(
    'Kafka Streams restores its state, deleted keys included, from a compacted changelog',
    bounded,
    async () => {
      const folder = temporaryFolder(lifetime);
      const client = await connect(agent);
      lifetime.after(async () => void client.socket.destroy());
      const topic = 'changes';
      const topics = [{ name: topic, numPartitions: 2, replicationFactor: -1, assignments: [], configs: [] }];
      const created = await client.call('CreateTopics', 7, { topics, timeoutMs: 10_000 });
      assert.equal(created.topics[0]!.errorCode, 0);

      const random = seededRandom(7);
      const expected = new Map<string, string>();
      const rounds = 40;
      const keyCount = 50;
      const change = (round: number, key: number) => {
        const value = random.below(4) === 0 ? null : `value ${round}`;
        if (value === null) expected.delete(`key ${key}`);
        else expected.set(`key ${key}`, value);
        return {
          timestamp: BigInt(systemClock.nowMs()),
          key: Buffer.from(`key ${key}`),
          value: value === null ? null : Buffer.from(value),
        };
      };
      const write = async (round: number) => {
        const partitionData = [0, 1].map((index) => ({
          index,
          records: buildRecordBatch(
            Array.from({ length: keyCount }, (_, n) => 2 * n + index).map((key) => change(round, key)),
          ),
        }));
        const topicData = [{ name: topic, partitionData }];
        const { responses } = await client.call('Produce', 9, {
          ...{ transactionalId: null, acks: -1, timeoutMs: 10_000, topicData },
        });
        for (const { errorCode } of responses[0]!.partitionResponses) assert.equal(errorCode, 0);
      };
      interface Printed {
        readonly state: Readonly<Record<string, string>>;
      }
      const run = (state: string) =>
        startProgram<Printed>(lifetime, 'weir.applications.TableStreams', [
          agent,
          topic,
          join(folder, state),
          'table',
        ]);
      const isExpected = (events: readonly Printed[]) => {
        const printed = events.at(-1)?.state ?? {};
        const keys = Object.keys(printed);
        return keys.length === expected.size && keys.every((key) => printed[key] === expected.get(key));
      };

      const first = run('first');
      for (let round = 0; round < rounds; round++) await write(round);
      await first.until(isExpected);
      await first.stop();

      const changelog = 'table-latest-changelog';
      const recordsLeft = async () => {
        const all = [...(await batchesOf(client, changelog, 0)), ...(await batchesOf(client, changelog, 1))];
        return all.reduce((sum, batch) => sum + (batch.isControl ? 0 : [...batchRecords(batch)].length), 0);
      };
      // Some rounds may lie after what was compacted last.
      while ((await recordsLeft()) > (rounds * 2 * keyCount) / 4) await pause(500);

      // Its input was processed, so that all of its state comes from the changelog.
      const second = run('second');
      await second.until((events) => events.length > 0 && isExpected(events));
      await second.stop();
    },
  );
});
