import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { type Clock, Metrics, MiB, seededRandom, silentLog, systemClock } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';
import { batchRecords, recordBatches } from '@weir/wire';
import { startAgent } from '../../../packages/agent/src/agent.ts';
import type { RunningAgent } from '../../../packages/agent/src/agent-options.ts';
import { batchOf, TestStore } from '../../../packages/broker/testing/data-path.ts';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';

const pageBytes = 4 * MiB;
const partitions = 6;

/**
 * Slows the clock down, so that agents give up on each other late. A page keeper that does not answer within a second
 * is bypassed, which costs a second read of its pages; the number of reads must not depend on the load of the machine.
 */
const slowness = 100;
const patientClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() / slowness,
  after(delayMs, run) {
    const cancel = systemClock.after(delayMs * slowness, run);
    cancels.push(cancel);
    return cancel;
  },
};

/** Agents that are stopped leave timers behind, which would keep the process of the test for minutes. */
const cancels: (() => void)[] = [];
after(() => {
  for (const cancel of cancels) cancel();
});

/** A bucket that counts how often each page was read. */
class CountingBucket extends TestStore {
  readonly pageReads = new Map<string, number>();

  override getRange(key: string, start: number, end: number): Promise<Buffer> {
    const page = `${key}/${start / pageBytes}`;
    this.pageReads.set(page, (this.pageReads.get(page) ?? 0) + 1);
    return super.getRange(key, start, end);
  }

  get pages(): number {
    return [...this.objects.values()].reduce((sum, { length }) => sum + Math.ceil(length / pageBytes), 0);
  }
}

interface World {
  readonly bucket: CountingBucket;
  readonly cluster: TestCluster;
}

