import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { machine } from './kafka/machine.ts';
import { fullScale, measureScale, type ScaleRuns, type ScaleSizes } from './scale-out/measure.ts';
import {
  checksOf,
  checksTable,
  clientsTable,
  costsTable,
  leaderLimits,
  measuredOf,
  outlookTable,
  perGb,
  sum,
} from './scale-out/report.ts';
import type { Effort } from './side-by-side.ts';

/** Smoke test. */
const tiny: ScaleSizes = {
  ...fullScale,
  agentCounts: [1],
  processes: [],
  warmUpMb: 1,
  fullSpeedMb: 2,
  steadyMb: 2,
  hasBucketServer: false,
  hasFanOut: false,
  loads: fullScale.loads.slice(3, 4),
  settleMs: 100,
  durationMs: 300,
};

/**
 * Throughput and CPU per added agent process, over one control plane with PostgreSQL, and what each unit of work costs
 * leader and database: from it follows at which size of a cluster the first of them is full (docs/operate/scaling.md).
 */
export const scaleOut: Benchmark = {
  name: 'scale-out',
  startsServers: true,
  async run(effort: Effort, print = () => {}) {
    const runs = await Lifetime.during((lifetime) =>
      measureScale(lifetime, effort.turns > 1 ? fullScale : tiny, print),
    );
    return [...clientRows(runs), ...modelRows(runs, print)];
  },
};

function clientRows({ clients }: ScaleRuns): Row[] {
  const alone = clients[0]!.megabytes / clients[0]!.work.seconds;
  return clients.map((run) => {
    const { work, name, megabytes } = run;
    const speed = megabytes / work.seconds;
    return {
      what: name,
      result: round(speed),
      unit: 'MB/s',
      detail: `${round(speed / alone)} x one agent at full speed; CPU s/GB: agents ${round(perGb(run, sum(work.agents)))}, control plane ${round(perGb(run, work.controlPlane))}, database ${round(perGb(run, work.database))}`,
    };
  });
}

function modelRows(runs: ScaleRuns, print: (text: string) => void): Row[] {
  print(`\n${machine()}\n\n${clientsTable(runs.clients)}`);
  const measured = measuredOf(runs);
  if (measured === undefined) return [];
  const checks = checksOf(runs, measured);
  const { agentPerPointer, agentPerGb, appendMs } = measured;
  print(
    [
      costsTable(measured),
      `an agent: ${round(agentPerGb)} s for a GB, ${round(agentPerPointer * 1e6)} µs for a pointer of another agent`,
      `an append: ${round(appendMs)} ms; journal: ${Math.round(measured.journalBytesPerFile)} bytes for a file, ${round(measured.journalBytesPerBatch)} for a batch`,
      `the change stream: ${Math.round(measured.pushedBytesPerPointer)} bytes for a pointer; ${round(measured.listedPerPair)} descriptions per second and pair of agents\n`,
      checksTable(checks),
      outlookTable(measured),
      leaderLimits(measured),
    ].join('\n'),
  );
  const unseen = checks.filter(({ isFitted }) => !isFitted);
  const errorOf = (of: 'leader' | 'database') =>
    Math.max(...unseen.map((check) => Math.abs(check[of].predicted / check[of].measured - 1)));
  return [
    {
      what: "leader's CPU, largest error of a prediction for loads outside the fit",
      result: Math.round(100 * errorOf('leader')),
      unit: '%',
      bar: atMost(30),
      detail: `${unseen.length} loads; residual of the fit ${Math.round(100 * measured.leader.residual)} %`,
    },
    {
      what: "database's CPU, largest error of a prediction for loads outside the fit",
      result: Math.round(100 * errorOf('database')),
      unit: '%',
      detail: `${unseen.length} loads; residual of the fit ${Math.round(100 * measured.database.residual)} %`,
    },
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
