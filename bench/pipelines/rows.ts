import { createTopic, KafkaCluster, offsetRanges } from '@weir/client';
import { systemClock } from '@weir/core';
import { Message } from '../../packages/pipelines/src/component/message.ts';
import { OpenProcessors } from '../../packages/pipelines/testing/run-processors.ts';
import { copyConfiguration, fillInput, idleConfiguration, inputTopic } from '../pipeline-copy.ts';
import { benchDocument, benchMapping } from '../pipeline-mapping.ts';
import { median } from '../side-by-side.ts';
import type { Bento } from './bento.ts';
import { HostedPipelines } from './hosted.ts';

export interface PipelineScale {
  readonly runs: number;
  readonly mappedMessages: number;
  readonly recordsPerPartition: number;
  readonly idleInstances: number;
  readonly idleMs: number;
  /** Instances that have been idle for a while give back memory. */
  readonly settleMs: number;
}

/** A bar and what was measured; runs are in the order in which they were made. */
export interface PipelineRow {
  readonly name: 'mapping' | 'copy' | 'idle-cpu' | 'idle-memory';
  readonly what: string;
  readonly unit: string;
  readonly bar: { readonly atLeast: number } | { readonly atMost: number };
  readonly weir: readonly number[];
  /** Empty where there is none. */
  readonly bento: readonly number[];
  /** What the runtime alone does in turn with the runs: how fast the machine was then. */
  readonly runtime?: readonly number[];
}

const partitions = 6;
const pause = (ms: number) => new Promise<void>((resolve) => void systemClock.after(ms, resolve));

