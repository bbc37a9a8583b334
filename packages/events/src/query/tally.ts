import { coreLimits } from '@weir/core';
import type { Literal } from '../filter/tree.ts';
import type { Buckets } from './buckets.ts';
import { compareKeys } from './order.ts';
import type { Aggregation, Timeline, TimelineSeries } from './request.ts';

/**
 * The counts of a part of the log, in a form for other threads and for the cache. Buckets count from 1970, so that
 * parts of different windows can be merged.
 */
export interface TallyPart {
  readonly firstBucket: number;
  readonly groups: readonly TallyGroup[];
  /** Values beyond the limit on distinct values. */
  readonly rest?: TallyGroup | undefined;
}

interface TallyGroup {
  readonly key: Literal;
  /** The value of the second field, if there are two. */
  readonly thenKey?: Literal | undefined;
  readonly counts: Float64Array<ArrayBuffer>;
  /** Aggregates of the numbers, if there is a field. */
  readonly numbers?: NumberColumns | undefined;
}

interface NumberColumns {
  readonly sums: Float64Array<ArrayBuffer>;
  readonly mins: Float64Array<ArrayBuffer>;
  readonly maxs: Float64Array<ArrayBuffer>;
}

/** Counts by group and bucket. Groups are summed first and cut last, so that the rest is exact. */
export class TimelineTally {
  readonly #buckets: Buckets;
  readonly #hasNumbers: boolean;
  /** By the value of the first field, then by that of the second. */
  readonly #groups = new Map<Literal, Map<Literal | undefined, TallyGroup>>();
  #groupCount = 0;
  #rest: TallyGroup | undefined;

  constructor(buckets: Buckets, hasNumbers: boolean) {
    this.#buckets = buckets;
    this.#hasNumbers = hasNumbers;
  }

  /** Adds events of a group, in a bucket relative to the first. */
  addEvents(key: Literal, thenKey: Literal | undefined, bucket: number, count: number): void {
    const { counts } = this.#group(key, thenKey);
    counts[bucket]! += count;
  }

