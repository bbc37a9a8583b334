import type { ProducerState } from './producer-state.ts';

/**
 * The producer states of one moment, from the one idle longest to the one that wrote last. They are read one by one
 * while the machine continues: a state that is about to change before it was read is saved here.
 */
export class CapturedProducers {
  readonly #order: Uint32Array;
  /** By slot: 1 if it was read, was saved, or did not exist. */
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

  /** Called before the slot changes. Ignores slots that were added after the capture. */
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
