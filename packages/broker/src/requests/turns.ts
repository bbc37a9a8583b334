import type { Clock } from '@weir/core';
import { brokerLimits } from '../limits.ts';

/** Lets others have their turn while a handler works through a long list. */
export class Turns {
  readonly #clock: Pick<Clock, 'after'>;
  #left: number = brokerLimits.entriesPerTurnMax;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Counts an entry, or what it cost in entries. The caller waits for the promise, if any, before the next one. */
  next(cost = 1): Promise<void> | undefined {
    this.#left -= cost;
    if (this.#left > 0) return undefined;
    this.#left = brokerLimits.entriesPerTurnMax;
    return new Promise((resolve) => void this.#clock.after(0, resolve));
  }
}

/** `items.map`, in turns. `costOf` says what a result cost, in entries. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  clock: Pick<Clock, 'after'>,
  map: (item: Item, index: number) => Result,
  costOf: (result: Result) => number = () => 1,
): Promise<Result[]> {
  const turns = new Turns(clock);
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    const result = map(item, index);
    results.push(result);
    const turn = turns.next(costOf(result));
    if (turn !== undefined) await turn;
  }
  return results;
}