  addNumber(key: Literal, thenKey: Literal | undefined, bucket: number, value: number): void {
    addInto(this.#group(key, thenKey), bucket, 1, value, value, value);
  }

  merge(part: TallyPart): void {
    const shift = part.firstBucket - this.#buckets.firstBucket;
    for (const group of part.groups) mergeInto(this.#group(group.key, group.thenKey), group, shift);
    if (part.rest !== undefined) mergeInto(this.#restGroup(), part.rest, shift);
  }

  /** Returns the counts so far, trimmed to the non-empty buckets. */
  part(): TallyPart {
    const groups = this.#allGroups();
    const all = this.#rest === undefined ? groups : [...groups, this.#rest];
    let first = this.#buckets.bucketCount;
    let end = 0;
    for (const { counts } of all) {
      const from = counts.findIndex((count) => count > 0);
      if (from === -1) continue;
      first = Math.min(first, from);
      end = Math.max(end, counts.findLastIndex((count) => count > 0) + 1);
    }
    const cut = (group: TallyGroup): TallyGroup => cutGroup(group, first, end);
    return {
      firstBucket: this.#buckets.firstBucket + first,
      groups: groups.map(cut),
      rest: this.#rest === undefined ? undefined : cut(this.#rest),
    };
  }

  finish(aggregation: Aggregation, seriesMax: number): Timeline {
    const { bucketMs, firstBucket, bucketCount } = this.#buckets;
    const groups = this.#allGroups()
      .map((group) => ({ group, count: countOf(group) }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || compareGroups(one.group, other.group));
    const others = groups.slice(seriesMax).map(({ group }) => group);
    if (this.#rest !== undefined) others.push(this.#rest);
    const series: TimelineSeries[] = groups
      .slice(0, seriesMax)
      .map(({ group }) => ({ ...namesOf(group), ...valuesOf(group, aggregation) }));
    if (others.length > 0) {
      const sum = newGroup(null, undefined, bucketCount, this.#hasNumbers);
      for (const group of others) mergeInto(sum, group, 0);
      series.push(valuesOf(sum, aggregation));
    }
    return {
      bucketMs,
      startMs: firstBucket * bucketMs,
      bucketCount,
      series,
      isApproximate: this.#rest !== undefined,
    };
  }

  #group(key: Literal, thenKey: Literal | undefined): TallyGroup {
    const inner = this.#groups.get(key);
    const known = inner?.get(thenKey);
    if (known !== undefined) return known;
    if (this.#groupCount >= coreLimits.eventGroupsMax) return this.#restGroup();
    const group = newGroup(key, thenKey, this.#buckets.bucketCount, this.#hasNumbers);
    if (inner === undefined) this.#groups.set(key, new Map([[thenKey, group]]));
    else inner.set(thenKey, group);
    this.#groupCount++;
    return group;
  }

  #allGroups(): TallyGroup[] {
    return [...this.#groups.values()].flatMap((inner) => [...inner.values()]);
  }

  #restGroup(): TallyGroup {
    this.#rest ??= newGroup(null, undefined, this.#buckets.bucketCount, this.#hasNumbers);
    return this.#rest;
  }
}

/** Returns the approximate size of a part in bytes. */
export function partBytes({ groups, rest }: TallyPart): number {
  const all = rest === undefined ? groups : [...groups, rest];
  let bytes = 64;
  for (const { key, thenKey, counts, numbers } of all) {
    const columns = numbers === undefined ? 1 : 4;
    bytes += 200 + columns * counts.byteLength + keyBytes(key) + keyBytes(thenKey);
  }
  return bytes;
}

function keyBytes(key: Literal | undefined): number {
  return typeof key === 'string' ? 2 * key.length : 0;
}

/** A total order that does not depend on the order of counting. */
function compareGroups(one: TallyGroup, other: TallyGroup): number {
  return compareKeys(one.key, other.key) || compareKeys(one.thenKey ?? null, other.thenKey ?? null);
}

function namesOf({ key, thenKey }: TallyGroup): Pick<TimelineSeries, 'key' | 'thenKey'> {
  return thenKey === undefined ? { key } : { key, thenKey };
}

function newGroup(
  key: Literal,
  thenKey: Literal | undefined,
  bucketCount: number,
  hasNumbers: boolean,
): TallyGroup {
  const counts = new Float64Array(bucketCount);
  if (!hasNumbers) return { key, thenKey, counts };
  const numbers = {
    sums: new Float64Array(bucketCount),
    mins: new Float64Array(bucketCount).fill(Number.POSITIVE_INFINITY),
    maxs: new Float64Array(bucketCount).fill(Number.NEGATIVE_INFINITY),
  };
  return { key, thenKey, counts, numbers };
}

function addInto(
  { counts, numbers }: TallyGroup,
  bucket: number,
  count: number,
  sum: number,
  min: number,
  max: number,
): void {
  counts[bucket]! += count;
  if (numbers === undefined) return;
  numbers.sums[bucket]! += sum;
  if (min < numbers.mins[bucket]!) numbers.mins[bucket] = min;
  if (max > numbers.maxs[bucket]!) numbers.maxs[bucket] = max;
}

function mergeInto(target: TallyGroup, { counts, numbers }: TallyGroup, shift: number): void {
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const count = counts[bucket]!;
    if (count === 0) continue;
    if (numbers === undefined) target.counts[bucket + shift]! += count;
    else
      addInto(
        target,
        bucket + shift,
        count,
        numbers.sums[bucket]!,
        numbers.mins[bucket]!,
        numbers.maxs[bucket]!,
      );
  }
}

function cutGroup({ key, thenKey, counts, numbers }: TallyGroup, from: number, to: number): TallyGroup {
  if (numbers === undefined) return { key, thenKey, counts: counts.slice(from, to) };
  const { sums, mins, maxs } = numbers;
  return {
    key,
    thenKey,
    counts: counts.slice(from, to),
    numbers: { sums: sums.slice(from, to), mins: mins.slice(from, to), maxs: maxs.slice(from, to) },
  };
}

function countOf({ counts }: TallyGroup): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The values of a group in an answer: by bucket, and over all of them. */
function valuesOf(group: TallyGroup, aggregation: Aggregation): Omit<TimelineSeries, 'key' | 'thenKey'> {
  const { counts, numbers } = group;
  const whole = newGroup(null, undefined, 1, numbers !== undefined);
  counts.forEach((count, bucket) => {
    if (count === 0) return;
    const { sums, mins, maxs } = numbers ?? {};
    addInto(whole, 0, count, sums?.[bucket] ?? 0, mins?.[bucket] ?? 0, maxs?.[bucket] ?? 0);
  });
  return {
    count: countOf(group),
    // From all numbers: an average of the averages per bucket would be wrong.
    total: valueAt(whole, 0, aggregation),
    values: Array.from(group.counts, (_, bucket) => valueAt(group, bucket, aggregation)),
  };
}

function valueAt({ counts, numbers }: TallyGroup, bucket: number, aggregation: Aggregation): number | null {
  const count = counts[bucket]!;
  if (aggregation === 'count') return count;
  if (count === 0 || numbers === undefined) return null;
  switch (aggregation) {
    case 'sum':
      return numbers.sums[bucket]!;
    case 'avg':
      return numbers.sums[bucket]! / count;
    case 'min':
      return numbers.mins[bucket]!;
    case 'max':
      return numbers.maxs[bucket]!;
  }
}