function cpuSecondsOf(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** From bytes to bytes, in this process, for each second of its CPU time; in turn with the parser of the runtime. */
export async function mappingRow(
  { runs, mappedMessages }: PipelineScale,
  bento?: Bento,
): Promise<PipelineRow> {
  const bytes = Buffer.from(benchDocument());
  const processors = await OpenProcessors.open(`- mapping: ${JSON.stringify(benchMapping)}`);
  const batchSize = 200;
  const mapped = async (messages: number) => {
    for (let left = messages; left > 0; left -= batchSize) {
      const batch = Array.from({ length: batchSize }, () => Message.of(Buffer.from(bytes)));
      for (const results of await processors.processBatch(batch))
        for (const { content } of results)
          if (content.length < bytes.length) throw new Error('content is missing');
    }
  };
  const parsedAndPrinted = (messages: number) => {
    for (let left = messages; left > 0; left--)
      if (Buffer.from(JSON.stringify(JSON.parse(Buffer.from(bytes).toString()))).length !== bytes.length)
        throw new Error('content is missing');
  };
  const measured = async (work: (messages: number) => Promise<void> | void) => {
    const before = process.cpuUsage();
    await work(mappedMessages);
    return mappedMessages / cpuSecondsOf(before);
  };
  await mapped(mappedMessages / 4);
  parsedAndPrinted(mappedMessages / 4);
  const weir: number[] = [];
  const runtime: number[] = [];
  for (let run = 0; run < runs; run++) {
    weir.push(await measured(mapped));
    runtime.push(await measured(parsedAndPrinted));
  }
  await processors.close();
  const found: number[] = [];
  if (bento !== undefined)
    for (let run = 0; run < runs; run++) found.push(await mappedByBento(bento, mappedMessages));
  return {
    name: 'mapping',
    what: 'mapping of 1 KiB of JSON, for each second of CPU time',
    unit: 'messages',
    bar: { atLeast: 150_000 },
    weir,
    bento: found,
    runtime,
  };
}

/** What a mapping adds to a pipeline whose messages are printed: to that without it. */
async function mappedByBento(bento: Bento, messages: number): Promise<number> {
  const secondsOf = async (processors: readonly unknown[]) => {
    const configuration = {
      input: { generate: { count: messages, interval: '', batch_size: 200, mapping: `root = ${text}` } },
      pipeline: { threads: 1, processors },
      output: { file: { path: '/dev/null', codec: 'lines' } },
    };
    return bento.secondsOf(JSON.stringify(configuration));
  };
  const text = JSON.stringify(benchDocument());
  const alone = await secondsOf([]);
  return messages / Math.max(0.01, (await secondsOf([{ mapping: benchMapping }])) - alone);
}

/** Rows for which a cluster is needed, which is another process. */
export async function clusterRows(
  scale: PipelineScale,
  broker: string,
  bento?: Bento,
): Promise<PipelineRow[]> {
  const [host = '', port] = broker.split(':');
  const cluster = new KafkaCluster({
    bootstrap: [{ host, port: Number(port) }],
    clientId: 'bench',
    timeoutMs: 30_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  try {
    await createTopic(cluster, { name: inputTopic, partitions, configs: [] });
    const idle = await idleRows(scale, broker);
    return [await copyRow(scale, cluster, broker, bento), ...idle];
  } finally {
    await cluster.close();
  }
}

interface Progress {
  readonly cpuSeconds: number;
}

async function copyRow(
  { runs, recordsPerPartition }: PipelineScale,
  cluster: KafkaCluster,
  broker: string,
  bento: Bento | undefined,
): Promise<PipelineRow> {
  const bytes = await fillInput(cluster, { partitions, recordsPerPartition });
  const total = partitions * recordsPerPartition;
  const weir: number[] = [];
  const found: number[] = [];
  for (let run = 0; run < runs; run++) {
    const measured = async (side: string, start: (yaml: string) => Progress) => {
      const topic = `output-${side}-${run}`;
      await createTopic(cluster, { name: topic, partitions, configs: [] });
      const running = start(copyConfiguration(broker, `copy-${side}-${run}`, topic));
      return (await megabytesPerSecond(cluster, topic, running, total, bytes)) ?? 0;
    };
    const hosted = new HostedPipelines();
    weir.push(
      await measured('weir', (yaml) => {
        hosted.start(yaml);
        return hosted;
      }),
    );
    await hosted.end();
    if (bento === undefined) continue;
    let ending = async () => {};
    found.push(
      await measured('bento', (yaml) => {
        const running = bento.start(yaml);
        ending = () => running.end();
        return running;
      }),
    );
    await ending();
  }
  return {
    name: 'copy',
    what: 'kafka → mapping → kafka, 1 KiB of JSON, for each second of CPU time',
    unit: 'MB',
    bar: { atLeast: 80 },
    weir,
    bento: found,
  };
}

/** From a third of the records on, when what starts has started, to their end. */
async function megabytesPerSecond(
  cluster: KafkaCluster,
  topic: string,
  running: Progress,
  total: number,
  bytes: number,
): Promise<number> {
  const written = async () => {
    const { answers } = await offsetRanges(cluster, topic, [...Array(partitions).keys()]);
    return [...answers.values()].reduce((sum, { latest }) => sum + Number(latest), 0);
  };
  let first: { readonly count: number; readonly cpuSeconds: number } | undefined;
  for (;;) {
    await pause(50);
    const count = await written();
    const { cpuSeconds } = running;
    if (first === undefined && count >= total / 3) first = { count, cpuSeconds };
    if (count < total) continue;
    if (first === undefined || cpuSeconds <= first.cpuSeconds) throw new Error('there were too few records');
    return (((count - first.count) / total) * bytes) / 1e6 / (cpuSeconds - first.cpuSeconds);
  }
}

/** What each instance adds to the process of an agent's pipelines, beyond the first. */
async function idleRows(scale: PipelineScale, broker: string): Promise<PipelineRow[]> {
  const { idleInstances, idleMs, settleMs } = scale;
  const hosted = new HostedPipelines();
  let instances = 0;
  const settled = async (count: number) => {
    for (; instances < count; instances++) {
      hosted.start(idleConfiguration(broker, `idle-${instances}`));
      await pause(500);
    }
    await pause(settleMs);
    const before = hosted.cpuSeconds;
    await pause(idleMs);
    return {
      percent: ((hosted.cpuSeconds - before) * 100_000) / idleMs,
      mebibytes: hosted.residentBytes / 1024 / 1024,
    };
  };
  const one = await settled(1);
  const all = await settled(idleInstances);
  await hosted.end();
  const more = idleInstances - 1;
  return [
    {
      name: 'idle-cpu',
      what: `an idle pipeline with Kafka on both sides, each of ${idleInstances}`,
      unit: '% of a core',
      bar: { atMost: 0.1 },
      weir: [all.percent / idleInstances],
      bento: [],
    },
    {
      name: 'idle-memory',
      what: `resident memory of an idle pipeline, each of ${more} more than one`,
      unit: 'MiB',
      bar: { atMost: 15 },
      weir: [(all.mebibytes - one.mebibytes) / more],
      bento: [],
    },
  ];
}

export function isMet({ bar, weir }: PipelineRow): boolean {
  const result = median(weir);
  return 'atLeast' in bar ? result >= bar.atLeast : result <= bar.atMost;
}
