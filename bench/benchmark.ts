import type { Effort } from './side-by-side.ts';

/** A pass condition for a result. */
export interface Bar {
  readonly text: string;
  isMet(result: number): boolean;
}

/** One line of the table. */
export interface Row {
  /** What was compared: `decode Produce, 1 MiB batch / CRC alone`. */
  readonly what: string;
  readonly result: number;
  readonly unit:
    | 'x'
    | 'bytes'
    | 'µs'
    | 'ms'
    | 's'
    | 'MiB'
    | '/s'
    | 'MB/s'
    | 'per GiB'
    | 'per interval'
    | '% of a core'
    | 's/GB'
    | '%';
  readonly bar?: Bar;
  readonly detail: string;
}

export interface Benchmark {
  readonly name: string;
  /** Takes up to a minute in its shortest form, so that the tests leave it out. */
  readonly isLong?: boolean;
  /** Its work is done by other processes, most of the time. */
  readonly startsServers?: boolean;
  /** Text for which a row is too narrow goes to `print`. */
  run(effort: Effort, print?: (text: string) => void): Promise<Row[]>;
}

/** Thrown by a benchmark that cannot run on this machine; the message says why. */
export class Skipped extends Error {}

export function atMost(limit: number): Bar {
  return { text: `at most ${limit}`, isMet: (result) => result <= limit };
}

export function atLeast(limit: number): Bar {
  return { text: `at least ${limit}`, isMet: (result) => result >= limit };
}

export function ms(value: number): string {
  return value < 1 ? `${(value * 1000).toFixed(1)} µs` : `${value.toFixed(2)} ms`;
}
