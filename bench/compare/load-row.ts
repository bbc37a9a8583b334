import type { RowName } from './bars.ts';
import type { Bench } from './measure.ts';
import type { RunRecord } from './metrics.ts';
import type { SideId } from './side-names.ts';
import type { Side } from './sides.ts';

/** Amounts of work. */
export interface Sizes {
  readonly runs: number;
  /**
   * Each server takes so many bytes before the first row. Time would not do: on a busy machine the compiler of Kafka's
   * JVM was still at work after 38 s and 0.4 GB, and took half of its CPU in the row that followed.
   */
  readonly warmUpBytes: number;
  /** A server that still compiles goes on until then. */
  readonly warmUpBytesMax: number;
  /** A server that takes longer is too slow to be measured. */
  readonly warmUpSecondsMax: number;
  /** Not measured, before the first run of a row, at each side. */
  readonly rowWarmUpRecords: number;
  /** So often at most, while the server still compiles what the row needs. */
  readonly rowWarmUpsMax: number;
  /** Of the steady rate, for each of its two clients. */
  readonly steadySeconds: number;
  readonly fullRecords: number;
  readonly defaultsRecords: number;
  readonly idleSeconds: number;
  /** Whether another run of Weir shows how long its garbage collector ran. */
  readonly watchesGc: boolean;
}

/** A row that loads servers which are up. */
export interface LoadRow {
  readonly name: RowName;
  readonly title: string;
  readonly isQuick: boolean;
  readonly sides: readonly SideId[];
  /** Whether tansu takes part, if there is one. It keeps what was written in memory, so not in all rows. */
  readonly hasTansu?: true;
  readonly partitions: number;
  /** One run instead of several. */
  readonly isOnce?: true;
  /** What is written at each side, where the rows before have written so much. */
  bytesPerSide(sizes: Sizes, earlierBytes: number): number;
  /** Runs at each side before the first run, until it has compiled what the row needs. */
  prepare(bench: Bench, side: Side, topic: string, sizes: Sizes): Promise<void>;
  run(bench: Bench, side: Side, topic: string, sizes: Sizes, turn: number): Promise<RunRecord>;
}
