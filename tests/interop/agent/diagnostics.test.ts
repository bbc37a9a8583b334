import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ClusterUnavailable, reportIntervalMs } from '@weir/cluster';
import { type MetricRow, Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { memoryNode } from '@weir/metadata/testing';
import { metered, StoreError } from '@weir/storage';
import type { AgentOptions } from '../../../packages/agent/src/agent-options.ts';
import { AgentStats } from '../../../packages/agent/src/stats/agent-stats.ts';
import { type AgentUnderTest, startAgentUnderTest } from '../../../packages/agent/testing/running-agent.ts';
import { batchOf, TestStore } from '../../../packages/broker/testing/data-path.ts';
import { pause } from '../../../packages/core/testing/until.ts';
import { type CheckName, describeCheck } from '../../../packages/diagnostics/src/registry.ts';
import { watchClusters } from '../../../packages/diagnostics/src/watch-clusters.ts';
import { MemoryDiagnosticsStore } from '../../../packages/diagnostics/testing/memory-diagnostics-store.ts';
import { ServerCertificates } from '../../../packages/security/src/tls/server-certificates.ts';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';

/**
 * Real agents and the leader of their cluster, checked by the diagnostics of a control plane, with clocks that the test
 * advances.
 */
const clusterId = 'vci_test';
const startMs = 1_700_000_000_000;
const dayMs = 86_400_000;
const stepMs = 250;
/** Small clock step while the test waits for an answer. */
const answerStepMs = 5;

class World {
  readonly clock: HandClock;
  readonly node: ClusterNode;
  readonly agents: AgentUnderTest[] = [];
  readonly #t: TestContext;
  readonly #store = new MemoryDiagnosticsStore();

  private constructor(t: TestContext, clock: HandClock, node: ClusterNode) {
    this.#t = t;
    this.clock = clock;
    this.node = node;
  }

  static async start(t: TestContext, { controlPlaneStartMs = startMs } = {}): Promise<World> {
    const clock = new HandClock(controlPlaneStartMs);
    const { hub, node } = memoryNode({ clusterId, databaseUrl: `memory://${randomUUID()}`, clock });
    node.start();
    t.after(async () => {
      await node.stop();
      await hub.close();
    });
    while (node.role !== 'leader') await pause(0);
    await node.createTopics([{ name: 't', partitionCount: 1, configs: {} }], { validateOnly: false });
    return new World(t, clock, node);
  }

  /** Starts an agent with its own clock and a record of its bucket requests. */
  async addAgent(agentId: string, differences: Partial<AgentOptions> = {}, bucket = new TestStore()) {
    const clock = new HandClock(startMs);
    const metrics = new Metrics();
    const stats = new AgentStats({ clock, metrics });
    const store = metered(bucket, {
      clock,
      metrics,
      onRequest: (request) => stats.requestEnded('s3://records', request),
    });
    const agent = await startAgentUnderTest(this.#t, {
      clusterId,
      agentId,
      cluster: this.node,
      clock,
      metrics,
      stats,
      store,
      ...differences,
    });
    this.agents.push(agent);
    return { agent, metrics, clock };
  }

  /** Writes one record per request, all requests at once. */
  async produce(
    { agent }: { readonly agent: AgentUnderTest },
    count: number,
    timeoutMs = 30_000,
    clientId?: string,
  ) {
    const client = await agent.connect();
    const topicData = [
      { name: 't', topicId: '', partitionData: [{ index: 0, records: batchOf(['record']) }] },
    ];
    for (let n = 0; n < count; n++)
      client.send('Produce', 11, { acks: -1, timeoutMs, topicData } as never, clientId);
    let isAnswered = false;
    const answered = (async () => {
      for (let n = 0; n < count; n++) await client.receive('Produce', 11);
      isAnswered = true;
    })();
    while (!isAnswered) await this.pass(answerStepMs);
    await answered;
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      const byMs = Math.min(stepMs, ms - passed);
      for (const clock of [this.clock, ...this.agents.map((agent) => agent.clock)]) clock.advance(byMs);
      await pause(0);
    }
  }

  /** Runs the check as often as its damping requires before it reports a state. */
  async check(name: CheckName): Promise<{ readonly status: string; readonly messages: readonly string[] }> {
    const { damping } = describeCheck(name)!;
    const runner = watchClusters({
      leading: () => [{ clusterId, kind: 'kafka', node: this.node }],
      store: this.#store,
      metricsOf: () => new Metrics(),
      onTransition: () => {},
      clock: this.clock,
      log: silentLog,
    });
    const runs = Math.max(damping.failAfterRuns, damping.recoverAfterRuns);
    for (let run = 0; run < runs; run++) await runner.checkAll();
    await runner.stop();
    const found = (await this.#store.load(clusterId)).find(({ record }) => record.name === name)!.record;
    return { status: found.status, messages: found.findings.map(({ message }) => message) };
  }

  async assertFails(name: CheckName, message: RegExp): Promise<void> {
    const { status, messages } = await this.check(name);
    assert.equal(status, 'failed', name);
    assert.match(messages[0]!, message);
  }
}

