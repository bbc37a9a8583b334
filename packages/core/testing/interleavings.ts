import { settle } from './settle.ts';

/** Something that runs beside others. It waits at each of its gates until it is its turn. */
export type Actor = (gate: Gate) => Promise<void>;

export type Gate = (step: string) => Promise<void>;

/** Returns the number of an alternative, of `count`. */
type Choose = (count: number) => number;

/** Where an actor is. */
interface Progress {
  /** The gates at which it waits, in the order in which it came to them. */
  readonly gates: { readonly step: string; readonly open: () => void }[];
  hasEnded: boolean;
  /** Resolves when it waits at a gate or has ended. */
  halted: PromiseWithResolvers<void>;
}

/**
 * Runs actors, one step of one of them at a time, in the order that `choose` gives. A step lasts from one gate to the
 * next; what an actor does before its first gate is a step too. After each step everything that waits for promises
 * alone has happened, and `afterStep` is called.
 *
 * Returns the steps in the order in which they ran. An error names them.
 */
export async function runInterleaved(
  actors: Readonly<Record<string, Actor>>,
  choose: Choose,
  afterStep: () => Promise<void> = async () => {},
): Promise<string[]> {
  const steps: string[] = [];
  const failures: unknown[] = [];
  const begun = Object.entries(actors).map(([name, actor]) => {
    const progress: Progress = { gates: [], hasEnded: false, halted: Promise.withResolvers<void>() };
    const gate: Gate = (step) =>
      new Promise((open) => {
        progress.gates.push({ step, open });
        progress.halted.resolve();
      });
    gate('begins')
      .then(() => actor(gate))
      .catch((error: unknown) => failures.push(error))
      .finally(() => {
        progress.hasEnded = true;
        progress.halted.resolve();
      });
    return { name, progress };
  });
  try {
    for (;;) {
      const ready = begun.filter(({ progress }) => progress.gates.length > 0);
      if (ready.length === 0) return steps;
      const { name, progress } = ready[ready.length === 1 ? 0 : choose(ready.length)]!;
      const { step, open } = progress.gates.shift()!;
      progress.halted = Promise.withResolvers<void>();
      // What an actor began and did not wait for may be left.
      if (progress.gates.length > 0 || progress.hasEnded) progress.halted.resolve();
      steps.push(`${name} ${step}`);
      open();
      await progress.halted.promise;
      await settle();
      if (failures.length > 0) throw failures[0];
      await afterStep();
    }
  } catch (error) {
    throw new Error(`${(error as Error).message}\nafter: ${steps.join(', ')}`, { cause: error });
  }
}

/**
 * Calls `run` once for every sequence of choices, and returns how many there were. `run` must depend on its choices
 * alone.
 */
export async function everyChoice(run: (choose: Choose) => Promise<void>): Promise<number> {
  let prefix: number[] = [];
  for (let runs = 1; ; runs++) {
    const made: { readonly choice: number; readonly count: number }[] = [];
    await run((count) => {
      const choice = prefix[made.length] ?? 0;
      made.push({ choice, count });
      return choice;
    });
    while (made.length > 0 && made.at(-1)!.choice === made.at(-1)!.count - 1) made.pop();
    const last = made.pop();
    if (last === undefined) return runs;
    prefix = [...made.map(({ choice }) => choice), last.choice + 1];
  }
}
