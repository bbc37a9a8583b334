import { type Fit, fitCosts, predicted } from '../compare/least-squares.ts';

/** Work of a leader. Every kind costs CPU of its thread. */
export interface LeaderWork {
  readonly files: number;
  readonly batches: number;
  /** Group commits: one append of all entries that are waiting. */
  readonly appends: number;
  /** Messages with changes, and pointers in them, over all followers. */
  readonly pushes: number;
  readonly pushedPointers: number;
  readonly heartbeats: number;
  /** Descriptions of agents in answers to heartbeats and in changes. */
  readonly listedAgents: number;
  readonly seconds: number;
}

/** Work of the database for one cluster. */
export interface DatabaseWork {
  readonly appends: number;
  readonly journalMb: number;
  readonly seconds: number;
}

const leaderKinds = [
  'files',
  'batches',
  'appends',
  'pushes',
  'pushedPointers',
  'heartbeats',
  'listedAgents',
  'seconds',
] as const satisfies (keyof LeaderWork)[];
const databaseKinds = ['appends', 'journalMb', 'seconds'] as const satisfies (keyof DatabaseWork)[];

/** CPU seconds for one of each kind. */
export interface Costs<Kinds extends object> {
  readonly of: Readonly<Record<keyof Kinds, number>>;
  /** Smallest and largest when any one of the runs is left out. */
  readonly ranges: Readonly<Record<keyof Kinds, readonly [min: number, max: number]>>;
  /** Root of the mean square of the relative errors. */
  readonly residual: number;
}

export function leaderCosts(work: readonly LeaderWork[], cpuSeconds: readonly number[]): Costs<LeaderWork> {
  return costsOf(leaderKinds, work, cpuSeconds);
}

export function databaseCosts(
  work: readonly DatabaseWork[],
  cpuSeconds: readonly number[],
): Costs<DatabaseWork> {
  return costsOf(databaseKinds, work, cpuSeconds);
}

/** CPU seconds that the costs predict. */
export function predict<Kinds extends object>({ of }: Costs<Kinds>, work: Kinds): number {
  const kinds = Object.keys(of) as (keyof Kinds)[];
  return predicted(
    kinds.map((kind) => of[kind]),
    kinds.map((kind) => work[kind] as number),
  );
}

function costsOf<Kinds extends object>(
  kinds: readonly (keyof Kinds & string)[],
  work: readonly Kinds[],
  cpuSeconds: readonly number[],
): Costs<Kinds> {
  const factors = work.map((run) => kinds.map((kind) => run[kind] as number));
  const fit = fitCosts(factors, cpuSeconds);
  const others: Fit[] = factors.map((_, left) =>
    fitCosts(
      factors.filter((_run, index) => index !== left),
      cpuSeconds.filter((_run, index) => index !== left),
    ),
  );
  const named = <Value>(of: (column: number) => Value) =>
    Object.fromEntries(kinds.map((kind, column) => [kind, of(column)])) as Record<keyof Kinds, Value>;
  return {
    of: named((column) => fit.coefficients[column]!),
    ranges: named((column): [number, number] => {
      const costs = others.map(({ coefficients }) => coefficients[column]!);
      return [Math.min(...costs), Math.max(...costs)];
    }),
    residual: fit.residual,
  };
}

/** A cluster on paper. */
export interface Deployment {
  readonly mbPerSecond: number;
  readonly agents: number;
  /** All of them are written, each at one agent. */
  readonly partitions: number;
  /** Every partition is written at all agents instead. */
  readonly isSpread?: boolean;
  /** An agent writes a file when its records are this old, or at this size. */
  readonly fileMs: number;
  readonly fileMb: number;
  readonly batchKb: number;
}

/** Measured once; the rest of the model is arithmetic. */
export interface Measured {
  readonly leader: Costs<LeaderWork>;
  readonly database: Costs<DatabaseWork>;
  /** CPU seconds of an agent for a GB that clients produce, files and commits included. */
  readonly agentPerGb: number;
  /** CPU seconds of an agent for a pointer that another agent committed. */
  readonly agentPerPointer: number;
  /** Of an append, median. */
  readonly appendMs: number;
  readonly journalBytesPerFile: number;
  readonly journalBytesPerBatch: number;
  readonly pushedBytesPerPointer: number;
  /** Descriptions sent per second and pair of agents: each gets the list of all. */
  readonly listedPerPair: number;
}