/** Covers a report and its heartbeat. */
const untilReportedMs = reportIntervalMs + 2_500;

test('agents that are well fail no check of their stats', async (t) => {
  const world = await World.start(t);
  const one = await world.addAgent('one', { zone: 'zone-a' });
  await world.addAgent('two', { zone: 'zone-b' });
  await world.produce(one, 3);
  await world.pass(untilReportedMs);
  const names = [
    'produce_timeout_too_low',
    'small_files',
    'clock_skew',
    'expiring_certificates',
    'expiring_tokens',
    'expiring_delegation_tokens',
    'lost_agent',
    'unbalanced_agents',
    'high_cardinality',
    'bucket_permission',
    'bucket_failures',
    'unused_credentials',
  ] as const;
  const statuses: Record<string, string> = {};
  for (const name of names) statuses[name] = (await world.check(name)).status;
  assert.deepEqual(statuses, Object.fromEntries(names.map((name) => [name, 'healthy'])));
});

test('produce_timeout_too_low: a client that waits for a second', async (t) => {
  const world = await World.start(t);
  const one = await world.addAgent('one');
  await world.produce(one, 2, 1_000, 'hasty');
  await world.pass(untilReportedMs);
  await world.assertFails(
    'produce_timeout_too_low',
    /^Client hasty has request\.timeout\.ms=\d+, below the minimum of 5 seconds; 2 requests/,
  );
  await world.pass(4 * reportIntervalMs);
  assert.equal((await world.check('produce_timeout_too_low')).status, 'recovered');
});

test('small_files: many requests that come one by one', async (t) => {
  const world = await World.start(t);
  const one = await world.addAgent('one');
  for (let n = 0; n < 400; n++) await world.produce(one, 1);
  await world.pass(untilReportedMs);
  await world.assertFails('small_files', /new files per second, \d+ (?:B|bytes|KiB) on average/);
});

test('clock_skew: agents that live in the future', async (t) => {
  const world = await World.start(t, { controlPlaneStartMs: startMs - 90_000 });
  await world.addAgent('one');
  await world.assertFails('clock_skew', /is 90 seconds ahead/);
});

