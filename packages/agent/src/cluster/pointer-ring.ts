import type { Pointers } from '@weir/cluster';

/** The tail of a partition. */
interface Owner {
  dropOldest(): void;
}

const slotsMin = 1024;

/**
 * The recent pointers of all partitions as columns, in order of arrival. When there are as many as allowed, each new
 * one replaces the oldest. Columns of a large cluster take a third of the memory of lists per partition, and leave
 * nothing to the garbage collector.
 */
export class PointerRing {
  readonly #slotsMax: number;
  /** The tail of each pointer; `undefined` after the tail has dropped it. */
  readonly #owner: (Owner | undefined)[] = [];
  /** The slot that is taken next. */
  #next = 0;
  readonly fileId: string[] = [];
  byteStart = new Float64Array(slotsMin);
  byteLength = new Float64Array(slotsMin);
  baseOffset = new Float64Array(slotsMin);
  nextOffset = new Float64Array(slotsMin);

  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax;
  }

  /** Adds a pointer of a tail and returns its slot. A tail whose pointer it replaces drops it, which is its oldest. */
  add(owner: Owner, pointers: Pointers, row: number): number {
    const slot = this.#next;
    this.#next = (slot + 1) % this.#slotsMax;
    this.#owner[slot]?.dropOldest();
    if (slot >= this.byteStart.length) this.#grow();
    this.#owner[slot] = owner;
    this.fileId[slot] = pointers.fileId[row]!;
    this.byteStart[slot] = pointers.byteStart[row]!;
    this.byteLength[slot] = pointers.byteLength[row]!;
    this.baseOffset[slot] = pointers.baseOffset[row]!;
    this.nextOffset[slot] = pointers.nextOffset[row]!;
    return slot;
  }

  /** Frees a slot that its tail does not use any more. */
  release(slot: number): void {
    this.#owner[slot] = undefined;
  }

  /** The columns of these slots. */
  at(slots: readonly number[]): Pointers {
    return {
      fileId: slots.map((slot) => this.fileId[slot]!),
      byteStart: Float64Array.from(slots, (slot) => this.byteStart[slot]!),
      byteLength: Float64Array.from(slots, (slot) => this.byteLength[slot]!),
      baseOffset: Float64Array.from(slots, (slot) => this.baseOffset[slot]!),
      nextOffset: Float64Array.from(slots, (slot) => this.nextOffset[slot]!),
    };
  }

  #grow(): void {
    const length = Math.min(2 * this.byteStart.length, Math.max(this.#slotsMax, slotsMin));
    this.byteStart = longer(this.byteStart, length);
    this.byteLength = longer(this.byteLength, length);
    this.baseOffset = longer(this.baseOffset, length);
    this.nextOffset = longer(this.nextOffset, length);
  }
}

function longer(column: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(length);
  copy.set(column);
  return copy;
}
