import type { DatabaseWork, Deployment, LeaderWork, Resource } from '@weir/api/capacity';
import { fitCosts } from '../compare/least-squares.ts';
import { markdownTable } from '../kafka/table.ts';
import { loadName } from './loads.ts';
import type { ClientRun, ScaleRuns } from './measure.ts';
import {
  type Costs,
  databaseCosts,
  leaderCosts,
  type Measured,
  outlookOf,
  predict,
  sizeAtShare,
} from './model.ts';
import type { Work } from './readings.ts';

/** Each agent also sends heartbeats; the follower that counts does not. */
const countingFollowers = 1;
const heartbeatsPerSecond = 0.5;

/** What the leader did for synthetic agents, who count what they receive. */
function leaderWorkOf({ files, batches, appends, seconds, counted }: Work): LeaderWork {
  const { pushes, pushedPointers, heartbeats, listedAgents } = counted;
  return { files, batches, appends, pushes, pushedPointers, heartbeats, listedAgents, seconds };
}

/** What the leader did for real agents: each follows as the counting follower does. */
function clientWorkOf({ agents, work }: ClientRun, listedPerPair: number): LeaderWork {
  const { files, batches, appends, seconds, counted } = work;
  const followers = agents + countingFollowers;
  return {
    files,
    batches,
    appends,
    pushes: counted.pushes * followers,
    pushedPointers: counted.pushedPointers * followers,
    heartbeats: agents * heartbeatsPerSecond * seconds,
    listedAgents: agents * agents * listedPerPair * seconds,
    seconds,
  };
}

function databaseWorkOf({ appends, journalBytes, seconds }: Work): DatabaseWork {
  return { appends, journalMb: journalBytes / 1e6, seconds };
}

/** CPU below this is not distinguishable from none: a clock tick is 10 ms. */
const cpuSecondsMin = 0.01;

/** Draws the model from the runs. `undefined` where they are too few. */
export function measuredOf({ clients, loads, agentPerPointer }: ScaleRuns): Measured | undefined {
  const fitted = loads.filter(({ load }) => !load.isCheck);
  // The head of a message counts least where it has most pointers.
  const wide = loads
    .map(({ work }) => work.counted)
    .filter(({ sampledPointers }) => sampledPointers > 0)
    .sort((a, b) => a.sampledBytes / a.sampledPointers - b.sampledBytes / b.sampledPointers)[0];
  const withAgents = loads.filter(({ load }) => load.agents > 1);
  if (fitted.length < 10 || wide === undefined || withAgents.length === 0 || agentPerPointer === undefined)
    return;
  const withFiles = fitted.filter(({ work }) => work.files > 0);
  const bytes = fitCosts(
    withFiles.map(({ work }) => [work.files, work.batches]),
    withFiles.map(({ work }) => work.journalBytes),
  );
  const steady = clients.filter(({ work }) => work.agents.length > 0);
  return {
    leader: leaderCosts(
      fitted.map(({ work }) => leaderWorkOf(work)),
      fitted.map(({ work }) => Math.max(work.leaderThread, cpuSecondsMin)),
    ),
    database: databaseCosts(
      fitted.map(({ work }) => databaseWorkOf(work)),
      fitted.map(({ work }) => Math.max(work.database, cpuSecondsMin)),
    ),
    agentPerGb: median(steady.map((run) => perGb(run, sum(run.work.agents)))),
    agentPerPointer,
    appendMs: median(withFiles.map(({ work }) => work.appendP50Ms)),
    journalBytesPerFile: bytes.coefficients[0]!,
    journalBytesPerBatch: bytes.coefficients[1]!,
    pushedBytesPerPointer: wide.sampledBytes / wide.sampledPointers,
    listedPerPair: median(
      withAgents.map(({ load, work }) => work.counted.listedAgents / work.seconds / load.agents ** 2),
    ),
  };
}

export function clientsTable(clients: readonly ClientRun[]): string {
  const head = [
    'clients load',
    'MB/s',
    'p50, p99 ms',
    'agents s/GB',
    'control plane s/GB',
    'database s/GB',
    'files/s',
    'batches/s',
    'pointers/s',
    'commits/s',
    'journal kB/s',
    'append p50, p99 ms',
  ];
  const lines = clients.map((run) => {
    const { work } = run;
    const rate = (count: number) => digits(count / work.seconds);
    return [
      run.name,
      digits(run.megabytes / work.seconds),
      `${digits(run.p50Ms)}, ${digits(run.p99Ms)}`,
      digits(perGb(run, sum(work.agents))),
      digits(perGb(run, work.controlPlane)),
      digits(perGb(run, work.database)),
      rate(work.files),
      rate(work.batches),
      rate(work.pointers),
      rate(work.appends),
      rate(work.journalBytes / 1000),
      `${digits(work.appendP50Ms)}, ${digits(work.appendP99Ms)}`,
    ];
  });
  return markdownTable(head, lines);
}

/** The costs with their ranges. */
export function costsTable({ leader, database }: Measured): string {
  const leaderNames: Record<keyof LeaderWork, string> = {
    files: 'a committed file',
    batches: 'a batch in it',
    appends: 'a group commit',
    pushes: 'a message of the change stream to one agent',
    pushedPointers: 'a pointer in it',
    heartbeats: 'a heartbeat',
    listedAgents: 'an agent listed to another',
    seconds: 'a second of nothing else',
  };
  const databaseNames: Record<keyof DatabaseWork, string> = {
    appends: 'a group commit',
    journalMb: 'a MB of journal',
    seconds: 'a second of nothing else',
  };
  return markdownTable(
    ['CPU of', 'for', 'µs', 'range when a load is left out'],
    [...costLines("leader's thread", leader, leaderNames), ...costLines('database', database, databaseNames)],
  );
}

