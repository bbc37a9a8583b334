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
  readonly unit: 'x' | 'bytes' | 'µs' | 'ms' | 's' | 'MiB' | '/s' | 'MB/s' | 'per GiB' | '% of a core';
  readonly bar?: Bar;
  readonly detail: string;
}

export interface Benchmark {
  readonly name: string;
  run(effort: Effort): Promise<Row[]>;
}

export function atMost(limit: number): Bar {
  return { text: `at most ${limit}`, isMet: (result) => result <= limit };
}

export function atLeast(limit: number): Bar {
  return { text: `at least ${limit}`, isMet: (result) => result >= limit };
}

export function ms(value: number): string {
  return value < 1 ? `${(value * 1000).toFixed(1)} µs` : `${value.toFixed(2)} ms`;
}
