import { Worker } from 'node:worker_threads';
import { Metrics, MiB, seededRandom, silentLog, systemClock } from '@weir/core';
import { startAgent } from '../packages/agent/src/agent.ts';
import { AgentEvents } from '../packages/agent/src/events/agent-events.ts';
import { listenerRows } from '../packages/agent/src/net/listener-metrics.ts';
import type { EventTypeName } from '../packages/events/src/emission.ts';
import { openJournals } from '../packages/journal/src/index.ts';
import { ClusterNode } from '../packages/metadata/src/leader/index.ts';
import { ObjectNotFound, type ObjectStore } from '../packages/storage/src/index.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import type { LoadOrder } from './event-emission-load.ts';
import { type Effort, median } from './side-by-side.ts';

/** How many pairs of stretches there are, one of each kind. */
const fullPairs = 1_000;
/** To see that it works. */
const tinyPairs = 2;
/**
 * Very short ones: a machine that is shared changes its pace from one tenth of a second to the next, by more than what is to be seen. What is written
 * later, by other threads, is then shared by both kinds; measured in stretches of seconds it did not stand out.
 */
const stretchMs = 40;

const eventsPerSecond = 10_000;
const tickMs = 5;
const wantedType = 'pipeline_logs';
const unwantedType = 'orbit_logs';
/** More than are written until it is over. */
const endless = 1e9;
const clusterId = 'vci_bench';

/** A bucket that forgets, so that its memory is not what is measured. Nobody reads. */
const forgetfulStore: ObjectStore = {
  async put() {},
  putIfAbsent: async () => true,
  getRange: (key) => Promise.reject(new ObjectNotFound(key)),
  head: async () => undefined,
  async delete() {},
  async *list() {},
  async close() {},
};

/**
 * What ten thousand events a second cost those who produce: an agent whose thread is full with produce requests of another thread, while parts of it
 * tell events that are wanted, and events of a type that is switched off, in turns. What is told is made in both cases.
 */
export const eventEmission: Benchmark = {
  name: 'event-emission',
  async run(effort: Effort) {
    const pairs = effort.turns > 1 ? fullPairs : tinyPairs;
    await using lifetime = new AsyncDisposableStack();
    const { broker, events, figure } = await startCluster(lifetime);
    const bytesIn = () => figure(listenerRows.bytesIn.name);
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
    /** Megabytes a second that come in while events of the type are told. */
    const rateBeside = async (type: EventTypeName) => {
      const startMs = systemClock.monotonicMs();
      const startBytes = bytesIn();
      const telling = tellEvents(events, type);
      await pass(stretchMs);
      telling.stop();
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
      figure('events_processor_submit_error_count') + figure('events_processor_produce_error_count');
    const emitted = figure('events_processor_submit_success_count');
    return [
      {
        what: `produce beside ${eventsPerSecond} events a second / beside as many that nobody wants`,
        figure: Math.round(median(ratios) * 1000) / 1000,
        unit: 'x',
        bar: atLeast(0.97),
        detail: `${Math.round(median(rates.wanted))} MB/s, ${Math.round(median(rates.unwanted))} MB/s; ${emitted} events, ${lost} lost`,
      },
    ];
  },
};

async function startCluster(lifetime: AsyncDisposableStack) {
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
  const figure = (name: string) => metrics.read().find(({ row }) => row.name === name)?.series[0]?.value ?? 0;
  return { broker: `127.0.0.1:${running.kafkaPort}`, events, figure };
}

/** Tells events of the type at an even pace until it is stopped. */
function tellEvents({ emitter }: AgentEvents, type: EventTypeName): { stop(): void } {
  const startMs = systemClock.monotonicMs();
  let told = 0;
  let cancel = () => {};
  const go = () => {
    const due = ((systemClock.monotonicMs() - startMs) / 1000) * eventsPerSecond;
    for (; told < due; told++) emitter.emit(type, eventOf(told));
    cancel = systemClock.after(tickMs, go);
  };
  go();
  return { stop: () => cancel() };
}

/** About 600 bytes as they are written. */
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
