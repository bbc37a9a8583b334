import type { BenchResult } from './bench-result.ts';
import type { Broker } from './broker.ts';
import type { Lifetime } from './lifetime.ts';
import type { Load } from './load.ts';
import type { WeirOptions } from './weir.ts';

/** Amount of work per measurement. */
export interface Sizes {
  /** Measurements per side, taken in turns. */
  readonly runs: number;
  /** Records of 1 KiB per measurement, where throughput is measured. */
  readonly records: number;
  /** Warm-up records before the first measurement, for the JIT compilers of both sides. */
  readonly warmUpRecords: number;
  /** Duration of a steady load, and of its warm-up. */
  readonly steadySeconds: number;
  readonly steadyWarmUpSeconds: number;
  /** Partitions in the row with many partitions. */
  readonly partitions: number;
}

/** Dependencies of every measurement. */
export interface BenchRun {
  readonly load: Load;
  readonly sizes: Sizes;
  readonly weirOptions: WeirOptions;
  /** Absent when only Weir is measured. */
  readonly startKafka: ((lifetime: Lifetime) => Promise<Broker>) | undefined;
  /** Reports progress to the user. */
  print(text: string): void;
}

/** One measurement, with one or more lines of the table. */
export interface BenchRow {
  /** Name on the command line. */
  readonly name: string;
  /** Whether `--quick` includes it. */
  readonly isQuick: boolean;
  run(bench: BenchRun): Promise<BenchResult[]>;
}
