import type { Random } from '@weir/core';
import { partitionOfKey } from '@weir/wire';

/** What a partitioner knows about a record. */
interface RecordToPlace {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly byteCount: number;
}

/** What it knows about the topic. */
interface TopicToPlace {
  readonly partitionCount: number;
  /** Records that wait for a partition. */
  backlog(partition: number): number;
}

/** Chooses the partition of a record. */
export interface Partitioner {
  /** A batch of the pipeline begins. */
  begin?(): void;
  partitionOf(record: RecordToPlace, topic: TopicToPlace): number;
}

/** By the key as Kafka's own clients do it; records without a key stay together for a batch. */
export function murmur2Partitioner(random: Random): Partitioner {
  const kept = new KeptPartitions(random);
  return {
    begin: () => kept.clear(),
    partitionOf: ({ topic, key }, { partitionCount }) =>
      key === null ? kept.partitionOf(topic, partitionCount) : partitionOfKey(key, partitionCount),
  };
}

/** By the key as the Go client Sarama does it. */
export function fnv1aPartitioner(random: Random): Partitioner {
  return {
    partitionOf: ({ key }, { partitionCount }) =>
      key === null ? anyOf(partitionCount, random) : Math.abs((fnv1a(key) | 0) % partitionCount),
  };
}

/** By the key as Kafka does it; records without a key anywhere. */
export function murmur2OrRandomPartitioner(random: Random): Partitioner {
  return {
    partitionOf: ({ key }, { partitionCount }) =>
      key === null ? anyOf(partitionCount, random) : partitionOfKey(key, partitionCount),
  };
}

export function randomPartitioner(random: Random): Partitioner {
  return { partitionOf: (_, { partitionCount }) => anyOf(partitionCount, random) };
}

export function roundRobinPartitioner(): Partitioner {
  const turns = new Map<string, number>();
  return {
    partitionOf({ topic }, { partitionCount }) {
      const turn = (turns.get(topic) ?? -1) + 1;
      if (turns.size >= topicsMax) turns.clear();
      turns.set(topic, turn);
      return turn % partitionCount;
    },
  };
}

/** The partition for which the fewest records wait, for a batch. */
export function leastBackupPartitioner(random: Random): Partitioner {
  const kept = new KeptPartitions(random);
  return {
    begin: () => kept.clear(),
    partitionOf: ({ topic }, { partitionCount, backlog }) => kept.partitionOf(topic, partitionCount, backlog),
  };
}

interface UniformOptions {
  readonly bytesMax: number;
  /** Prefers partitions for which few records wait. */
  readonly isAdaptive: boolean;
  /** Places records with a key by the key. */
  readonly hasKeys: boolean;
}

/** The same partition for so many bytes. */
export function uniformBytesPartitioner(
  random: Random,
  { bytesMax, isAdaptive, hasKeys }: UniformOptions,
): Partitioner {
  const kept = new KeptPartitions(random);
  const filled = new Map<string, number>();
  return {
    partitionOf({ topic, key, byteCount }, { partitionCount, backlog }) {
      if (hasKeys && key !== null) return partitionOfKey(key, partitionCount);
      const bytes = (filled.get(topic) ?? 0) + byteCount;
      const isFull = bytes > bytesMax;
      if (isFull) kept.forget(topic);
      if (filled.size >= topicsMax) filled.clear();
      filled.set(topic, isFull ? byteCount : bytes);
      return kept.partitionOf(topic, partitionCount, isAdaptive ? backlog : undefined);
    },
  };
}

/** Topics that a partitioner remembers something of. */
const topicsMax = 10_000;

/** Partitions that were chosen for topics for a while. */
class KeptPartitions {
  readonly #random: Random;
  readonly #kept = new Map<string, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  partitionOf(topic: string, partitionCount: number, backlog?: (partition: number) => number): number {
    const known = this.#kept.get(topic);
    if (known !== undefined && known < partitionCount) return known;
    let chosen = anyOf(partitionCount, this.#random);
    if (backlog !== undefined) {
      for (let step = 1, first = chosen; step < partitionCount; step++) {
        const other = (first + step) % partitionCount;
        if (backlog(other) < backlog(chosen)) chosen = other;
      }
    }
    if (this.#kept.size >= topicsMax) this.#kept.clear();
    this.#kept.set(topic, chosen);
    return chosen;
  }

  forget(topic: string): void {
    this.#kept.delete(topic);
  }

  clear(): void {
    this.#kept.clear();
  }
}

function anyOf(partitionCount: number, random: Random): number {
  return Math.floor(random.next() * partitionCount);
}

/** The 32-bit FNV-1a hash. */
export function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
