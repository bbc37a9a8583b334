import { parseArgs } from 'node:util';
import { type Clock, systemClock } from '@weir/core';
import type { Broker } from '../kafka/broker.ts';
import { cpuSecondsOf } from '../kafka/broker.ts';
import { recordBytes } from '../kafka/load.ts';
import { markdownTable } from '../kafka/table.ts';
import { fullSizes, quickSizes } from './compare-options.ts';
import { type Fit, fitCosts, predicted } from './least-squares.ts';
import { type Bench, countersOf } from './measure.ts';
import type { Side } from './sides.ts';
import { withWeir } from './weir-stage.ts';

/** A load. Together they vary files, requests, batches and bytes independently of each other. */
interface Shape {
  readonly producers: number;
  readonly partitions: number;
  readonly batchBytes: number;
  readonly lingerMs: number;
  readonly megabytesPerSecond: number;
}

const shape = (
  producers: number,
  partitions: number,
  batchBytes: number,
  lingerMs: number,
  megabytesPerSecond: number,
): Shape => ({ producers, partitions, batchBytes, lingerMs, megabytesPerSecond });

const shapes: readonly Shape[] = [
  shape(1, 1, 262_144, 5, 60),
  shape(1, 1, 16_384, 5, 10),
  shape(1, 16, 131_072, 10, 60),
  shape(1, 16, 131_072, 10, 20),
  shape(1, 64, 262_144, 20, 60),
  shape(1, 64, 16_384, 50, 30),
  shape(1, 64, 4096, 100, 10),
  shape(1, 256, 4096, 100, 20),
  // Several producers have more requests in one file.
  shape(8, 16, 65_536, 10, 60),
  shape(16, 16, 16_384, 5, 20),
  shape(32, 32, 16_384, 2, 20),
  shape(32, 32, 4096, 2, 10),
  shape(64, 64, 16_384, 5, 30),
];

/** Counts of one run, and the CPU that it took. */
export interface CostRun {
  readonly files: number;
  readonly requests: number;
  readonly batches: number;
  readonly bytes: number;
  readonly cpuSeconds: number;
}

/** Seconds of CPU for each. */
interface CostModel {
  readonly perFile: number;
  readonly perRequest: number;
  readonly perBatch: number;
  /** The payload: socket, CRC, copies, disk. */
  readonly perGb: number;
  /** Relative. */
  readonly residual: number;
  /** Smallest and largest cost when any one of the runs is left out, in the order of the costs above. */
  readonly ranges: readonly (readonly [min: number, max: number])[];
}

const factorsOf = ({ files, requests, batches, bytes }: CostRun) => [files, requests, batches, bytes / 1e9];

export function costModelOf(runs: readonly CostRun[]): CostModel {
  const fit = fitOf(runs);
  const others = runs.map((run) => fitOf(runs.filter((other) => other !== run)).coefficients);
  const ranges = fit.coefficients.map((_, column): [number, number] => {
    const costs = others.map((coefficients) => coefficients[column]!);
    return [Math.min(...costs), Math.max(...costs)];
  });
  const [perFile, perRequest, perBatch, perGb] = fit.coefficients;
  return {
    perFile: perFile!,
    perRequest: perRequest!,
    perBatch: perBatch!,
    perGb: perGb!,
    residual: fit.residual,
    ranges,
  };
}

function fitOf(runs: readonly CostRun[]): Fit {
  const cpuSeconds = runs.map((run) => run.cpuSeconds);
  return fitCosts(runs.map(factorsOf), cpuSeconds);
}

/** The numbers, and for each run how much of it they explain. */
export function costText(
  names: readonly string[],
  runs: readonly CostRun[],
  { perFile, perRequest, perBatch, perGb, residual, ranges }: CostModel,
): string {
  const coefficients = [perFile, perRequest, perBatch, perGb];
  const lines = runs.map((run, index) => {
    const parts = factorsOf(run).map((factor, column) => (factor * coefficients[column]!) / run.cpuSeconds);
    const error = predicted(coefficients, factorsOf(run)) / run.cpuSeconds - 1;
    return [
      names[index]!,
      `${run.files}`,
      `${run.requests}`,
      `${run.batches}`,
      `${(run.cpuSeconds / (run.bytes / 1e9)).toFixed(2)} s/GB`,
      ...parts.map((part) => `${(part * 100).toFixed(0)} %`),
      `${error >= 0 ? '+' : ''}${(error * 100).toFixed(0)} %`,
    ];
  });
  const head = [
    'load, producers to partitions',
    'files',
    'requests',
    'batches',
    'CPU',
    'by files',
    'by requests',
    'by batches',
    'by bytes',
    'error',
  ];
  const range = (column: number, scale: number, digits: number) =>
    ranges[column]!.map((cost) => (cost * scale).toFixed(digits)).join(' to ');
  return [
    'CPU for each, and the range when any one run is left out:',
    `  file            ${(perFile * 1e3).toFixed(3)} ms (${range(0, 1e3, 3)})`,
    `  produce request ${(perRequest * 1e6).toFixed(0)} µs (${range(1, 1e6, 0)})`,
    `  batch           ${(perBatch * 1e6).toFixed(0)} µs (${range(2, 1e6, 0)})`,
    `  GB of payload   ${perGb.toFixed(2)} s (${range(3, 1, 2)})`,
    `residual ${(residual * 100).toFixed(0)} %`,
    '',
    markdownTable(head, lines),
  ].join('\n');
}

