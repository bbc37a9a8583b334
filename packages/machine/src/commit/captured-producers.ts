import type { ProducerState } from './producers.ts';

/**
 * The producers of one moment, from the one that was silent longest to the one that wrote last. They are read one after the
 * other while the machine goes on: one that is about to change before its turn leaves its state here.
 */
export class CapturedProducers {
  readonly #order: Uint32Array;
  /** By slot: whether it has had its turn, has left its state, or was not there. */
  readonly #isDone: Uint8Array;
  readonly #left = new Map<number, ProducerState>();
  readonly #stateOf: (slot: number) => ProducerState;

  constructor(order: Uint32Array, capacity: number, stateOf: (slot: number) => ProducerState) {
    this.#order = order;
    this.#isDone = new Uint8Array(capacity).fill(1);
    for (const slot of order) this.#isDone[slot] = 0;
    this.#stateOf = stateOf;
  }

  get count(): number {
    return this.#order.length;
  }

  /** The slot is about to change. Slots that came after the moment are no concern of ours. */
  beforeChange(slot: number): void {
    if (slot >= this.#isDone.length || this.#isDone[slot] === 1) return;
    this.#isDone[slot] = 1;
    this.#left.set(slot, this.#stateOf(slot));
  }

  *oldestFirst(): Generator<ProducerState> {
    for (const slot of this.#order) {
      const left = this.#left.get(slot);
      if (left !== undefined) this.#left.delete(slot);
      this.#isDone[slot] = 1;
      yield left ?? this.#stateOf(slot);
    }
  }
}
