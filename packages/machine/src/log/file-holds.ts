import { SlotSet } from './slot-set.ts';

/**
 * `open`: the clone is being made. `confirmed`: it exists. `abandoned`: it was not made within its time, and can no
 * longer be confirmed.
 */
type HoldState = 'open' | 'confirmed' | 'abandoned';

/** By the numbers that snapshots have. */
export const holdStates: readonly HoldState[] = ['open', 'confirmed', 'abandoned'];

/** Files of a cluster that a clone of it needs. */
export interface FileHold {
  readonly cloneId: string;
  readonly heldMs: number;
  state: HoldState;
  readonly slots: SlotSet;
}

/** The holds of all clones of a cluster, in the order in which they began. */
export class FileHolds {
  readonly #holds = new Map<string, FileHold>();

  get count(): number {
    return this.#holds.size;
  }

  get(cloneId: string): FileHold | undefined {
    return this.#holds.get(cloneId);
  }

  all(): readonly FileHold[] {
    return [...this.#holds.values()];
  }

  /** Returns the hold of a clone, which begins if there is none. */
  begin(cloneId: string, heldMs: number, state: HoldState = 'open'): FileHold {
    let hold = this.#holds.get(cloneId);
    if (hold === undefined) {
      hold = { cloneId, heldMs, state, slots: new SlotSet() };
      this.#holds.set(cloneId, hold);
    }
    return hold;
  }

  /** Ends a hold that has no files any more. */
  end(cloneId: string): void {
    this.#holds.delete(cloneId);
  }

  isHeld(slot: number): boolean {
    for (const { slots } of this.#holds.values()) if (slots.has(slot)) return true;
    return false;
  }
}
