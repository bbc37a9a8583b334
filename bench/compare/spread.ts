import { median } from '../side-by-side.ts';

/** Median and range over the runs of a row. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly runs: number;
}

/** Runs without the value do not count; `undefined` if no run has it. */
export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known), runs: known.length };
}

/**
 * Ratios of runs of the same turn, which are neighbours in time: a shared machine slows both down, so that the ratio
 * holds where the values do not. A turn in which one of the two is missing or zero does not count.
 */
export function ratioSpread(
  ours: readonly (number | undefined)[],
  theirs: readonly (number | undefined)[],
): Spread | undefined {
  return spreadOf(
    ours.map((our, turn) => {
      const their = theirs[turn];
      return our === undefined || their === undefined || their === 0 ? undefined : our / their;
    }),
  );
}