function costLines<Kinds extends object>(
  who: string,
  { of, ranges, residual }: Costs<Kinds>,
  names: Readonly<Record<keyof Kinds, string>>,
): string[][] {
  const micros = (seconds: number) => digits(seconds * 1e6);
  const lines = (Object.keys(names) as (keyof Kinds)[]).map((kind) => [
    who,
    names[kind],
    micros(of[kind]),
    ranges[kind].map(micros).join(' to '),
  ]);
  return [...lines, [who, 'residual of the fit', `${digits(residual * 100)} %`, '']];
}

interface Check {
  readonly name: string;
  readonly isFitted: boolean;
  readonly leader: { readonly predicted: number; readonly measured: number };
  readonly database: { readonly predicted: number; readonly measured: number };
}

/** The model against every run: those of the fit, those held back, and those with real agents. */
export function checksOf({ clients, loads }: ScaleRuns, measured: Measured): Check[] {
  const check = (name: string, isFitted: boolean, work: Work, leaderWork: LeaderWork): Check => ({
    name,
    isFitted,
    leader: { predicted: predict(measured.leader, leaderWork), measured: work.leaderThread },
    database: {
      predicted: predict(measured.database, databaseWorkOf(work)),
      measured: work.database,
    },
  });
  return [
    ...loads.map(({ load, work }) => check(loadName(load), !load.isCheck, work, leaderWorkOf(work))),
    ...clients.map((run) => check(run.name, false, run.work, clientWorkOf(run, measured.listedPerPair))),
  ];
}

export function checksTable(checks: readonly Check[]): string {
  const error = ({ predicted, measured }: Check['leader']) =>
    `${predicted >= measured ? '+' : ''}${((predicted / measured - 1) * 100).toFixed(0)} %`;
  return markdownTable(
    ['load', 'in the fit', 'leader s', 'predicted', 'error', 'database s', 'predicted', 'error'],
    checks.map(({ name, isFitted, leader, database }) => [
      name,
      isFitted ? 'yes' : 'no',
      digits(leader.measured),
      digits(leader.predicted),
      error(leader),
      digits(database.measured),
      digits(database.predicted),
      error(database),
    ]),
  );
}

/** Clusters on paper: about 50 MB/s and 100 partitions per agent, windows as they are by default, batches of 32 KiB. */
const usual = { fileMs: 250, fileMb: 16, batchKb: 32 };
const deployments: readonly Deployment[] = [
  { ...usual, mbPerSecond: 100, agents: 3, partitions: 300 },
  { ...usual, mbPerSecond: 1_000, agents: 20, partitions: 2_000 },
  { ...usual, mbPerSecond: 1_000, agents: 20, partitions: 20_000 },
  { ...usual, mbPerSecond: 1_000, agents: 20, partitions: 2_000, batchKb: 4 },
  { ...usual, mbPerSecond: 1_000, agents: 20, partitions: 2_000, isSpread: true },
  { ...usual, mbPerSecond: 10_000, agents: 200, partitions: 20_000 },
  { ...usual, mbPerSecond: 10_000, agents: 200, partitions: 20_000, fileMs: 1_000, fileMb: 64 },
  { ...usual, mbPerSecond: 10_000, agents: 200, partitions: 200_000 },
];

export function outlookTable(measured: Measured): string {
  const resources: Resource[] = [
    'leader thread',
    'database core',
    'journal bytes',
    'change stream',
    'agent core',
  ];
  const head = [
    'cluster',
    'files/s',
    'batches/s',
    'pointers/s',
    'commits/s',
    'journal MB/s',
    'stream MB/s',
    'pointers GB/day',
    ...resources,
    'first',
  ];
  const lines = deployments.map((deployment) => {
    const outlook = outlookOf(deployment, measured);
    return [
      nameOf(deployment),
      ...[
        outlook.filesPerSecond,
        outlook.batchesPerSecond,
        outlook.pointersPerSecond,
        outlook.appendsPerSecond,
        outlook.journalMbPerSecond,
        outlook.pushedMbPerSecond,
        outlook.pointerGbPerDay,
      ].map(digits),
      ...resources.map((resource) => `${digits(outlook.shares[resource] * 100)} %`),
      outlook.first,
    ];
  });
  return markdownTable(head, lines);
}

const usableShare = 0.7;

/** Where the leader's thread is full for clusters that grow as the first ones do. */
export function leaderLimits(measured: Measured): string {
  const starts: readonly Deployment[] = [deployments[1]!, deployments[2]!, deployments[3]!];
  return markdownTable(
    ['grows with', `leader's thread at ${usableShare * 100} %`],
    starts.map((start) => {
      const { mbPerSecond, agents, partitions, batchKb } = sizeAtShare(
        start,
        measured,
        'leader thread',
        usableShare,
      );
      const perAgent = `${digits(start.mbPerSecond / start.agents)} MB/s and ${digits(start.partitions / start.agents)} partitions per agent, batches of ${batchKb} kB`;
      return [
        perAgent,
        `${digits(mbPerSecond)} MB/s, ${Math.round(agents)} agents, ${Math.round(partitions)} partitions`,
      ];
    }),
  );
}

function nameOf({ mbPerSecond, agents, partitions, isSpread, fileMs, batchKb }: Deployment): string {
  const spread = isSpread ? ' at every agent' : '';
  return `${mbPerSecond} MB/s, ${agents} agents, ${partitions} partitions${spread}, batches of ${batchKb} kB, window ${fileMs} ms`;
}

/** CPU seconds for a GB of what clients produced. */
export function perGb({ megabytes }: ClientRun, cpuSeconds: number): number {
  return cpuSeconds / (megabytes / 1000);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

function digits(value: number): string {
  if (value === 0) return '0';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}
