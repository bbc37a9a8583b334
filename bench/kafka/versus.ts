import { type Clock, MiB, systemClock } from '@weir/core';
import { median } from '../side-by-side.ts';
import type { BenchResult, ResultBar } from './bench-result.ts';
import type { BenchRun } from './bench-run.ts';
import { type Broker, cpuSecondsOf, peakBytesOf } from './broker.ts';
import { Lifetime } from './lifetime.ts';
import type { Work } from './load.ts';
import { startPlayground } from './weir.ts';

const outputCharsMax = 4000;

/** Numbers of one run, by name. */
export type Sample = Readonly<Record<string, number | undefined>>;

export interface ResultSpec {
  /** Key of the value in the samples. */
  readonly key: string;
  readonly metric: string;
  readonly unit: string;
  readonly bar?: ResultBar;
  /** How runs are aggregated: the median, or the largest for a peak. */
  readonly of?: 'median' | 'largest';
}

export interface Plan {
  readonly row: string;
  readonly results: readonly ResultSpec[];
  /** Runs once per side, before the first run. */
  prepare?(broker: Broker): Promise<void>;
  /** Takes one measurement; `turn` counts from 0. */
  run(contender: Contender, turn: number): Promise<Sample>;
}

/** One side. A restart replaces its broker. */
export interface Contender {
  broker: Broker;
}

/**
 * Starts both servers over empty folders and measures them in turns: A, B, B, A, A, B. A shared machine may slow down
 * at any moment, but it slows down both sides, so the ratio of neighbouring runs is more reliable than the absolute
 * numbers.
 */
export function versus(bench: BenchRun, { row, results, prepare, run }: Plan): Promise<BenchResult[]> {
  return Lifetime.during(async (lifetime) => {
    const contenders: Contender[] = [{ broker: await startPlayground(lifetime, bench.weirOptions) }];
    if (bench.startKafka !== undefined) contenders.push({ broker: await bench.startKafka(lifetime) });
    for (const { broker } of contenders) await blaming(broker, async () => prepare?.(broker));
    const samples = contenders.map((): Sample[] => []);
    for (let turn = 0; turn < bench.sizes.runs; turn++) {
      const order = contenders.map((_, index) => index);
      if (turn % 2 === 1) order.reverse();
      for (const index of order) {
        const contender = contenders[index]!;
        const sample = await blaming(contender.broker, () => run(contender, turn));
        samples[index]!.push(sample);
        bench.print(`  ${contender.broker.name}: ${describe(sample)}`);
      }
    }
    for (const { broker } of contenders) await broker.stop();
    return results.map((spec) => measuredResultOf(row, spec, samples[0]!, samples[1]));
  });
}

/** Adds the name and the last output of the server to an error. */
async function blaming<Result>(broker: Broker, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const output = broker.processes.map(({ text }) => text.slice(-outputCharsMax)).join('\n');
    throw new Error(`${broker.name}: ${(error as Error).message}; it said:\n${output}`, { cause: error });
  }
}

export function measuredResultOf(
  row: string,
  { key, metric, unit, bar, of = 'median' }: ResultSpec,
  weir: readonly Sample[],
  kafka?: readonly Sample[],
): BenchResult {
  const ratios = kafka?.flatMap((sample, turn) => {
    const [ours, theirs] = [weir[turn]?.[key], sample[key]];
    return ours === undefined || theirs === undefined ? [] : [ours / theirs];
  });
  return {
    row,
    metric,
    unit,
    weir: combined(weir, key, of),
    ...(kafka === undefined ? {} : { kafka: combined(kafka, key, of), ratio: medianOf(ratios!) }),
    ...(bar === undefined ? {} : { bar }),
  };
}

function combined(samples: readonly Sample[], key: string, of: 'median' | 'largest'): number | undefined {
  const values = samples.flatMap((sample) => sample[key] ?? []);
  if (values.length === 0) return undefined;
  return of === 'median' ? median(values) : Math.max(...values);
}

function medianOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : median(values);
}

/** Runs the work and adds the resources that the server used for it. */
export async function measured<Done extends Work>(
  contender: Contender,
  work: (servers: string) => Promise<Done>,
  clock: Clock = systemClock,
): Promise<{ readonly done: Done; readonly sample: Sample }> {
  const startSeconds = cpuSecondsOf(contender.broker);
  const startMs = clock.monotonicMs();
  const done = await work(contender.broker.servers);
  const endSeconds = cpuSecondsOf(contender.broker);
  const usedSeconds =
    startSeconds === undefined || endSeconds === undefined ? undefined : endSeconds - startSeconds;
  const peakBytes = peakBytesOf(contender.broker);
  return {
    done,
    sample: {
      mbPerSecond: done.bytes / 1e6 / done.seconds,
      cpuSecondsPerGb: usedSeconds === undefined ? undefined : usedSeconds / (done.bytes / 1e9),
      coresUsed:
        usedSeconds === undefined ? undefined : usedSeconds / ((clock.monotonicMs() - startMs) / 1000),
      peakMib: peakBytes === undefined ? undefined : peakBytes / MiB,
    },
  };
}

function describe(sample: Sample): string {
  return Object.entries(sample)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${value.toPrecision(4)}`]))
    .join(', ');
}
