import type { Load } from '@weir/broker/testing';
import { servingThreadsUnderTest, TestClient, TestStore } from '@weir/broker/testing';
import { Metrics, MiB, seededRandom, silentLog } from '@weir/core';
import { HandClock, pause } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { startAgent } from '../src/agent.ts';
import type { AgentOptions, RunningAgent } from '../src/agent-options.ts';

/** A whole agent with real sockets, over a cluster and a bucket in memory, in time that the test controls. */
export interface AgentUnderTest {
  readonly agent: RunningAgent;
  readonly cluster: TestCluster;
  readonly store: TestStore;
  readonly clock: HandClock;
  /** The load that the agent measures. */
  readonly load: { -readonly [Part in keyof Load]: Load[Part] };
  connect(): Promise<TestClient>;
  /** Returns the value of one series, read over HTTP; 0 if it is absent. */
  metric(series: string): Promise<number>;
  /** Waits until a series has a value, or one that satisfies a condition. */
  untilStat(series: string, wanted: number | ((value: number) => boolean)): Promise<void>;
  /** Waits until the agent has read everything that its clients have sent. */
  untilRead(): Promise<void>;
  /** Advances time step by step, as timers of the agent set further ones. */
  pass(ms: number): Promise<void>;
}

export async function startAgentUnderTest(
  lifetime: { after(cleanUp: () => Promise<void>): void },
  differences: Partial<AgentOptions> = {},
): Promise<AgentUnderTest> {
  const clock = differences.clock instanceof HandClock ? differences.clock : new HandClock();
  const cluster = new TestCluster();
  const store = new TestStore();
  const load = { cpu: 0, eventLoop: 0, loopCpu: 0 };
  const clients: TestClient[] = [];
  const { metrics = new Metrics() } = differences;
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
    readahead: false,
    bufferedBytesMax: 64 * MiB,
    idleConnectionMs: 3_600_000,
    highCpuPercent: 98,
    metadataRequestsPerCpu: 16,
    load: { sample: () => load },
    defaultStrategy: 'consistent_spread',
    cpuCount: 1,
    servingThreads: servingThreadsUnderTest(),
    clock,
    random: seededRandom(1),
    log: silentLog,
    ...differences,
    metrics,
  });
  let isStopped = false;
  lifetime.after(async () => {
    for (const client of clients) client.socket.destroy();
    const stopped = agent.stop({ deadlineMs: 0 }).then(() => {
      isStopped = true;
    });
    // Nothing else advances the time after which it gives up.
    while (!isStopped) {
      clock.advance(100);
      await pause(0);
    }
    await stopped;
  });
  const metric = async (series: string) => {
    const line = metrics
      .render()
      .split('\n')
      .find((one) => one.startsWith(`service_${series} `));
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
  };
  const untilStat: AgentUnderTest['untilStat'] = async (series, wanted) => {
    const isWanted = typeof wanted === 'number' ? (value: number) => value === wanted : wanted;
    while (!isWanted(await metric(series))) await pause(1);
  };
  return {
    agent,
    cluster,
    store,
    clock,
    load,
    metric,
    untilStat,
    async connect() {
      const client = await TestClient.connect(agent.kafkaPort);
      clients.push(client);
      return client;
    },
    untilRead: () =>
      untilStat(
        'agent_kafka_request_bytes_counter',
        (bytes) => bytes === clients.reduce((sum, { socket }) => sum + socket.bytesWritten, 0),
      ),
    async pass(ms) {
      const stepMs = 250;
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(Math.min(stepMs, ms - passed));
        await pause(0);
      }
    },
  };
}
