import type { Bar } from '../benchmark.ts';

/** What a figure has to be, and which of the two numbers it is about. */
export interface FigureBar extends Bar {
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
  /** Weir over Kafka: the median of the ratios of neighbouring runs. */
  readonly ratio?: number | undefined;
  readonly bar?: FigureBar;
}

/** Whether a figure meets its bar; `undefined` where there is none, or where what it is about was not measured. */
export function isMet({ weir, ratio, bar }: Figure): boolean | undefined {
  if (bar === undefined) return undefined;
  const judged = bar.of === 'weir' ? weir : ratio;
  return judged === undefined ? undefined : bar.isMet(judged);
}
