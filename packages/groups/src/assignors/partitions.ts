import type { PartitionsOfTopic } from '@weir/cluster';

/**
 * Partitions by topic id: numbers ascending and unique, and no topic without partitions. Immutable, so members and
 * targets can share them.
 */
export type TopicPartitions = ReadonlyMap<string, readonly number[]>;

export const noPartitions: TopicPartitions = new Map();

/** Normalises partitions that a peer sent: any order, duplicates allowed. */
export function partitionsFrom(topics: Iterable<PartitionsOfTopic>): TopicPartitions {
  const all = new Map<string, number[]>();
  for (const { topicId, partitions } of topics) {
    if (partitions.length === 0) continue;
    const known = all.get(topicId);
    if (known === undefined) all.set(topicId, [...partitions]);
    else for (const partition of partitions) known.push(partition);
  }
  for (const [topicId, partitions] of all) all.set(topicId, sortedOnce(partitions));
  return all;
}

export function partitionsAsList(partitions: TopicPartitions): PartitionsOfTopic[] {
  return Array.from(partitions, ([topicId, numbers]) => ({ topicId, partitions: numbers }));
}

export function countOf(partitions: TopicPartitions): number {
  let count = 0;
  for (const numbers of partitions.values()) count += numbers.length;
  return count;
}

export function isSame(a: TopicPartitions, b: TopicPartitions): boolean {
  return a === b || (a.size === b.size && countOf(a) === countOf(b) && isPartOf(a, b));
}

/** Returns whether `b` contains all partitions of `a`. */
export function isPartOf(a: TopicPartitions, b: TopicPartitions): boolean {
  for (const [topicId, numbers] of a) {
    const others = b.get(topicId);
    if (others === undefined) return false;
    if (numbers !== others && !numbers.every((number) => includes(others, number))) return false;
  }
  return true;
}

export function haveCommon(a: TopicPartitions, b: TopicPartitions): boolean {
  for (const [topicId, numbers] of a) {
    const others = b.get(topicId);
    if (others?.length && numbers.some((number) => includes(others, number))) return true;
  }
  return false;
}

export function without(a: TopicPartitions, b: TopicPartitions): TopicPartitions {
  return filtered(a, (topicId, number) => !has(b, topicId, number));
}

export function common(a: TopicPartitions, b: TopicPartitions): TopicPartitions {
  return filtered(a, (topicId, number) => has(b, topicId, number));
}

export function union(a: TopicPartitions, b: TopicPartitions): TopicPartitions {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  return partitionsFrom([...partitionsAsList(a), ...partitionsAsList(b)]);
}

/** Returns the same object when all partitions pass. */
export function filtered(
  partitions: TopicPartitions,
  passes: (topicId: string, partition: number) => boolean,
): TopicPartitions {
  const passed = new Map<string, readonly number[]>();
  let isWhole = true;
  for (const [topicId, numbers] of partitions) {
    const own = numbers.filter((number) => passes(topicId, number));
    if (own.length === numbers.length) passed.set(topicId, numbers);
    else {
      isWhole = false;
      if (own.length > 0) passed.set(topicId, own);
    }
  }
  return isWhole ? partitions : passed;
}

export function has(partitions: TopicPartitions, topicId: string, partition: number): boolean {
  const numbers = partitions.get(topicId);
  return numbers !== undefined && includes(numbers, partition);
}

function includes(ascending: readonly number[], number: number): boolean {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === number;
}

function sortedOnce(numbers: number[]): number[] {
  numbers.sort((a, b) => a - b);
  return numbers.filter((number, index) => number !== numbers[index - 1]);
}
