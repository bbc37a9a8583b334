import { parseArgs } from 'node:util';
import { type Clock, systemClock } from '@weir/core';
import type { Broker } from '../kafka/broker.ts';
import { cpuSecondsOf } from '../kafka/broker.ts';
import { recordBytes } from '../kafka/load.ts';
import { markdownTable } from '../kafka/table.ts';
import { fullSizes, quickSizes } from './compare-options.ts';
import { type Fit, fitCosts, predicted } from './least-squares.ts';
import { type Bench, countersOf, runProducer } from './measure.ts';
import { type Side, settle } from './sides.ts';
import { withWeir } from './weir-stage.ts';

/** A load. Together they vary files, requests, batches and bytes independently of each other. */
interface Shape {
  readonly partitions: number;
  readonly batchBytes: number;
  readonly lingerMs: number;
  readonly megabytesPerSecond: number;
}

const shape = (
  partitions: number,
  batchBytes: number,
  lingerMs: number,
  megabytesPerSecond: number,
): Shape => ({ partitions, batchBytes, lingerMs, megabytesPerSecond });

const shapes: readonly Shape[] = [
  shape(1, 262_144, 5, 60),
  shape(1, 16_384, 5, 10),
  shape(1, 65_536, 5, 30),
  shape(16, 131_072, 10, 60),
  shape(16, 131_072, 10, 20),
  shape(16, 16_384, 50, 20),
  shape(16, 16_384, 5, 10),
  shape(64, 262_144, 20, 60),
  shape(64, 16_384, 50, 30),
  shape(64, 4096, 100, 10),
  shape(256, 4096, 100, 20),
  shape(256, 16_384, 50, 20),
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
}

const factorsOf = ({ files, requests, batches, bytes }: CostRun) => [files, requests, batches, bytes / 1e9];

export function costModelOf(runs: readonly CostRun[]): CostModel {
  const fit: Fit = fitCosts(
    runs.map(factorsOf),
    runs.map(({ cpuSeconds }) => cpuSeconds),
  );
  const [perFile, perRequest, perBatch, perGb] = fit.coefficients;
  return {
    perFile: perFile!,
    perRequest: perRequest!,
    perBatch: perBatch!,
    perGb: perGb!,
    residual: fit.residual,
  };
}

/** The numbers, and for each run how much of it they explain. */
export function costText(
  names: readonly string[],
  runs: readonly CostRun[],
  { perFile, perRequest, perBatch, perGb, residual }: CostModel,
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
    'load',
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
  return [
    `a file ${(perFile * 1e3).toFixed(3)} ms, a produce request ${(perRequest * 1e6).toFixed(0)} µs, ` +
      `a batch ${(perBatch * 1e6).toFixed(0)} µs of CPU, and a GB of payload ${perGb.toFixed(2)} s; ` +
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
      await settle(bench.brokers);
      runs.push(await runShape(bench, side, topic, shapes[index]!, seconds, idleCores));
      await settle(bench.brokers);
      print(`  ${nameOf(shapes[index]!)}: ${JSON.stringify(runs.at(-1))}`);
      await load.deleteTopics(side.broker.servers, [topic]);
    }
    await side.broker.stop();
    process.stdout.write(`${costText(shapes.map(nameOf), runs, costModelOf(runs))}`);
  });
  return undefined;
}

function nameOf({ partitions, batchBytes, lingerMs, megabytesPerSecond }: Shape): string {
  return `${megabytesPerSecond} MB/s, ${partitions} partition(s), batch.size=${batchBytes}, linger.ms=${lingerMs}`;
}

async function runShape(
  bench: Bench,
  side: Side,
  topic: string,
  { batchBytes, lingerMs, megabytesPerSecond }: Shape,
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
  await runProducer(bench, side, { topic, records, settings, rate });
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
