import { createTopic, KafkaCluster, produceRecords } from '@weir/client';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import {
  catalogue,
  noMetrics,
  type PipelineServices,
  readConfiguration,
  Stream,
  unlimitedAccess,
} from '@weir/pipelines';
import { atLeast, atMost, type Benchmark, type Row } from './benchmark.ts';
import { withGroupCluster } from './groups/cluster.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  readonly partitions: number;
  readonly recordsPerPartition: number;
  readonly rounds: number;
  readonly idleMs: number;
}

const full: Scale = { partitions: 6, recordsPerPartition: 30_000, rounds: 2, idleMs: 10_000 };
/** Smoke test. */
const tiny: Scale = { partitions: 2, recordsPerPartition: 500, rounds: 1, idleMs: 200 };

const recordsInBatch = 500;
export const inputTopic = 'pipeline-input';

/** About 1 KiB of JSON. */
const document = (id: number) =>
  Buffer.from(
    JSON.stringify({
      id,
      customer: `customer-${id % 1000}`,
      amount: (id % 9973) / 7,
      items: Array.from({ length: 8 }, (_, at) => ({
        sku: `sku-${id}-${at}`,
        count: at,
        note: 'n'.repeat(70),
      })),
    }),
  );

/**
 * A pipeline from a topic through a mapping to a topic: what one core of this process carries. The cluster is in
 * another process, so that the CPU time of this one is that of the pipeline.
 */
export const pipelineCopy: Benchmark = {
  name: 'pipeline-copy',
  startsServers: true,
  async run(effort: Effort) {
    const scale = effort.turns > 1 ? full : tiny;
    return withGroupCluster(effort, 1, async ({ addresses }) => {
      const broker = addresses[0]!;
      const [host = '', port] = broker.split(':');
      const stop = new AbortController();
      const cluster = new KafkaCluster({
        bootstrap: [{ host, port: Number(port) }],
        clientId: 'bench',
        timeoutMs: 30_000,
        clock: systemClock,
        stop: stop.signal,
      });
      try {
        await createTopic(cluster, { name: inputTopic, partitions: scale.partitions, configs: [] });
        const idling = await idle(broker, scale);
        return [...(await copies(cluster, broker, scale)), ...idling];
      } finally {
        await cluster.close();
      }
    });
  },
};

/** Writes documents to all partitions of the input. Returns their bytes. */
export async function fillInput(
  cluster: KafkaCluster,
  { partitions, recordsPerPartition }: Pick<Scale, 'partitions' | 'recordsPerPartition'>,
): Promise<number> {
  let bytes = 0;
  for (let from = 0; from < recordsPerPartition; from += recordsInBatch) {
    const records = new Map(
      Array.from({ length: partitions }, (_, partition) => [
        partition,
        Array.from({ length: Math.min(recordsInBatch, recordsPerPartition - from) }, (_unused, at) => {
          const value = document(from + at);
          bytes += value.length;
          return { key: null, value };
        }),
      ]),
    );
    await produceRecords(cluster, inputTopic, records, { acks: 'all', codec: 'lz4' });
  }
  return bytes;
}

async function copies(cluster: KafkaCluster, broker: string, scale: Scale): Promise<Row[]> {
  const { partitions, recordsPerPartition, rounds } = scale;
  const bytes = await fillInput(cluster, scale);
  const perCore: number[] = [];
  const perSecond: number[] = [];
  // The first round warms up the JIT.
  for (let round = 0; round <= rounds; round++) {
    await createTopic(cluster, { name: `pipeline-output-${round}`, partitions, configs: [] });
    const { seconds, cpuSeconds } = await copy(broker, round, partitions * recordsPerPartition);
    if (round === 0) continue;
    perCore.push(bytes / 1e6 / cpuSeconds);
    perSecond.push(bytes / 1e6 / seconds);
  }
  const rate = median(perCore);
  return [
    {
      what: 'kafka → mapping → kafka, 1 KiB of JSON, per core',
      result: Math.round(rate),
      unit: 'MB/s',
      bar: atLeast(80),
      detail: `${Math.round(median(perSecond))} MB/s beside the cluster, ${Math.round(
        ((rate * 1e6) / bytes) * partitions * recordsPerPartition,
      )} messages/s per core`,
    },
  ];
}

/** From a topic through a mapping to a topic; Bento reads it too. */
export function copyConfiguration(broker: string, group: string, outputTopic: string): string {
  return `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: [${inputTopic}]
    consumer_group: ${group}
    checkpoint_limit: 1024
    batching: { count: 500, period: 50ms }
pipeline:
  processors:
    - mapping: |
        root = this
        root.total = this.amount * 2
        root.from = @kafka_topic
output:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topic: ${outputTopic}
    compression: lz4
`;
}

async function copy(broker: string, round: number, count: number) {
  const stop = new AbortController();
  let sent = 0;
  const yaml = copyConfiguration(broker, `pipeline-copy-${round}`, `pipeline-output-${round}`);
  const began = systemClock.monotonicMs();
  const before = process.cpuUsage();
  await run(yaml, stop.signal, (messages) => {
    sent += messages;
    if (sent >= count) stop.abort();
  });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (systemClock.monotonicMs() - began) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/** From the end of a topic to a topic: it has nothing to do. */
export function idleConfiguration(broker: string, group: string): string {
  return `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: [${inputTopic}]
    consumer_group: ${group}
    start_from_oldest: false
output:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topic: pipeline-nothing
`;
}

async function idle(broker: string, { idleMs }: Scale): Promise<Row[]> {
  const stop = new AbortController();
  const yaml = idleConfiguration(broker, 'pipeline-idle');
  const running = run(yaml, stop.signal, () => {});
  const pause = (ms: number) => new Promise<void>((resolve) => void systemClock.after(ms, resolve));
  await pause(Math.min(idleMs, 4_000));
  const before = process.cpuUsage();
  await pause(idleMs);
  const { user, system } = process.cpuUsage(before);
  stop.abort();
  await running;
  const share = (user + system) / 1000 / idleMs;
  return [
    {
      what: 'idle pipeline with Kafka on both sides',
      result: Math.round(share * 10_000) / 100,
      unit: '% of a core',
      bar: atMost(0.1),
      detail: `over ${idleMs / 1000} s`,
    },
  ];
}

async function run(yaml: string, stop: AbortSignal, onSent: (messages: number) => void): Promise<void> {
  const { config, problems } = readConfiguration(yaml, { catalogue, isLocal: true });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  const services: PipelineServices = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: { ...noMetrics, sent: (messages) => onSent(messages) },
    mappingPorts: { clock: systemClock, random: systemRandom, counters: new Map() },
    outbound: unlimitedAccess,
  };
  await new Stream(config, services, catalogue).run(stop);
}
