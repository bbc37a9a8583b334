import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { AgentDescription, Pointers } from '@weir/cluster';
import { type Clock, Metrics, seededRandom, silentLog, systemClock } from '@weir/core';
import { buildLogFile, logFileKey, newFileId, type ObjectStore } from '@weir/storage';
import { faultyStore } from '@weir/storage/testing';
import { batchRecords, recordBatches } from '@weir/wire';
import { testAgent } from '../../testing/agent.ts';
import { batchOf, TestStore } from '../../testing/data-path.ts';
import { loopbackListener } from '../../testing/loopback-listener.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { createReadPath, type ReadPath } from '../read-path/read-path.ts';
import { createPageExchange } from './page-exchange.ts';
import { pageKeepers, pageOwner } from './page-owner.ts';

const clusterId = 'vci_zones';
const pageBytes = 4096;
const topicId = Buffer.alloc(16, 7).toString('base64url');

/** Timers never fire: tests that count exactly must not depend on how busy the machine is. */
const patientClock: Clock = { ...systemClock, after: () => () => {} };

/** A bucket that counts how often each page was read. */
class CountingBucket extends TestStore {
  readonly pageReads = new Map<string, number>();

  override getRange(key: string, start: number, end: number): Promise<Buffer> {
    assert.equal(end - start, pageBytes, 'whole pages are read');
    const page = `${key.slice(-32)}/${start / pageBytes}`;
    this.pageReads.set(page, (this.pageReads.get(page) ?? 0) + 1);
    return super.getRange(key, start, end);
  }

  /** Asserts that exactly these pages were read, each between `least` and `most` times. */
  assertReads(pages: readonly string[], least: number, most: number): void {
    assert.deepEqual([...this.pageReads.keys()].sort(), [...pages].sort());
    for (const [page, reads] of this.pageReads) {
      assert.ok(reads >= least && reads <= most, `page ${page} was read ${reads} times`);
    }
  }
}

/** Writes files of one partition, some smaller than a page and some with several pages. */
async function fill(bucket: ObjectStore, files: number) {
  const random = seededRandom(11);
  const columns = {
    fileId: [] as string[],
    byteStart: [] as number[],
    byteLength: [] as number[],
    baseOffset: [] as number[],
    nextOffset: [] as number[],
  };
  const values: string[] = [];
  const pages: string[] = [];
  const built: { fileId: string; slices: readonly Uint8Array[] }[] = [];
  for (let file = 0; file < files; file++) {
    const fileId = newFileId(systemClock.nowMs(), random);
    const baseOffset = values.length;
    const batches = Array.from({ length: 1 + random.below(5) }, () => {
      const batch = Array.from({ length: 1 + random.below(4) }, () =>
        `${random.next()} `.repeat(1 + random.below(60)),
      );
      values.push(...batch);
      return { topicId, partition: 0, bytes: batchOf(batch) };
    });
    const { slices, placed } = buildLogFile({ clusterId, fileId, batches });
    await bucket.put(logFileKey(clusterId, fileId), slices);
    built.push({ fileId, slices });
    const byteStart = placed.byteStart[0]!;
    const byteLength = batches.reduce((sum, { bytes }) => sum + bytes.length, 0);
    columns.fileId.push(fileId);
    columns.byteStart.push(byteStart);
    columns.byteLength.push(byteLength);
    columns.baseOffset.push(baseOffset);
    columns.nextOffset.push(values.length);
    for (let page = 0; page * pageBytes < byteStart + byteLength; page++) pages.push(`${fileId}/${page}`);
  }
  const pointers: Pointers = {
    fileId: columns.fileId,
    byteStart: Float64Array.from(columns.byteStart),
    byteLength: Float64Array.from(columns.byteLength),
    baseOffset: Float64Array.from(columns.baseOffset),
    nextOffset: Float64Array.from(columns.nextOffset),
  };
  return { pointers, values, pages, built };
}

