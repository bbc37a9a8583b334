import { type Clock, nextTurn } from '@weir/core';
import { brokerLimits } from '../limits.ts';

/** Counts the entries of a long list on which a handler works in one turn. */
export class TurnCount {
  #left: number = brokerLimits.entriesPerTurnMax;

  /** Counts an entry, or what it cost in entries. Returns whether others should have their turn before the next one. */
  ends(cost = 1): boolean {
    this.#left -= cost;
    if (this.#left > 0) return false;
    this.#left = brokerLimits.entriesPerTurnMax;
    return true;
  }
}

/** Lets others have their turn while a handler works through a long list. */
export class Turns {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #count = new TurnCount();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Counts an entry, or what it cost in entries. The caller waits for the promise, if any, before the next one. */
  next(cost = 1): Promise<void> | undefined {
    return this.#count.ends(cost) ? nextTurn(this.#clock) : undefined;
  }
}

/** Work on a list of any length, which yields when others should have their turn. */
export type WorkInTurns<Result> = Generator<undefined, Result, undefined>;

/** Does work: at once if it takes no more than one turn, so that the usual request waits for nothing. */
export function inTurns<Result>(
  work: WorkInTurns<Result>,
  clock: Pick<Clock, 'after'>,
): Result | Promise<Result> {
  const { done, value } = work.next();
  return done === true ? value : remaining(work, clock);
}

async function remaining<Result>(work: WorkInTurns<Result>, clock: Pick<Clock, 'after'>): Promise<Result> {
  for (;;) {
    await nextTurn(clock);
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Calls `each` for every item, and returns what `end` returns: at once if that takes no more than one turn, without the
 * cost of a generator.
 */
export function eachInTurns<Item, Result>(
  items: readonly Item[],
  clock: Pick<Clock, 'after'>,
  each: (item: Item, index: number) => void,
  end: () => Result,
): Result | Promise<Result> {
  if (items.length >= brokerLimits.entriesPerTurnMax) return mapInTurns(items, clock, each).then(end);
  for (let index = 0; index < items.length; index++) each(items[index]!, index);
  return end();
}

/** `items.map`, in turns. */
export function* mappedInTurns<Item, Result>(
  items: readonly Item[],
  turns: TurnCount,
  map: (item: Item, index: number) => Result,
): WorkInTurns<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    if (turns.ends()) yield;
  }
  return results;
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