test('expiring_certificates: a certificate that ends in five days', async (t) => {
  const world = await World.start(t);
  const ca = await TestCa.create();
  const validTo = new Date(startMs + 5 * dayMs);
  const { certificate, privateKey } = await ca.issueServer({ subject: 'CN=kafka.example', validTo });
  const certificates = await ServerCertificates.load({
    source: {
      name: 'test',
      intervalMs: dayMs,
      read: async () => ({ certificate, privateKey, authorities: ca.certificate }),
    },
    profile: 'modern',
    clock: world.clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => certificates.close());
  await world.addAgent('one', {
    tls: { certificates, kafka: undefined, http: true, internal: undefined },
  });
  await world.assertFails(
    'expiring_certificates',
    /^Certificate kafka\.example expires in 5 days; presented by 1 agent/,
  );
});

test('expiring_tokens: a token that is not renewed', async (t) => {
  const world = await World.start(t);
  const token = { name: 'agent token', issuedMs: startMs - 3_600_000, expiresMs: startMs + 60_000 };
  await world.addAgent('one', { tokens: () => [token] });
  await world.assertFails('expiring_tokens', /^Token agent token of agent .* on .* expires in 60 seconds/);
});

test('lost_agent: an agent that is cut off, and not one that stops', async (t) => {
  const world = await World.start(t);
  let isCutOff = false;
  const { node } = world;
  const cluster = new Proxy(node, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof value !== 'function') return value;
      const isRefused = () => isCutOff && (key === 'heartbeat' || key === 'leave');
      return (...args: unknown[]) =>
        isRefused()
          ? Promise.reject(new ClusterUnavailable('cut off'))
          : (value as (...args: unknown[]) => unknown).apply(target, args);
    },
  });
  await world.addAgent('stays');
  await world.addAgent('cut-off', { cluster, zone: 'zone-b' });
  const stopping = await world.addAgent('stops');
  void stopping.agent.agent.stop({ deadlineMs: 1_000 });
  isCutOff = true;
  await world.pass(30_000);
  const { status, messages } = await world.check('lost_agent');
  assert.equal(status, 'failed');
  assert.equal(messages.length, 1);
  assert.match(messages[0]!, /in zone zone-b: last heartbeat 30 seconds ago/);
  isCutOff = false;
  await world.pass(3_000);
  assert.equal((await world.check('lost_agent')).status, 'recovered');
});

test('unbalanced_agents: one works and the other does not', async (t) => {
  const world = await World.start(t);
  const one = await world.addAgent('one');
  const two = await world.addAgent('two');
  one.agent.load.cpu = 0.8;
  two.agent.load.cpu = 0.1;
  await world.pass(5_000);
  await world.assertFails('unbalanced_agents', /: CPU utilization 80 %, other agents 10 % on average/);
});

test('high_cardinality: a metric with as many series as there may be', async (t) => {
  const world = await World.start(t);
  const { metrics } = await world.addAgent('one');
  const row: MetricRow<'topic'> = { name: 'max_offset', kind: 'gauge', help: '', labels: ['topic'] };
  for (let n = 0; n < 9_000; n++) metrics.series(row, { topic: `t${n}` }).set(n);
  await world.pass(untilReportedMs);
  await world.assertFails('high_cardinality', /^Metric max_offset has 9,000 series/);
});

test('bucket_permission and bucket_failures: a bucket that refuses writes', async (t) => {
  const world = await World.start(t);
  const bucket = new TestStore();
  bucket.beforePut = () => {
    throw new StoreError('denied', 's3://records', 'not allowed');
  };
  const one = await world.addAgent('one', {}, bucket);
  for (let n = 0; n < 120; n++) await world.produce(one, 1);
  await world.pass(untilReportedMs);
  await world.assertFails('bucket_permission', /^Bucket s3:\/\/records denied put \d+ times/);
  await world.assertFails('bucket_failures', /^Bucket s3:\/\/records: \d+ of \d+ requests failed/);
});

test('bucket_latency: a bucket that takes three seconds for a write', async (t) => {
  const world = await World.start(t);
  const bucket = new TestStore();
  const one = await world.addAgent('one', {}, bucket);
  for (let n = 0; n < 100; n++) await world.produce(one, 1);
  bucket.beforePut = () => new Promise((resolve) => one.clock.after(3_000, resolve));
  for (let n = 0; n < 3; n++) await world.produce(one, 1);
  await world.pass(untilReportedMs);
  await world.assertFails('bucket_latency', /p99 latency PUT 3/);
});