const idleSeconds = 5;

/** `npm run bench -- --cost-model`: what a file, a request and a batch cost Weir. Returns an error message. */
export async function printCostModel(argv: readonly string[]): Promise<string | undefined> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'cost-model': { type: 'boolean' },
      side: { type: 'string', default: 'playground' },
      seconds: { type: 'string', default: '10' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { side: id } = values;
  if (id !== 'playground' && id !== 'local') return '--side takes playground or local';
  const seconds = Number(values.seconds);
  if (!(seconds >= 1 && seconds <= 600)) return '--seconds takes a number from 1 to 600';
  await withWeir(id, values.quick ? quickSizes : fullSizes, async ({ load, print }, bench, side) => {
    const idleCores = await coresOf(side.broker, idleSeconds * 1000);
    print(`idle, it uses ${(idleCores * 100).toFixed(1)} % of a core, which is left out below`);
    const runs: CostRun[] = [];
    for (const [index, { partitions }] of shapes.entries()) {
      const topic = `cost-${index}`;
      await load.createTopics(side.broker.servers, [topic], partitions);
      // Not counted: it opens the partitions.
      await runShape(bench, side, topic, shapes[index]!, 2, idleCores);
      await bench.settle();
      runs.push(await runShape(bench, side, topic, shapes[index]!, seconds, idleCores));
      await bench.settle();
      print(`  ${nameOf(shapes[index]!)}: ${JSON.stringify(runs.at(-1))}`);
      await load.deleteTopics(side.broker.servers, [topic]);
    }
    await side.broker.stop();
    process.stdout.write(`${costText(shapes.map(nameOf), runs, costModelOf(runs))}`);
  });
  return undefined;
}

function nameOf({ producers, partitions, batchBytes, lingerMs, megabytesPerSecond }: Shape): string {
  const clients = `${producers} to ${partitions}`;
  return `${megabytesPerSecond} MB/s, ${clients}, batch.size=${batchBytes}, linger.ms=${lingerMs}`;
}

async function runShape(
  bench: Bench,
  side: Side,
  topic: string,
  { producers, partitions, batchBytes, lingerMs, megabytesPerSecond }: Shape,
  seconds: number,
  idleCores: number,
  clock: Clock = systemClock,
): Promise<CostRun> {
  const rate = Math.round((megabytesPerSecond * 1e6) / recordBytes);
  const records = rate * seconds;
  const settings = { 'batch.size': batchBytes, 'linger.ms': lingerMs };
  const before = (await countersOf(side.broker))!;
  const cpuBefore = cpuSecondsOf(side.broker);
  const startMs = clock.monotonicMs();
  // Not ProducerPerformance, which has only one producer.
  await bench.load.produce(side.broker.servers, {
    topics: [topic],
    partitions,
    producers,
    records,
    settings,
    rate,
  });
  const cpuAfter = cpuSecondsOf(side.broker);
  const tookSeconds = (clock.monotonicMs() - startMs) / 1000;
  const after = (await countersOf(side.broker))!;
  if (cpuBefore === undefined || cpuAfter === undefined)
    throw new Error('there is no /proc to read CPU times from');
  return {
    files: after.files - before.files,
    requests: after.requests - before.requests,
    batches: after.batches - before.batches,
    bytes: records * recordBytes,
    cpuSeconds: Math.max(cpuAfter - cpuBefore - idleCores * tookSeconds, 0.01),
  };
}

async function coresOf(broker: Broker, ms: number, clock: Clock = systemClock): Promise<number> {
  const before = cpuSecondsOf(broker) ?? 0;
  const startMs = clock.monotonicMs();
  await new Promise<void>((resolve) => clock.after(ms, resolve));
  return ((cpuSecondsOf(broker) ?? 0) - before) / ((clock.monotonicMs() - startMs) / 1000);
}
