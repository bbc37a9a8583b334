import type { Bar } from '../benchmark.ts';

/** A pass condition, and whether it applies to Weir's value or to the ratio. */
export interface ResultBar extends Bar {
  readonly of: 'weir' | 'ratio';
}

/** One line of the table. */
export interface Figure {
  /** Which measurement: `produce, 1 producer, 1 partition`. */
  readonly row: string;
  readonly figure: string;
  readonly unit: string;
  readonly weir: number | undefined;
  readonly kafka?: number | undefined;
  /** Weir divided by Kafka: the median of the ratios of neighbouring runs. */
  readonly ratio?: number | undefined;
  readonly bar?: ResultBar;
}

/** Returns whether a result meets its bar; `undefined` without a bar or without the measured value. */
export function isMet({ weir, ratio, bar }: Figure): boolean | undefined {
  if (bar === undefined) return undefined;
  const judged = bar.of === 'weir' ? weir : ratio;
  return judged === undefined ? undefined : bar.isMet(judged);
}
