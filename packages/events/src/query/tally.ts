import { caps } from '@weir/core';
import type { Literal } from '../filter/tree.ts';
import type { Buckets } from './buckets.ts';
import { compareKeys } from './order.ts';
import type { Aggregation, Timeline, TimelineSeries } from './request.ts';

/** What was counted of a part of the log, for another thread or another time. Buckets count from 1970, so that parts of different windows fit. */
export interface TallyPart {
  readonly firstBucket: number;
  readonly groups: readonly TallyGroup[];
  /** Values beyond those that can be told apart. */
  readonly rest?: TallyGroup | undefined;
}

export interface TallyGroup {
  readonly key: Literal;
  readonly counts: Float64Array<ArrayBuffer>;
  /** Of the numbers, where there is a field. */
  readonly numbers?: NumberColumns | undefined;
}

interface NumberColumns {
  readonly sums: Float64Array<ArrayBuffer>;
  readonly mins: Float64Array<ArrayBuffer>;
  readonly maxs: Float64Array<ArrayBuffer>;
}

/** Counts by group and bucket. Groups are summed first and cut last, so that the rest is right. */
export class TimelineTally {
  readonly #buckets: Buckets;
  readonly #hasNumbers: boolean;
  readonly #groups = new Map<Literal, TallyGroup>();
  #rest: TallyGroup | undefined;

  constructor(buckets: Buckets, hasNumbers: boolean) {
    this.#buckets = buckets;
    this.#hasNumbers = hasNumbers;
  }

  /** An event of a group, in a bucket that counts from the first. */
  addEvent(key: Literal, bucket: number): void {
    this.addEvents(key, bucket, 1);
  }

  addEvents(key: Literal, bucket: number, count: number): void {
    const { counts } = this.#group(key);
    counts[bucket]! += count;
  }

  addNumber(key: Literal, bucket: number, value: number): void {
    this.addNumbers(key, bucket, { count: 1, sum: value, min: value, max: value });
  }

  addNumbers(
    key: Literal,
    bucket: number,
    { count, sum, min, max }: { count: number; sum: number; min: number; max: number },
  ): void {
    addInto(this.#group(key), bucket, count, sum, min, max);
  }

  merge(part: TallyPart): void {
    const shift = part.firstBucket - this.#buckets.firstBucket;
    for (const group of part.groups) mergeInto(this.#group(group.key), group, shift);
    if (part.rest !== undefined) mergeInto(this.#restGroup(), part.rest, shift);
  }

  /** What there is so far, cut to the buckets that have something. */
  part(): TallyPart {
    const all = [...this.#groups.values(), ...(this.#rest === undefined ? [] : [this.#rest])];
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
      groups: [...this.#groups.values()].map(cut),
      rest: this.#rest === undefined ? undefined : cut(this.#rest),
    };
  }

  finish(aggregation: Aggregation, seriesMax: number): Timeline {
    const { bucketMs, firstBucket, bucketCount } = this.#buckets;
    const groups = [...this.#groups.values()]
      .map((group) => ({ group, count: totalOf(group) }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || compareKeys(one.group.key, other.group.key));
    const others = groups.slice(seriesMax).map(({ group }) => group);
    if (this.#rest !== undefined) others.push(this.#rest);
    const series: TimelineSeries[] = groups
      .slice(0, seriesMax)
      .map(({ group, count }) => ({ key: group.key, count, values: valuesOf(group, aggregation) }));
    if (others.length > 0) {
      const sum = newGroup(null, bucketCount, this.#hasNumbers);
      for (const group of others) mergeInto(sum, group, 0);
      series.push({ count: totalOf(sum), values: valuesOf(sum, aggregation) });
    }
    return {
      bucketMs,
      startMs: firstBucket * bucketMs,
      bucketCount,
      series,
      isApproximate: this.#rest !== undefined,
    };
  }

  #group(key: Literal): TallyGroup {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    if (this.#groups.size >= caps.eventGroupsMax) return this.#restGroup();
    const group = newGroup(key, this.#buckets.bucketCount, this.#hasNumbers);
    this.#groups.set(key, group);
    return group;
  }

  #restGroup(): TallyGroup {
    this.#rest ??= newGroup(null, this.#buckets.bucketCount, this.#hasNumbers);
    return this.#rest;
  }
}

/** The bytes of a part, about. */
export function partBytes({ groups, rest }: TallyPart): number {
  const all = rest === undefined ? groups : [...groups, rest];
  let bytes = 64;
  for (const { key, counts, numbers } of all) {
    const columns = numbers === undefined ? 1 : 4;
    bytes += 200 + columns * counts.byteLength + (typeof key === 'string' ? 2 * key.length : 0);
  }
  return bytes;
}

function newGroup(key: Literal, bucketCount: number, hasNumbers: boolean): TallyGroup {
  const counts = new Float64Array(bucketCount);
  if (!hasNumbers) return { key, counts };
  const numbers = {
    sums: new Float64Array(bucketCount),
    mins: new Float64Array(bucketCount).fill(Number.POSITIVE_INFINITY),
    maxs: new Float64Array(bucketCount).fill(Number.NEGATIVE_INFINITY),
  };
  return { key, counts, numbers };
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

function cutGroup({ key, counts, numbers }: TallyGroup, from: number, to: number): TallyGroup {
  if (numbers === undefined) return { key, counts: counts.slice(from, to) };
  const { sums, mins, maxs } = numbers;
  return {
    key,
    counts: counts.slice(from, to),
    numbers: { sums: sums.slice(from, to), mins: mins.slice(from, to), maxs: maxs.slice(from, to) },
  };
}

function totalOf({ counts }: TallyGroup): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function valuesOf(group: TallyGroup, aggregation: Aggregation): (number | null)[] {
  return Array.from(group.counts, (_, bucket) => valueAt(group, bucket, aggregation));
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
