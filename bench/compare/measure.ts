import { type Clock, MiB, systemClock } from '@weir/core';
import { type Broker, peakBytesOf } from '../kafka/broker.ts';
import { type ApacheLoad, type ClientSettings, recordBytes, type ToolName } from '../kafka/load.ts';
import { resetPeak, threadSecondsOf } from '../kafka/process-stats.ts';
import { counterIn } from '../kafka/prometheus.ts';
import { startGcWatch } from './inspector.ts';
import type { RunLight } from './light-client.ts';
import type { RunRecord, Values } from './metrics.ts';
import { residentMibOf, type Side } from './sides.ts';
import { groupSeconds } from './threads.ts';
import {
  type ConsumerSummary,
  type ProducerSummary,
  parseConsumerOutput,
  parseProducerOutput,
} from './tool-output.ts';

/** What runs have in common. */
export interface Bench {
  readonly load: ApacheLoad;
  /** Runs one of Apache's tools and returns its output. */
  runTool(name: ToolName, args: readonly string[]): Promise<string>;
  readonly runLight: RunLight;
  /** Waits until all servers are idle, as they have to be before a run; not for ever. */
  settle(): Promise<void>;
  /** Bytes of values that each server has taken since its start. */
  readonly writtenBytes: Map<Broker, number>;
  /** Produce requests of the light client that each server has answered since its start. */
  readonly lightRequests: Map<Broker, number>;
  /** Whether a run asks Weir for the time that it spends in the garbage collector, which slows it down. */
  readonly watchesGc?: boolean;
}

/** Counters of Weir. */
interface Counters {
  readonly files: number;
  readonly requests: number;
  readonly batches: number;
}

export async function countersOf(broker: Broker): Promise<Counters | undefined> {
  const text = await broker.metrics?.();
  if (text === undefined) return undefined;
  return {
    files: counterIn(text, 'service_agent_segment_batcher_flush_file_size_compressed_bytes_count'),
    requests: counterIn(text, 'service_agent_produce_outcome'),
    batches: counterIn(text, 'service_agent_segment_batcher_flush_num_batches'),
  };
}

interface Reading {
  readonly user: number;
  readonly system: number;
  readonly threads: ReadonlyMap<string, number>;
}

function read({ processes }: Broker): Reading | undefined {
  const threads = new Map<string, number>();
  let [user, system] = [0, 0];
  for (const { pid, results } of processes) {
    if (results === undefined) return undefined;
    user += results.userSeconds;
    system += results.systemSeconds;
    for (const [name, seconds] of threadSecondsOf(pid)) threads.set(name, (threads.get(name) ?? 0) + seconds);
  }
  return { user, system, threads };
}

/** A difference without the rounding errors of its terms, which have two decimals: no work is zero. */
function wholeTicks(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

/** Runs work of a known size and adds what the server used for it. */
export async function measuredRun(
  bench: Bench,
  { broker }: Side,
  work: () => Promise<{ readonly bytes: number; readonly values: Values }>,
  clock: Clock = systemClock,
): Promise<RunRecord> {
  for (const { pid } of broker.processes) resetPeak(pid);
  const gcWatches = bench.watchesGc ? await Promise.all(broker.processes.map(startGcWatch)) : [];
  const countersBefore = await countersOf(broker);
  const before = read(broker);
  const startMs = clock.monotonicMs();
  const { bytes, values } = await work();
  const seconds = (clock.monotonicMs() - startMs) / 1000;
  const after = read(broker);
  const gcPauses = await Promise.all(gcWatches.map((end) => end()));
  const counters = await countersOf(broker);
  const peakBytes = peakBytesOf(broker);
  const residentMib = residentMibOf(broker);
  await bench.settle();
  const idle = read(broker);
  const gb = bytes / 1e9;
  const memory: Values = {
    ...(residentMib === undefined ? {} : { residentMib }),
    ...(peakBytes === undefined ? {} : { peakMib: peakBytes / MiB }),
  };
  const counted: Values =
    counters === undefined || countersBefore === undefined || counters.requests === countersBefore.requests
      ? {}
      : {
          filesPerSecond: (counters.files - countersBefore.files) / seconds,
          requestsPerGb: (counters.requests - countersBefore.requests) / gb,
          batchesPerGb: (counters.batches - countersBefore.batches) / gb,
        };
  if (before === undefined || after === undefined || idle === undefined) {
    return { values: { ...values, ...counted, ...memory } };
  }
  const [user, system] = [after.user - before.user, after.system - before.system];
  const groups = groupSeconds(before.threads, after.threads, user + system);
  const gc = gcPauses.length > 0 ? gcPauses.reduce((sum, pause) => sum + pause, 0) : groups.get('GC');
  return {
    values: {
      ...values,
      cpuSecondsPerGb: (user + system) / gb,
      warmCpuSecondsPerGb: (user + system - (groups.get('compiler') ?? 0)) / gb,
      userSecondsPerGb: user / gb,
      systemSecondsPerGb: system / gb,
      ...(gc === undefined ? {} : { gcSecondsPerGb: gc / gb }),
      afterSecondsPerGb: wholeTicks(idle.user + idle.system - after.user - after.system) / gb,
      ...counted,
      ...memory,
    },
    threads: Object.fromEntries([...groups].map(([group, seconds]) => [group, seconds / gb])),
  };
}

interface ProduceRun {
  readonly topic: string;
  readonly records: number;
  readonly settings: ClientSettings;
  /** Records per second; unlimited if absent. */
  readonly rate?: number;
}

export async function runProducer(bench: Bench, { broker }: Side, run: ProduceRun): Promise<ProducerSummary> {
  const settings = Object.entries(run.settings).map(([name, value]) => `${name}=${value}`);
  const output = await bench.runTool('ProducerPerformance', [
    ...['--bootstrap-server', broker.servers, '--topic', run.topic],
    ...['--num-records', String(run.records), '--record-size', String(recordBytes)],
    ...['--throughput', String(run.rate ?? -1)],
    ...(settings.length === 0 ? [] : ['--command-property', ...settings]),
  ]);
  const summary = parseProducerOutput(output);
  const written = bench.writtenBytes.get(broker) ?? 0;
  bench.writtenBytes.set(broker, written + summary.records * recordBytes);
  // The tool counts only what was acknowledged, and goes on after errors.
  if (summary.records !== run.records) {
    throw new Error(`only ${summary.records} of ${run.records} records were acknowledged:\n${output}`);
  }
  return summary;
}

export async function runConsumer(
  bench: Bench,
  { broker }: Side,
  run: { readonly topic: string; readonly records: number; readonly group: string },
): Promise<ConsumerSummary> {
  const output = await bench.runTool('ConsumerPerformance', [
    ...['--bootstrap-server', broker.servers, '--topic', run.topic],
    ...['--num-records', String(run.records), '--group', run.group, '--timeout', '60000'],
  ]);
  const summary = parseConsumerOutput(output);
  if (summary.records < run.records) {
    throw new Error(`only ${summary.records} of ${run.records} records were read:\n${output}`);
  }
  return summary;
}
