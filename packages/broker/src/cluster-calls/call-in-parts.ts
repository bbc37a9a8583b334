import type { Clock } from '@weir/core';
import { Turns } from '../requests/turns.ts';
import { ifAvailable } from './if-available.ts';

interface PartedCall<Item, Result> {
  readonly clock: Pick<Clock, 'after'>;
  /** What an item costs, in entries. */
  costOf(item: Item): number;
  call(part: readonly Item[]): Promise<readonly Result[]>;
}

/**
 * Calls the control plane with parts of a long list, one after another, so that neither side works on all of it at
 * once. The results have the order of the items. If the control plane is unavailable, those from there on are absent.
 */
export async function callInParts<Item, Result>(
  items: readonly Item[],
  { clock, costOf, call }: PartedCall<Item, Result>,
): Promise<(Result | undefined)[]> {
  const results: (Result | undefined)[] = [];
  const turns = new Turns(clock);
  for (let from = 0, to = 0; from < items.length; from = to) {
    let turn: Promise<void> | undefined;
    while (to < items.length && turn === undefined) turn = turns.next(costOf(items[to++]!));
    const answers = await ifAvailable(call(items.slice(from, to)));
    if (answers === undefined) {
      for (let at = from; at < items.length; at++) results.push(undefined);
      break;
    }
    for (const answer of answers) results.push(answer);
    if (turn !== undefined) await turn;
  }
  return results;
}
