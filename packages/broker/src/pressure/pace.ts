import { wireLimits } from '@weir/wire/limits';

/** Counts the steps of long work, so that it knows when to let other requests run: after about a millisecond. */
export class Pace {
  readonly #stepsPerTurn: number;
  #steps = 0;

  constructor(stepsPerTurn: number = wireLimits.walkedRecordsPerTurnMax) {
    this.#stepsPerTurn = stepsPerTurn;
  }

  /** `steps` is what was done since the last call; reading a field or a value is one. */
  isOver(steps = 1): boolean {
    this.#steps += steps;
    if (this.#steps < this.#stepsPerTurn) return false;
    this.#steps = 0;
    return true;
  }
}

/** What one item of a list costs, if it is not known better. */
const itemSteps = 10;

/** Maps a long list with pauses, in which other requests run. */
export async function mapInTurns<Item, Output>(
  items: readonly Item[],
  pause: () => Promise<void>,
  map: (item: Item, index: number) => Output,
): Promise<Output[]> {
  const pace = new Pace();
  const output: Output[] = [];
  for (const [index, item] of items.entries()) {
    if (pace.isOver(itemSteps)) await pause();
    output.push(map(item, index));
  }
  return output;
}
