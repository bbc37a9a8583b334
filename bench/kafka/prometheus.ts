/** Cumulative counts of a histogram without labels, by the upper bounds of its buckets. */
export type Buckets = ReadonlyMap<number, number>;

/** Reads one histogram from the text of `/metrics`. */
export function histogramIn(text: string, name: string): Buckets {
  const found = new Map<number, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}_bucket{`)) continue;
    const [, end, count] = /le="([^"]+)".*\} (\S+)$/.exec(line) ?? [];
    if (end === undefined) continue;
    found.set(end === '+Inf' ? Number.POSITIVE_INFINITY : Number(end), Number(count));
  }
  if (found.size === 0) throw new Error(`there is no histogram ${name}`);
  return found;
}

/** Returns the counts between two readings. */
export function since(before: Buckets, after: Buckets): Buckets {
  return new Map([...after].map(([end, count]) => [end, count - (before.get(end) ?? 0)]));
}

/**
 * Estimates a quantile by linear interpolation within a bucket. Also returns the bounds of the bucket, because the true
 * value lies between them.
 */
export function quantile(
  buckets: Buckets,
  share: number,
): { readonly guess: number; readonly atLeast: number; readonly atMost: number } | undefined {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const wanted = share * total;
  let [lowerEnd, lowerCount] = [0, 0];
  for (const [end, count] of sorted) {
    if (count >= wanted && count > lowerCount) {
      const part = (wanted - lowerCount) / (count - lowerCount);
      const guess = end === Number.POSITIVE_INFINITY ? end : lowerEnd + part * (end - lowerEnd);
      return { guess, atLeast: lowerEnd, atMost: end };
    }
    [lowerEnd, lowerCount] = [end, count];
  }
  return undefined;
}

/** Sums a counter over its series, or over those that contain the label as it is printed: `kafka_key="Produce"`. */
export function counterIn(text: string, name: string, label = ''): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, labels, value] = /^\w+(?:\{(.*)\})? (\S+)$/.exec(line.startsWith(name) ? line : '') ?? [];
    const rest = line.slice(name.length);
    if (value === undefined || !/^[{ ]/.test(rest) || !(labels ?? '').includes(label)) continue;
    sum += Number(value);
  }
  return sum;
}