/** Starts a whole agent with its ports. It never deregisters, so that stopping it is like killing it. */
async function start(t: TestContext, { bucket, cluster }: World, agentId: string, zone: string) {
  const port: ClusterPort = new Proxy<ClusterPort>(cluster, {
    get(target, name) {
      if (name === 'leave') return async () => {};
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const agent = await startAgent({
    clusterId: cluster.clusterId,
    agentId,
    group: '',
    zone,
    roles: ['proxy', 'jobs'],
    host: '127.0.0.1',
    kafkaPort: 0,
    httpPort: 0,
    advertisedHost: '127.0.0.1',
    servesMetrics: true,
    cluster: port,
    agentKey: () => 'aks_interop',
    store: bucket,
    flush: { windowMs: 0, uncompressedBytesMax: 64 * MiB, compressedBytesMax: 16 * MiB },
    recordBytesMax: 16 * MiB,
    fetchRequestBytesMax: 256 * MiB,
    fetchPartitionBytesMax: 256 * MiB,
    pageCacheBytesMax: 256 * MiB,
    readahead: true,
    bufferedBytesMax: 128 * MiB,
    idleConnectionMs: 60_000,
    highCpuPercent: 0,
    metadataRequestsPerCpu: 0,
    defaultStrategy: 'consistent_spread',
    cpuCount: 1,
    clock: patientClock,
    random: seededRandom(agentId.charCodeAt(0)),
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => agent.stop({ deadlineMs: 0 }));
  return agent;
}

async function produce(
  t: TestContext,
  { kafkaPort }: RunningAgent,
  batches: readonly Buffer[],
): Promise<void> {
  const client = await TestClient.connect(kafkaPort);
  t.after(() => client.socket.destroy());
  for (const [number, records] of batches.entries()) {
    const { responses } = await client.call('Produce', 9, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: 't', partitionData: [{ index: number % partitions, records }] }],
    });
    assert.equal(responses[0]!.partitionResponses[0]!.errorCode, 0);
  }
}

/** Reads the whole topic through one agent; no answer may have an error. Returns the values of each partition. */
async function readAll(
  t: TestContext,
  { kafkaPort }: RunningAgent,
  ends: readonly number[],
  afterEach: () => Promise<void> | void = () => {},
): Promise<string[][]> {
  const client = await TestClient.connect(kafkaPort);
  t.after(() => client.socket.destroy());
  const values: string[][] = ends.map(() => []);
  while (values.some((found, partition) => found.length < ends[partition]!)) {
    const { errorCode, responses } = await client.call('Fetch', 12, {
      maxWaitMs: 1_000,
      minBytes: 1,
      maxBytes: 8 * MiB,
      isolationLevel: 0,
      sessionId: 0,
      sessionEpoch: -1,
      topics: [
        {
          topic: 't',
          partitions: values.map((found, partition) => ({
            partition,
            fetchOffset: BigInt(found.length),
            partitionMaxBytes: MiB,
          })),
        },
      ],
      forgottenTopicsData: [],
    });
    assert.equal(errorCode, 0);
    for (const { partitionIndex, errorCode, records } of responses[0]?.partitions ?? []) {
      assert.equal(errorCode, 0);
      const found = values[partitionIndex]!;
      for (const batch of recordBatches(records as Buffer, { partialTail: 'error' })) {
        for (const { offset, value } of batchRecords(batch)) {
          if (Number(offset) === found.length) found.push(String(value).slice(0, 20));
        }
      }
    }
    await afterEach();
  }
  return values;
}

/** Writes some records to each partition; some files are larger than a page. */
async function fill(t: TestContext, world: World): Promise<string[][]> {
  world.cluster.addTopic('t', partitions);
  const writer = await start(t, world, 'writer', 'zone-w');
  const values: string[][] = Array.from({ length: partitions }, () => []);
  const batches = Array.from({ length: 60 }, (_, number) => {
    const value = `value ${number} `.padEnd(20, '.');
    values[number % partitions]!.push(value);
    return batchOf([value + 'x'.repeat(number % 20 === 0 ? 9 * MiB : 50_000)]);
  });
  await produce(t, writer, batches);
  await writer.stop({ deadlineMs: 5_000 });
  await world.cluster.leave('writer');
  world.bucket.pageReads.clear();
  return values;
}

const countOf = (values: readonly string[][]) => values.map(({ length }) => length);

test('agents of a zone read each page from the bucket once, through whichever of them it is asked', async (t) => {
  const world: World = { bucket: new CountingBucket(), cluster: new TestCluster() };
  const values = await fill(t, world);
  const agents = await Promise.all(['a', 'b', 'c'].map((agentId) => start(t, world, agentId, 'zone-a')));
  const elsewhere = await start(t, world, 'd', 'zone-b');
  const reads = await Promise.all(agents.map((agent) => readAll(t, agent, countOf(values))));
  for (const read of reads) assert.deepEqual(read, values);
  assert.ok([...world.bucket.pageReads.values()].every((count) => count === 1));
  assert.ok(world.bucket.pageReads.size >= 60 && world.bucket.pageReads.size <= world.bucket.pages);

  assert.deepEqual(await readAll(t, elsewhere, countOf(values)), values);
  assert.ok([...world.bucket.pageReads.values()].every((count) => count === 2));
  const metrics = await (await fetch(`http://127.0.0.1:${agents[0]!.httpPort}/metrics`)).text();
  assert.match(metrics, /agent_file_cache_client_get_stream_range_outcome\{outcome="success"\} [1-9]/);
});

test('consumers do not notice that an agent of the zone is killed', async (t) => {
  const world: World = { bucket: new CountingBucket(), cluster: new TestCluster() };
  const values = await fill(t, world);
  const agents = await Promise.all(['a', 'b', 'c'].map((agentId) => start(t, world, agentId, 'zone-a')));
  let rounds = 0;
  const killMidway = async () => {
    if (++rounds === 4) await agents[2]!.stop({ deadlineMs: 0 });
  };
  const reads = await Promise.all(
    agents.slice(0, 2).map((agent) => readAll(t, agent, countOf(values), killMidway)),
  );
  assert.ok(rounds > 6, `${rounds} rounds: it was midway`);
  for (const read of reads) assert.deepEqual(read, values);
  assert.ok([...world.bucket.pageReads.values()].every((count) => count <= 3));
});
