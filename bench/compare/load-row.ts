import type { Lifetime } from '../kafka/lifetime.ts';
import type { RowName } from './bars.ts';
import type { Bench } from './measure.ts';
import type { RunRecord } from './metrics.ts';
import type { SideId, ThreadCount } from './side-names.ts';
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
  /** What the light client writes at full speed; of small requests a third. */
  readonly lightFullBytes: number;
  /** What the light client reads of a topic. */
  readonly fetchedBytes: number;
  /** Of each of the three loads of a row over an object store. */
  readonly storeSeconds: number;
  readonly storeBytes: number;
  readonly idleSeconds: number;
  /** A server that works longer than that after its load is left at it. */
  readonly settleSecondsMax: number;
  /** Whether Kafka is also measured with `flush.messages=1`. */
  readonly hasKafkaFlush: boolean;
  /** Whether tansu takes part in rows of servers in memory, if there is one. */
  readonly hasTansuInMemory: boolean;
  /** Whether another run of Weir shows how long its garbage collector ran. */
  readonly watchesGc: boolean;
}

/** With the run that watches the garbage collector. */
export function allRuns({ runs, watchesGc }: Sizes): number {
  return runs + (watchesGc ? 1 : 0);
}

/** What the command line chose that rows with servers of their own want to know. */
export interface Choices {
  /** The program tansu, if it takes part. */
  readonly tansu?: string | undefined;
  readonly threads: readonly ThreadCount[];
}

/** The servers that a row started for itself. */
export interface StartedSides {
  readonly sides: readonly Side[];
  /** Who does not take part and why, and what else a reader has to know. */
  readonly notes: readonly string[];
}

/** A row that loads servers which are up. */
export interface LoadRow {
  readonly name: RowName;
  readonly title: string;
  readonly sides: readonly SideId[];
  /** Whether tansu may take part. It keeps what was written in memory, so not in all rows. */
  readonly hasTansu?: true;
  readonly partitions: number;
  /** One run instead of several. */
  readonly isOnce?: true;
  /** Starts servers that are there for this row alone; absent where the row loads those that all rows share. */
  start?(lifetime: Lifetime, choices: Choices): Promise<StartedSides>;
  /** What is written at each side, where the rows before have written so much. */
  bytesPerSide(sizes: Sizes, earlierBytes: number): number;
  /** Runs at each side before the first run, until it has compiled what the row needs. */
  prepare(bench: Bench, side: Side, topic: string, sizes: Sizes): Promise<void>;
  run(bench: Bench, side: Side, topic: string, sizes: Sizes, turn: number): Promise<RunRecord>;
}
