/**
 * Finds the slot of a file by its id: open addressing with linear probing over slots, about 7 bytes per file. The ids
 * themselves are in the file table. There are many small tables instead of one, because a table is rebuilt when it
 * grows, and rebuilding one of ten million files would take a second.
 */
const tableCount = 256;
const smallestTable = 16;

export const noSlot = -1;

interface Table {
  /** Slots plus one; 0 is free. Its length is a power of two. */
  slots: Uint32Array;
  count: number;
}

export class FileIndex {
  readonly #tables: (Table | undefined)[] = new Array(tableCount).fill(undefined);
  readonly #hashOf: (slot: number) => number;

  /** `hashOf` returns the hash of the id in a slot. */
  constructor(hashOf: (slot: number) => number) {
    this.#hashOf = hashOf;
  }

  /** Returns the slot with this hash for which `isIt` holds; `noSlot` if there is none. */
  find(hash: number, isIt: (slot: number) => boolean): number {
    const table = this.#tables[hash >>> 24];
    if (table === undefined) return noSlot;
    const { slots } = table;
    const mask = slots.length - 1;
    for (let position = hash & mask; slots[position] !== 0; position = (position + 1) & mask) {
      const slot = slots[position]! - 1;
      if (isIt(slot)) return slot;
    }
    return noSlot;
  }

  /** Adds a slot whose id is not in the index. */
  add(slot: number): void {
    const hash = this.#hashOf(slot);
    let table = this.#tables[hash >>> 24];
    if (table === undefined) {
      table = { slots: new Uint32Array(smallestTable), count: 0 };
      this.#tables[hash >>> 24] = table;
    }
    if (4 * (table.count + 1) > 3 * table.slots.length) this.#grow(table);
    place(table.slots, hash, slot);
    table.count++;
  }

  remove(slot: number): void {
    const hash = this.#hashOf(slot);
    const table = this.#tables[hash >>> 24];
    if (table === undefined) return;
    const { slots } = table;
    const mask = slots.length - 1;
    let position = hash & mask;
    while (slots[position] !== slot + 1) {
      if (slots[position] === 0) return;
      position = (position + 1) & mask;
    }
    // Later slots move into the gap if it lies between the place of their hash and their own, so that searches find
    // them.
    let gap = position;
    for (let next = (gap + 1) & mask; slots[next] !== 0; next = (next + 1) & mask) {
      const wanted = this.#hashOf(slots[next]! - 1) & mask;
      if (((next - wanted) & mask) < ((next - gap) & mask)) continue;
      slots[gap] = slots[next]!;
      gap = next;
    }
    slots[gap] = 0;
    table.count--;
  }

  #grow(table: Table): void {
    const before = table.slots;
    table.slots = new Uint32Array(2 * before.length);
    for (const slotPlusOne of before) {
      if (slotPlusOne !== 0) place(table.slots, this.#hashOf(slotPlusOne - 1), slotPlusOne - 1);
    }
  }
}

function place(slots: Uint32Array, hash: number, slot: number): void {
  const mask = slots.length - 1;
  let position = hash & mask;
  while (slots[position] !== 0) position = (position + 1) & mask;
  slots[position] = slot + 1;
}

/** Ids are partly random, but not those of tests, and not in all of their bits. */
export function hashOfWords(words: Uint32Array, at: number): number {
  let hash =
    Math.imul(words[at]!, 0x27d4eb2f) ^
    Math.imul(words[at + 1]!, 0xc2b2ae35) ^
    Math.imul(words[at + 2]!, 0x85ebca6b) ^
    Math.imul(words[at + 3]!, 0x9e3779b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 13;
  return hash >>> 0;
}
