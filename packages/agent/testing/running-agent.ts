import type { TestContext } from 'node:test';
import { Metrics, MiB, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type AgentOptions, type RunningAgent, startAgent } from '../src/agent.ts';
import type { Load } from '../src/pressure/load-source.ts';
import { TestStore } from './data-path.ts';
import { FakeCluster } from './fake-cluster.ts';
import { TestClient } from './test-client.ts';
import { pause } from './until.ts';

/** A whole agent behind real sockets, over a cluster and a bucket in memory, in a time that the test moves. */
export interface AgentUnderTest {
  readonly agent: RunningAgent;
  readonly cluster: FakeCluster;
  readonly store: TestStore;
  readonly clock: HandClock;
  /** What the agent takes for its load. */
  readonly load: { -readonly [Part in keyof Load]: Load[Part] };
  connect(): Promise<TestClient>;
  /** The value of one series, asked over HTTP; 0 when it is not there. */
  figure(series: string): Promise<number>;
  /** Moves time on step by step, as timers of the agent set further ones. */
  pass(ms: number): Promise<void>;
}

export async function startAgentUnderTest(
  t: TestContext,
  differences: Partial<AgentOptions> = {},
): Promise<AgentUnderTest> {
  const clock = differences.clock instanceof HandClock ? differences.clock : new HandClock();
  const cluster = new FakeCluster({ nowMs: () => clock.nowMs() });
  const store = new TestStore();
  const load = { cpu: 0, eventLoop: 0, loopCpu: 0 };
  const clients: TestClient[] = [];
  const agent = await startAgent({
    clusterId: cluster.clusterId,
    agentId: 'agent-under-test',
    group: '',
    zone: 'zone-a',
    roles: ['proxy', 'jobs'],
    host: '127.0.0.1',
    kafkaPort: 0,
    httpPort: 0,
    advertisedHost: '127.0.0.1',
    servesMetrics: true,
    cluster,
    store,
    flush: { windowMs: 0, uncompressedBytesMax: 64 * MiB, compressedBytesMax: MiB },
    recordBytesMax: 32 * MiB,
    fetchRequestBytesMax: 256 * MiB,
    fetchPartitionBytesMax: 256 * MiB,
    pageCacheBytesMax: 16 * MiB,
    readsOn: false,
    bufferedBytesMax: 64 * MiB,
    idleConnectionMs: 3_600_000,
    highCpuPercent: 98,
    metadataRequestsPerCpu: 16,
    load: { sample: () => load },
    defaultStrategy: 'consistent_spread',
    cpuCount: 1,
    clock,
    random: seededRandom(1),
    log: silentLog,
    metrics: new Metrics(),
    ...differences,
  });
  let isStopped = false;
  t.after(async () => {
    for (const client of clients) client.socket.destroy();
    const stopped = agent.stop({ deadlineMs: 0 }).then(() => {
      isStopped = true;
    });
    // Nobody else moves the time in which it gives up.
    while (!isStopped) {
      clock.advance(100);
      await pause(0);
    }
    await stopped;
  });
  return {
    agent,
    cluster,
    store,
    clock,
    load,
    async connect() {
      const client = await TestClient.connect(agent.kafkaPort);
      clients.push(client);
      return client;
    },
    async figure(series) {
      const text = await (await fetch(`http://127.0.0.1:${agent.httpPort}/metrics`)).text();
      const line = text.split('\n').find((one) => one.startsWith(`service_${series} `));
      return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
    },
    async pass(ms) {
      const stepMs = 250;
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(Math.min(stepMs, ms - passed));
        await pause(0);
      }
    },
  };
}
