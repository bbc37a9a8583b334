import type { OffsetValue } from './offset-pool.ts';

interface PendingOffset {
  readonly producerId: number;
  readonly groupId: string;
  readonly key: number;
  readonly value: OffsetValue;
}

/**
 * Pending offsets of open transactions, by producer. There are few and they are short-lived, so they are plain objects.
 * Several producers may have pending offsets for the same partition of a group.
 */
export class PendingOffsets {
  readonly #producers = new Map<number, Map<string, PendingOffset>>();
  /** Number of producers with a pending offset, per group and key. */
  readonly #waiting = new Map<string, Map<number, number>>();
  #count = 0;
  #textChars = 0;

  get count(): number {
    return this.#count;
  }

  get textChars(): number {
    return this.#textChars;
  }

  add(producerId: number, groupId: string, key: number, value: OffsetValue): void {
    let offsets = this.#producers.get(producerId);
    if (offsets === undefined) {
      offsets = new Map();
      this.#producers.set(producerId, offsets);
    }
    const place = placeOf(groupId, key);
    this.#remove(offsets, place);
    offsets.set(place, { producerId, groupId, key, value });
    const waiting = this.#waiting.get(groupId) ?? new Map<number, number>();
    this.#waiting.set(groupId, waiting);
    waiting.set(key, (waiting.get(key) ?? 0) + 1);
    this.#count++;
    this.#textChars += groupId.length + value.metadata.length;
  }

  /** Removes and returns the offsets of a producer. */
  take(producerId: number): PendingOffset[] {
    const offsets = this.#producers.get(producerId);
    if (offsets === undefined) return [];
    const taken = [...offsets.values()];
    for (const place of offsets.keys()) this.#remove(offsets, place);
    this.#producers.delete(producerId);
    return taken;
  }

  has(groupId: string, key: number): boolean {
    return this.#waiting.get(groupId)?.has(key) === true;
  }

  hasGroup(groupId: string): boolean {
    return this.#waiting.has(groupId);
  }

  dropGroup(groupId: string): void {
    if (this.hasGroup(groupId)) this.#dropIf((offset) => offset.groupId === groupId);
  }

  drop(isGone: (key: number) => boolean): void {
    this.#dropIf(({ key }) => isGone(key));
  }

  *all(): Generator<PendingOffset> {
    for (const offsets of this.#producers.values()) yield* offsets.values();
  }

  #dropIf(isGone: (offset: PendingOffset) => boolean): void {
    for (const [producerId, offsets] of this.#producers) {
      for (const [place, offset] of offsets) if (isGone(offset)) this.#remove(offsets, place);
      if (offsets.size === 0) this.#producers.delete(producerId);
    }
  }

  #remove(offsets: Map<string, PendingOffset>, place: string): void {
    const offset = offsets.get(place);
    if (offset === undefined) return;
    const { groupId, key, value } = offset;
    offsets.delete(place);
    this.#count--;
    this.#textChars -= groupId.length + value.metadata.length;
    const waiting = this.#waiting.get(groupId)!;
    const left = waiting.get(key)! - 1;
    if (left > 0) waiting.set(key, left);
    else waiting.delete(key);
    if (waiting.size === 0) this.#waiting.delete(groupId);
  }
}

/** The key is a number, so combinations of key and group id are unambiguous. */
function placeOf(groupId: string, key: number): string {
  return `${key} ${groupId}`;
}