/** Returns the value of a metric, 0 if it has none yet. */
function metricValue(metrics: Metrics, name: string): number {
  const line = metrics
    .render()
    .split('\n')
    .find((candidate) => candidate.startsWith(`service_agent_file_cache_`) && candidate.includes(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

interface ZoneAgent {
  readonly agentId: string;
  readonly readPath: ReadPath;
  readonly metrics: Metrics;
  /** Stops it as if its process had died; the control plane has not noticed yet. */
  kill(): Promise<void>;
}

/** Starts agents that read from one bucket, each with a real HTTP listener; only the Kafka side is missing. */
async function startAgents(
  t: TestContext,
  store: ObjectStore,
  zones: readonly string[],
  { keys = [], clock = patientClock }: { keys?: readonly string[]; clock?: Clock } = {},
): Promise<{ agents: ZoneAgent[]; descriptions: readonly AgentDescription[] }> {
  const descriptions: AgentDescription[] = [];
  const agents: ZoneAgent[] = [];
  for (const [number, zone] of zones.entries()) {
    const agentId = `agent-${number}`;
    const metrics = new Metrics();
    const exchange = createPageExchange({
      clusterId,
      self: { agentId, zone, group: '' },
      agents: () => descriptions,
      secrets: () => [keys[number] ?? 'aks_zones'],
      pageBytes,
      clock,
      log: silentLog,
      metrics,
    });
    const readPath = createReadPath({
      store,
      cluster: { clusterId } as ClusterView,
      pages: { pageBytes, cacheBytesMax: 64 << 20, ownFiles: 'copy' },
      clock,
      log: silentLog,
      metrics,
      remotePages: exchange.lender,
    });
    const routes = exchange.routes((fileId, index) => readPath.lendPage(fileId, index));
    const http = await loopbackListener(routes, clock, metrics);
    const kill = async () => {
      exchange.close();
      await http.close();
    };
    t.after(kill);
    descriptions.push(testAgent(agentId, { zone, internalUrl: `http://127.0.0.1:${http.port}` }));
    agents.push({ agentId, readPath, metrics, kill });
  }
  return { agents, descriptions };
}

/** Reads everything as a consumer does, in steps, and returns the values. */
async function readAll(
  { readPath }: ZoneAgent,
  pointers: Pointers,
  bytesMax: number,
  afterEach: () => Promise<void> | void = () => {},
): Promise<string[]> {
  const values: string[] = [];
  const end = pointers.nextOffset.at(-1)!;
  while (values.length < end) {
    const query = {
      pointers: from(pointers, values.length),
      fromOffset: values.length,
      bytesMax,
      atLeastOne: true,
    };
    const [list] = await readPath.readBatches([query]);
    if (list === undefined || list instanceof Error) throw list ?? new Error('no answer');
    for (const batch of recordBatches(Buffer.concat(list.slices), { partialTail: 'error' })) {
      for (const { offset, value } of batchRecords(batch)) {
        if (Number(offset) === values.length) values.push(String(value));
      }
    }
    await afterEach();
  }
  return values;
}

/** Returns the ranges that the control plane would return to a reader at an offset. */
function from(pointers: Pointers, offset: number): Pointers {
  const row = pointers.nextOffset.findIndex((nextOffset) => nextOffset > offset);
  return {
    fileId: pointers.fileId.slice(row),
    byteStart: pointers.byteStart.slice(row),
    byteLength: pointers.byteLength.slice(row),
    baseOffset: pointers.baseOffset.slice(row),
    nextOffset: pointers.nextOffset.slice(row),
  };
}

test('three agents of a zone that all read everything cost one GET per page', async (t) => {
  for (const bytesMax of [1, 20_000, 1 << 30]) {
    const bucket = new CountingBucket();
    const { pointers, values, pages } = await fill(bucket, 60);
    const { agents } = await startAgents(t, bucket, ['zone-a', 'zone-a', 'zone-a']);
    const reads = await Promise.all(agents.map((agent) => readAll(agent, pointers, bytesMax)));
    for (const read of reads) assert.deepEqual(read, values);
    bucket.assertReads(pages, 1, 1);
    for (const { metrics } of agents) {
      const lent = metricValue(metrics, 'server_get_stream_range_outcome{outcome="hit"}');
      const fetched = metricValue(metrics, 'server_get_stream_range_outcome{outcome="miss"}');
      assert.ok(lent + fetched > 0, 'the agent served pages');
      assert.ok(metricValue(metrics, 'local_or_remote_counter{outcome="success",source="remote"}') > 0);
      assert.equal(metricValue(metrics, 'local_or_remote_counter{outcome="failure",source="remote"}'), 0);
    }
  }
});

test('later readers find everything in the memory of the zone', async (t) => {
  const bucket = new CountingBucket();
  const { pointers, values, pages } = await fill(bucket, 60);
  const { agents } = await startAgents(t, bucket, ['zone-a', 'zone-a', 'zone-a']);
  for (const agent of agents) assert.deepEqual(await readAll(agent, pointers, 50_000), values);
  bucket.assertReads(pages, 1, 1);
});

test('two zones cost two GETs per page', async (t) => {
  const bucket = new CountingBucket();
  const { pointers, values, pages } = await fill(bucket, 60);
  const { agents } = await startAgents(t, bucket, ['zone-a', 'zone-b', 'zone-a', 'zone-b']);
  const reads = await Promise.all(agents.map((agent) => readAll(agent, pointers, 20_000)));
  for (const read of reads) assert.deepEqual(read, values);
  bucket.assertReads(pages, 2, 2);
});

test('the writer of a file needs no GET, and its zone at most one', async (t) => {
  const bucket = new CountingBucket();
  const { pointers, values, pages, built } = await fill(bucket, 40);
  const { agents } = await startAgents(t, bucket, ['zone-a', 'zone-a', 'zone-a']);
  for (const file of built) agents[0]!.readPath.adopt(file);
  assert.deepEqual(await readAll(agents[0]!, pointers, 20_000), values);
  assert.equal(bucket.gets, 0);
  const others = await Promise.all(agents.slice(1).map((agent) => readAll(agent, pointers, 20_000)));
  for (const read of others) assert.deepEqual(read, values);
  assert.ok([...bucket.pageReads.values()].every((reads) => reads === 1));
  assert.ok(bucket.gets < pages.length, 'pages whose keeper is the writer are not read');
});

test('an agent that is killed midway costs reads of its own pages, and no errors', async (t) => {
  const bucket = new CountingBucket();
  const { pointers, values, pages } = await fill(bucket, 80);
  const { agents, descriptions } = await startAgents(t, bucket, ['zone-a', 'zone-a', 'zone-a']);
  const victim = agents[2]!;
  let rounds = 0;
  const killMidway = async () => {
    if (++rounds === 30) await victim.kill();
  };
  const reads = await Promise.all(
    agents.slice(0, 2).map((agent) => readAll(agent, pointers, 6_000, killMidway)),
  );
  assert.ok(rounds > 60, 'the agent was killed midway');
  for (const read of reads) assert.deepEqual(read, values);
  const keepers = pageKeepers(descriptions, { zone: 'zone-a', group: '' });
  const isVictims = (page: string) => {
    const [fileId, index] = page.split('/');
    return pageOwner(keepers, fileId!, Number(index))!.agentId === victim.agentId;
  };
  const total = [...bucket.pageReads]
    .filter(([page]) => isVictims(page))
    .reduce((sum, [, reads]) => sum + reads, 0);
  for (const [page, reads] of bucket.pageReads) {
    // Once by the victim, and once by each of the others if both had just requested it.
    assert.ok(reads <= (isVictims(page) ? 3 : 1), `page ${page} was read ${reads} times`);
  }
  const victims = pages.filter(isVictims).length;
  assert.ok(
    total <= victims + 20,
    `${total} reads of ${victims} pages: the agent that replaces it reads each once more`,
  );
  for (const { metrics } of agents.slice(0, 2)) {
    const failures = metricValue(metrics, 'client_get_stream_range_outcome{outcome="unreachable"}');
    assert.ok(failures > 0 && failures <= 10, `${failures} failed requests`);
  }
});

test('a silent agent costs one wait, and no errors', async (t) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const bucket = new CountingBucket();
  const { pointers, values, pages } = await fill(bucket, 80);
  const { agents, descriptions } = await startAgents(t, bucket, ['zone-a', 'zone-a'], { clock: systemClock });
  const internalUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  (descriptions as AgentDescription[]).push(testAgent('silent', { internalUrl }));
  const reads = await Promise.all(agents.map((agent) => readAll(agent, pointers, 20_000)));
  for (const read of reads) assert.deepEqual(read, values);
  bucket.assertReads(pages, 1, 2);
  for (const { metrics } of agents) {
    const failures = metricValue(metrics, 'client_get_stream_range_outcome{outcome="silent"}');
    assert.ok(failures > 0 && failures <= 16, `${failures} failed requests`);
  }
});

test('agents with different keys do not trust each other, and read for themselves', async (t) => {
  const bucket = new CountingBucket();
  const { pointers, values, pages } = await fill(bucket, 40);
  const { agents } = await startAgents(t, bucket, ['zone-a', 'zone-a'], {
    keys: ['aks_old', 'aks_new'],
  });
  for (const agent of agents) assert.deepEqual(await readAll(agent, pointers, 20_000), values);
  bucket.assertReads(pages, 1, 2);
  assert.ok(metricValue(agents[0]!.metrics, 'client_get_stream_range_outcome{outcome="refused"}') > 0);
  assert.ok(metricValue(agents[1]!.metrics, 'server_get_stream_range_outcome{outcome="unsigned"}') > 0);
  assert.equal(metricValue(agents[1]!.metrics, 'server_get_stream_range_num_bytes_count'), 0);
});

test('a bucket that fails sometimes costs only time', async (t) => {
  const bucket = new CountingBucket();
  const { pointers, values } = await fill(bucket, 30);
  const random = seededRandom(5);
  const failing = faultyStore(bucket, { failBefore: 0.3 }, { clock: systemClock, random });
  const { agents } = await startAgents(t, failing, ['zone-a', 'zone-a']);
  // The read path does not retry, so the caller repeats failed reads.
  for (const agent of agents) {
    for (;;) {
      const read = await readAll(agent, pointers, 20_000).catch(() => undefined);
      if (read === undefined) continue;
      assert.deepEqual(read, values);
      break;
    }
  }
});
