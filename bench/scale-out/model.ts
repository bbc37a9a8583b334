import {
  type DatabaseWork,
  type Deployment,
  type LeaderWork,
  type Outlook,
  outlookOf as outlookBy,
  type Resource,
  type UnitCosts,
} from '@weir/api/capacity';
import { type Fit, fitCosts, predicted } from '../compare/least-squares.ts';

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

/** Measured once; the rest of the model is arithmetic. */
export interface Measured extends Omit<UnitCosts, 'leader' | 'database'> {
  readonly leader: Costs<LeaderWork>;
  readonly database: Costs<DatabaseWork>;
}

export function outlookOf(deployment: Deployment, measured: Measured): Outlook {
  return outlookBy(deployment, { ...measured, leader: measured.leader.of, database: measured.database.of });
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
