import type { Bar } from '../benchmark.ts';

/** A pass condition, and whether it applies to Weir's value or to the ratio. */
export interface ResultBar extends Bar {
  readonly of: 'weir' | 'ratio';
}

/** One line of the table. */
export interface BenchResult {
  /** Which measurement: `produce, 1 producer, 1 partition`. */
  readonly row: string;
  readonly metric: string;
  readonly unit: string;
  readonly weir: number | undefined;
  readonly kafka?: number | undefined;
  /** Weir divided by Kafka: the median of the ratios of neighbouring runs. */
  readonly ratio?: number | undefined;
  readonly bar?: ResultBar;
}

/** Returns whether a result meets its bar; `undefined` without a bar or without the measured value. */
export function isMet({ weir, ratio, bar }: BenchResult): boolean | undefined {
  if (bar === undefined) return undefined;
  const value = bar.of === 'weir' ? weir : ratio;
  return value === undefined ? undefined : bar.isMet(value);
}
