import type { Place } from '@weir/client';

/** A partition that a consumer reads. */
export interface HeldPartition extends Place {
  /** The offset of the next record to read; `undefined` until it is known. */
  position: number | undefined;
  /** The position that was last committed by this consumer. */
  committed: number | undefined;
}

/** The partitions of a consumer, with what it has read of them. */
export class HeldPartitions {
  #byKey = new Map<string, HeldPartition>();
  #turn = 0;

  get all(): readonly HeldPartition[] {
    return [...this.#byKey.values()];
  }

  /** Replaces the partitions. Those that stay keep their positions. */
  replace(places: readonly Place[]): void {
    const before = this.#byKey;
    this.#byKey = new Map(
      places.map(({ topic, partition }) => {
        const key = keyOf({ topic, partition });
        return [
          key,
          before.get(key) ?? { topic, partition, position: undefined, committed: undefined },
        ] as const;
      }),
    );
  }

  find(place: Place): HeldPartition | undefined {
    return this.#byKey.get(keyOf(place));
  }

  /** Whether this is still a partition of the consumer, and was all the time. */
  has(held: HeldPartition): boolean {
    return this.#byKey.get(keyOf(held)) === held;
  }

  /** Partitions whose positions are known, each time with another one first: the first has the best chances. */
  inTurn(): readonly HeldPartition[] {
    const known = this.all.filter(({ position }) => position !== undefined);
    if (known.length < 2) return known;
    const first = this.#turn++ % known.length;
    return [...known.slice(first), ...known.slice(0, first)];
  }

  /** Partitions of which more was read than committed. */
  uncommitted(): readonly (HeldPartition & { readonly position: number })[] {
    return this.all.filter(
      (held): held is HeldPartition & { position: number } =>
        held.position !== undefined && held.position !== held.committed,
    );
  }
}

function keyOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
