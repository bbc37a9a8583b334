import type { Broker } from './broker.ts';
import type { Figure } from './figure.ts';
import type { Lifetime } from './lifetime.ts';
import type { Load } from './load.ts';
import type { WeirOptions } from './weir.ts';

/** How much is done per measurement. */
export interface Sizes {
  /** Measurements of each side, taken in turns. */
  readonly runs: number;
  /** Records of 1 KiB per measurement, where throughput is measured. */
  readonly records: number;
  /** Records before the first measurement, of which nothing counts: both sides compile what runs often. */
  readonly warmUpRecords: number;
  /** How long a steady load lasts, and how long before it counts. */
  readonly steadySeconds: number;
  readonly steadyWarmUpSeconds: number;
  /** Partitions of the cluster with many of them. */
  readonly partitions: number;
}

/** What every measurement has at hand. */
export interface BenchRun {
  readonly load: Load;
  readonly sizes: Sizes;
  readonly weirOptions: WeirOptions;
  /** Absent when Weir runs alone. */
  readonly startKafka: ((lifetime: Lifetime) => Promise<Broker>) | undefined;
  /** Tells the user how far it is. */
  say(text: string): void;
}

/** One measurement, which gives one or more lines of the table. */
export interface BenchRow {
  /** By which it is chosen on the command line. */
  readonly name: string;
  /** Whether `--quick` runs it too. */
  readonly isQuick: boolean;
  run(bench: BenchRun): Promise<Figure[]>;
}
