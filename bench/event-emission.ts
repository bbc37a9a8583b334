import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Metrics, MiB, seededRandom, silentLog, systemClock } from '@weir/core';
import { startAgent } from '../packages/agent/src/agent.ts';
import { AgentEvents } from '../packages/agent/src/events/agent-events.ts';
import { openJournals } from '../packages/metadata/src/journal/index.ts';
import { ClusterNode } from '../packages/metadata/src/leader/index.ts';
import { ObjectNotFound, type ObjectStore } from '../packages/storage/src/index.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import type { LoadOrder } from './event-emission-load.ts';
import { recordBytes } from './kafka/load.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  readonly records: number;
  readonly rounds: number;
}

/** Many short rounds: what else happens on a machine comes and goes, and two that follow each other see the same of it. */
const full: Scale = { records: 100_000, rounds: 161 };
/** To see that it works. */
const tiny: Scale = { records: 2_000, rounds: 1 };

const eventsPerSecond = 10_000;
const tickMs = 5;
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
 * What ten thousand events a second cost those who produce: an agent whose thread is full with produce requests of another thread, with and without
 * events, in turns.
 */
export const eventEmission: Benchmark = {
  name: 'event-emission',
  async run(effort: Effort) {
    const { records, rounds } = effort.turns > 1 ? full : tiny;
    await using lifetime = new AsyncDisposableStack();
    const { broker, events, figure } = await startCluster(lifetime);
    const load = new Worker(new URL('./event-emission-load.ts', import.meta.url));
    lifetime.defer(async () => void (await load.terminate()));
    await createTopic(broker, 'input', 4);
    const work = {
      topics: ['input'],
      partitions: 4,
      producers: 4,
      records,
      recordsInBatch: 16,
      partitionsInRequest: 1,
    };
    const produce = async () => {
      load.postMessage({ servers: broker, work } satisfies LoadOrder);
      const [seconds] = (await once(load, 'message')) as [number];
      return (records * recordBytes) / 1e6 / seconds;
    };
    const rates = { plain: [] as number[], events: [] as number[] };
    let emitted = 0;
    let emittingMs = 0;
    for (let round = 0; round <= rounds; round++) {
      const kinds = ['plain', 'events'] as const;
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
        const startMs = systemClock.monotonicMs();
        const emitting = kind === 'events' ? emitEvents(events) : undefined;
        const rate = await produce();
        if (emitting !== undefined) {
          emitted += emitting.stop();
          emittingMs += systemClock.monotonicMs() - startMs;
        }
        if (round > 0) rates[kind].push(rate);
      }
    }
    const ratios = rates.events.map((rate, round) => rate / rates.plain[round]!);
    const lost =
      figure('events_processor_submit_error_count') + figure('events_processor_produce_error_count');
    return [
      {
        what: `produce beside ${eventsPerSecond} events a second / produce alone`,
        figure: Math.round(median(ratios) * 1000) / 1000,
        unit: 'x',
        bar: atLeast(0.97),
        detail: `${Math.round(median(rates.events))} MB/s, ${Math.round(median(rates.plain))} MB/s; ${Math.round((emitted / emittingMs) * 1000)} events/s, ${lost} lost`,
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
  const changes = [{ name: 'service.events.enabled', operation: 'set', value: 'true' }] as const;
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
    readsOn: false,
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

/** Emits at an even pace until it is stopped, and says how many it were. */
function emitEvents({ emitter }: AgentEvents): { stop(): number } {
  const startMs = systemClock.monotonicMs();
  let emitted = 0;
  let cancel = () => {};
  const go = () => {
    const due = ((systemClock.monotonicMs() - startMs) / 1000) * eventsPerSecond;
    for (; emitted < due; emitted++) emitter.emit('pipeline_logs', eventOf(emitted));
    cancel = systemClock.after(tickMs, go);
  };
  go();
  return {
    stop() {
      cancel();
      return emitted;
    },
  };
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
