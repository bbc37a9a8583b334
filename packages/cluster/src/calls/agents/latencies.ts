/**
 * Latency histograms with steps that grow by a tenth, so that histograms of many agents can be summed and a percentile
 * over all of them is accurate to 5 %. On the wire: pairs of step and count, for non-empty steps only.
 */
const latencyStepCount = 128;

const growth = Math.log(1.1);

/** Returns the step of a latency. The last step, from three minutes on, is unbounded. */
export function latencyStepOf(latencyMs: number): number {
  if (!(latencyMs > 1)) return 0;
  return Math.min(latencyStepCount - 1, Math.ceil(Math.log(latencyMs) / growth));
}

/** Returns the latency that represents a step: its middle. */
export function latencyOfStep(step: number): number {
  return step === 0 ? 1 : Math.round(Math.exp((step - 0.5) * growth));
}

export type LatencyCounts = Float64Array;

export function noLatencies(): LatencyCounts {
  return new Float64Array(latencyStepCount);
}

export function packLatencies(counts: LatencyCounts): number[] {
  const pairs: number[] = [];
  for (let step = 0; step < counts.length; step++) if (counts[step]! > 0) pairs.push(step, counts[step]!);
  return pairs;
}

export function addLatencies(counts: LatencyCounts, pairs: readonly number[]): void {
  for (let at = 0; at + 1 < pairs.length; at += 2) counts[pairs[at]!]! += pairs[at + 1]!;
}

/** Returns the 99th percentile; `undefined` without any counts. */
export function latencyP99(counts: LatencyCounts): number | undefined {
  return latencyPercentile(counts, 0.99);
}

/** Returns the latency that this part of the counts, from 0 to 1, does not exceed; `undefined` without any counts. */
export function latencyPercentile(counts: LatencyCounts, part: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let step = 0;
  for (let below = counts[0]!; below < total * part; below += counts[step]!) step++;
  return latencyOfStep(step);
}

/** Returns whether a value from a peer has the format of `packLatencies`. */
export function isLatencies(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length <= 2 * latencyStepCount &&
    value.length % 2 === 0 &&
    value.every(
      (entry, at) => Number.isSafeInteger(entry) && entry >= 0 && (at % 2 === 1 || entry < latencyStepCount),
    )
  );
}
