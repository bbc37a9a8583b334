import { Worker } from 'node:worker_threads';
import { Metrics, MiB, seededRandom, silentLog, systemClock } from '@weir/core';
import { startAgent } from '../packages/agent/src/agent.ts';
import { AgentEvents } from '../packages/agent/src/events/agent-events.ts';
import { listenerRows } from '../packages/broker/src/net/listener-metrics.ts';
import type { EventTypeName } from '../packages/events/src/emission.ts';
import { openJournals } from '../packages/journal/src/index.ts';
import { ClusterNode } from '../packages/metadata/src/leader/cluster-node.ts';
import type { RecordSchemas } from '../packages/registry/src/decoding/index.ts';
import { ObjectNotFound, type ObjectStore } from '../packages/storage/src/index.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import type { LoadOrder } from './event-emission-load.ts';
import { type Effort, median } from './side-by-side.ts';

/** Number of interval pairs, each with one interval of either kind. */
const fullPairs = 1_000;
/** Smoke test. */
const tinyPairs = 2;
/**
 * Very short intervals: the speed of a shared machine changes from one tenth of a second to the next by more than the
 * measured effect. Work that other threads do later is then shared by both kinds of interval; with intervals of several
 * seconds it was lost in the noise.
 */
const stretchMs = 40;

const eventsPerSecond = 10_000;
const tickMs = 5;
const wantedType = 'pipeline_logs';
const unwantedType = 'orbit_logs';
/** More records than the run can write. */
const endless = 1e9;
const clusterId = 'vci_bench';

/** A bucket that discards all objects, so that the benchmark does not measure its memory. The run does not read. */
const forgetfulStore: ObjectStore = {
  async put() {},
  putIfAbsent: async () => true,
  beginUpload: (key) => Promise.reject(new ObjectNotFound(key)),
  deleteMany: async () => [],
  getRange: (key) => Promise.reject(new ObjectNotFound(key)),
  head: async () => undefined,
  async delete() {},
  async *list() {},
  async close() {},
};

/**
 * Cost of ten thousand events per second for producers. Another thread saturates the agent's thread with Produce
 * requests while the agent emits, in alternating intervals, events of an enabled type and of a disabled type. The
 * caller builds the event data in both cases.
 */
export const eventEmission: Benchmark = {
  name: 'event-emission',
  async run(effort: Effort) {
    const pairs = effort.turns > 1 ? fullPairs : tinyPairs;
    await using lifetime = new AsyncDisposableStack();
    const { broker, events, metric } = await startCluster(lifetime);
    const bytesIn = () => metric(listenerRows.bytesIn.name);
    const load = new Worker(new URL('./event-emission-load.ts', import.meta.url));
    lifetime.defer(async () => void (await load.terminate()));
    await createTopic(broker, 'input', 4);
    const work = {
      topics: ['input'],
      partitions: 4,
      producers: 4,
      recordsInBatch: 16,
      partitionsInRequest: 1,
    };
    load.postMessage({ servers: broker, work: { ...work, records: endless } } satisfies LoadOrder);
    const pass = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));
    /** Produce throughput in MB/s while events of the type are emitted. */
    const rateBeside = async (type: EventTypeName) => {
      const startMs = systemClock.monotonicMs();
      const startBytes = bytesIn();
      const emission = emitEvents(events, type);
      await pass(stretchMs);
      emission.stop();
      return (bytesIn() - startBytes) / 1_000 / (systemClock.monotonicMs() - startMs);
    };
    while (bytesIn() < MiB) await pass(10);
    const rates = { wanted: [] as number[], unwanted: [] as number[] };
    for (let pair = 0; pair < pairs; pair++) {
      const kinds = ['wanted', 'unwanted'] as const;
      for (const kind of pair % 2 === 0 ? kinds : kinds.toReversed())
        rates[kind].push(await rateBeside(kind === 'wanted' ? wantedType : unwantedType));
    }
    const ratios = rates.wanted.map((rate, pair) => rate / rates.unwanted[pair]!);
    const lost =
      metric('events_processor_submit_error_count') + metric('events_processor_produce_error_count');
    const emitted = metric('events_processor_submit_success_count');
    return [
      {
        what: `produce beside ${eventsPerSecond} events a second / beside as many that nobody wants`,
        result: Math.round(median(ratios) * 1000) / 1000,
        unit: 'x',
        bar: atLeast(0.97),
        detail: `${Math.round(median(rates.wanted))} MB/s, ${Math.round(median(rates.unwanted))} MB/s; ${emitted} events, ${lost} lost`,
      },
    ];
  },
};