/** Rates per second of a cluster, and which share of each resource they take. */
interface Outlook {
  readonly filesPerSecond: number;
  readonly batchesPerSecond: number;
  readonly pointersPerSecond: number;
  readonly appendsPerSecond: number;
  readonly journalMbPerSecond: number;
  /** What the leader sends to all agents together. */
  readonly pushedMbPerSecond: number;
  /** Memory of the leader for the pointers of one day, as they were committed. */
  readonly pointerGbPerDay: number;
  /** Shares of one core, or of a limit; 1 is full. */
  readonly shares: Readonly<Record<Resource, number>>;
  readonly first: Resource;
}

export type Resource = 'leader thread' | 'database core' | 'journal bytes' | 'change stream' | 'agent core';

/** Largest append; the next one waits for it. */
const appendMb = 4 * 1.048_576;
/** Of a network of 10 Gbit/s, which a control plane hardly has for itself. */
const networkMbPerSecond = 1250;
const heartbeatsPerSecond = 0.5;
/** In files of some ten pointers (docs/adr/0012-the-cluster-machine.md). */
const pointerBytes = 37;
const daySeconds = 86_400;

export function outlookOf(deployment: Deployment, measured: Measured): Outlook {
  const { mbPerSecond, agents, partitions, isSpread = false, fileMs, fileMb, batchKb } = deployment;
  const partitionsPerAgent = isSpread ? partitions : partitions / agents;
  const filesPerSecond = agents * Math.max(1000 / fileMs, mbPerSecond / agents / fileMb);
  const batchesPerSecond = (mbPerSecond * 1000) / batchKb;
  const pointersPerFile = distinct(partitionsPerAgent, batchesPerSecond / filesPerSecond);
  const pointersPerSecond = filesPerSecond * pointersPerFile;
  // Alone, a file has an append of its own; those that arrive during an append share the next one.
  const appendsPerSecond = filesPerSecond / (1 + (filesPerSecond * measured.appendMs) / 1000);
  const journalMbPerSecond =
    (filesPerSecond * measured.journalBytesPerFile + batchesPerSecond * measured.journalBytesPerBatch) / 1e6;
  const pushedMbPerSecond = (pointersPerSecond * agents * measured.pushedBytesPerPointer) / 1e6;
  const shares: Record<Resource, number> = {
    'leader thread': predict(measured.leader, {
      files: filesPerSecond,
      batches: batchesPerSecond,
      appends: appendsPerSecond,
      pushes: appendsPerSecond * agents,
      pushedPointers: pointersPerSecond * agents,
      heartbeats: agents * heartbeatsPerSecond,
      listedAgents: agents * agents * measured.listedPerPair,
      seconds: 1,
    }),
    'database core': predict(measured.database, {
      appends: appendsPerSecond,
      journalMb: journalMbPerSecond,
      seconds: 1,
    }),
    'journal bytes': (journalMbPerSecond * measured.appendMs) / 1000 / appendMb,
    'change stream': pushedMbPerSecond / networkMbPerSecond,
    'agent core':
      (mbPerSecond / agents / 1000) * measured.agentPerGb + pointersPerSecond * measured.agentPerPointer,
  };
  const resources = Object.keys(shares) as Resource[];
  const first = resources.reduce((a, b) => (shares[b] > shares[a] ? b : a));
  return {
    filesPerSecond,
    batchesPerSecond,
    pointersPerSecond,
    appendsPerSecond,
    journalMbPerSecond,
    pushedMbPerSecond,
    pointerGbPerDay: (pointersPerSecond * daySeconds * pointerBytes) / 1e9,
    shares,
    first,
  };
}

/** How many of `count` things are hit when `draws` fall on them at random. */
function distinct(count: number, draws: number): number {
  return count <= 1 ? Math.min(count, draws) : count * (1 - (1 - 1 / count) ** draws);
}

/**
 * The size at which a resource takes this share, for clusters that grow with the same load and the same number of
 * partitions per agent.
 */
export function sizeAtShare(
  deployment: Deployment,
  measured: Measured,
  resource: Resource,
  share: number,
): Deployment {
  const scaled = (times: number): Deployment => ({
    ...deployment,
    mbPerSecond: deployment.mbPerSecond * times,
    agents: deployment.agents * times,
    partitions: deployment.partitions * times,
  });
  const shareAt = (times: number) => outlookOf(scaled(times), measured).shares[resource];
  let [low, high] = [1e-6, 1e6];
  for (let step = 0; step < 100; step++) {
    const middle = Math.sqrt(low * high);
    if (shareAt(middle) < share) low = middle;
    else high = middle;
  }
  return scaled(low);
}
