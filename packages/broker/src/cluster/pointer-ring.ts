import type { Pointers } from '@weir/cluster';

/** The tail of a partition. */
interface Owner {
  dropOldest(): void;
}

const slotsMin = 1024;

/**
 * The recent pointers of all partitions as columns, in order of arrival. When there are as many as allowed, each new
 * one replaces the oldest. The pointers of a partition are linked by their slots: columns of a large cluster take a
 * fifth of the memory of lists per partition, and nearly none of the heap.
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
  /** Links of the tail: to the next pointer, to the one before, and to one that is many before. */
  newer = new Int32Array(slotsMin);
  older = new Int32Array(slotsMin);
  muchOlder = new Int32Array(slotsMin);

  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax;
  }

  /** Gives the oldest slot to a tail. A tail that still has a pointer there drops it, which is its oldest. */
  take(owner: Owner): number {
    const slot = this.#next;
    this.#next = (slot + 1) % this.#slotsMax;
    this.#owner[slot]?.dropOldest();
    if (slot >= this.byteStart.length) this.#grow();
    this.#owner[slot] = owner;
    return slot;
  }

  put(slot: number, pointers: Pointers, row: number): void {
    this.fileId[slot] = pointers.fileId[row]!;
    this.byteStart[slot] = pointers.byteStart[row]!;
    this.byteLength[slot] = pointers.byteLength[row]!;
    this.baseOffset[slot] = pointers.baseOffset[row]!;
    this.nextOffset[slot] = pointers.nextOffset[row]!;
  }

  /** Frees a slot that its tail does not use any more. */
  release(slot: number): void {
    this.#owner[slot] = undefined;
  }

  belongsTo(slot: number, owner: Owner): boolean {
    return this.#owner[slot] === owner;
  }

  /** The columns of these slots. */
  at(slots: readonly number[]): Pointers {
    return {
      fileId: slots.map((slot) => this.fileId[slot]!),
      byteStart: picked(this.byteStart, slots),
      byteLength: picked(this.byteLength, slots),
      baseOffset: picked(this.baseOffset, slots),
      nextOffset: picked(this.nextOffset, slots),
    };
  }

  #grow(): void {
    const length = Math.min(2 * this.byteStart.length, Math.max(this.#slotsMax, slotsMin));
    this.byteStart = extended(this.byteStart, new Float64Array(length));
    this.byteLength = extended(this.byteLength, new Float64Array(length));
    this.baseOffset = extended(this.baseOffset, new Float64Array(length));
    this.nextOffset = extended(this.nextOffset, new Float64Array(length));
    this.newer = extended(this.newer, new Int32Array(length));
    this.older = extended(this.older, new Int32Array(length));
    this.muchOlder = extended(this.muchOlder, new Int32Array(length));
  }
}

function extended<Column extends Float64Array | Int32Array>(column: Column, longer: Column): Column {
  longer.set(column);
  return longer;
}

/** Every fetch picks pointers, and `Float64Array.from` is ten times as slow. */
function picked(column: Float64Array, slots: readonly number[]): Float64Array {
  const values = new Float64Array(slots.length);
  for (let row = 0; row < slots.length; row++) values[row] = column[slots[row]!]!;
  return values;
}