/** A cluster in this process, whose bucket forgets. */
export async function startCluster(lifetime: AsyncDisposableStack, schemas?: RecordSchemas) {
  const hub = openJournals(`memory://${clusterId}`, { clock: systemClock, log: silentLog });
  lifetime.defer(() => hub.close());
  const shared = { clock: systemClock, log: silentLog };
  const node = new ClusterNode({
    clusterId,
    journal: hub.journal(clusterId),
    self: { id: 'leader', url: '' },
    ...shared,
    metrics: new Metrics(),
  });
  lifetime.defer(() => node.stop());
  node.start();
  while (node.role !== 'leader') await new Promise<void>((resolve) => systemClock.after(5, resolve));
  const changes = [
    { name: 'service.events.enabled', operation: 'set', value: 'true' },
    { name: `service.events.${unwantedType}.enabled`, operation: 'set', value: 'false' },
  ] as const;
  await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  const metrics = new Metrics();
  const random = seededRandom(1);
  const agent = { agentId: 'bench', hostname: 'bench', clusterId };
  const events = new AgentEvents({ agent, roles: ['proxy'], random, ...shared, metrics });
  const running = await startAgent({
    clusterId,
    agentId: 'bench',
    group: '',
    zone: 'zone-a',
    roles: ['proxy'],
    host: '127.0.0.1',
    kafkaPort: 0,
    httpPort: 0,
    advertisedHost: '127.0.0.1',
    servesMetrics: false,
    cluster: node,
    schemas,
    store: forgetfulStore,
    flush: { windowMs: 0, uncompressedBytesMax: 64 * MiB, compressedBytesMax: MiB },
    recordBytesMax: 32 * MiB,
    fetchRequestBytesMax: 256 * MiB,
    fetchPartitionBytesMax: 256 * MiB,
    pageCacheBytesMax: 16 * MiB,
    readahead: false,
    bufferedBytesMax: 256 * MiB,
    idleConnectionMs: 3_600_000,
    highCpuPercent: 0,
    metadataRequestsPerCpu: 16,
    defaultStrategy: 'consistent_spread',
    cpuCount: 1,
    events,
    random,
    ...shared,
    metrics,
  });
  lifetime.defer(() => running.stop({ deadlineMs: 5_000 }));
  const metric = (name: string) => metrics.read().find(({ row }) => row.name === name)?.series[0]?.value ?? 0;
  return { broker: `127.0.0.1:${running.kafkaPort}`, node, events, metric };
}

/** Emits events of the type at an even rate until stopped. */
function emitEvents({ emitter }: AgentEvents, type: EventTypeName): { stop(): void } {
  const startMs = systemClock.monotonicMs();
  let emitted = 0;
  let cancel = () => {};
  const go = () => {
    const due = ((systemClock.monotonicMs() - startMs) / 1000) * eventsPerSecond;
    for (; emitted < due; emitted++) emitter.emit(type, eventOf(emitted));
    cancel = systemClock.after(tickMs, go);
  };
  go();
  return { stop: () => cancel() };
}

/** An event of about 600 bytes when written. */
function eventOf(number: number) {
  return {
    pipeline_name: `pipeline-${number % 7}`,
    stage: number % 3 === 0 ? 'input' : 'output',
    log_level: number % 50 === 0 ? 'warn' : 'info',
    module: 'pipelines',
    message: `batch ${number} of ${number % 500} records was written after ${number % 91} ms`,
    records: number % 500,
    partition: number % 64,
  };
}
