import { type Clock, systemClock } from '@weir/core';

/**
 * Measures two ways of doing the same, in turns within one process: A, B, A, B. The machine may be shared and slow down at
 * any moment, but it then slows down both, so that the ratio of neighbouring turns says more than any of the times.
 */
export interface Contender {
  readonly name: string;
  run(): unknown | Promise<unknown>;
}

export interface Outcome {
  /** Medians over the turns, in milliseconds per run. */
  readonly subjectMs: number;
  readonly referenceMs: number;
  /** The median of the ratios of neighbouring turns: how many times longer the reference takes. */
  readonly referenceOverSubject: number;
}

export interface Effort {
  /** Turns whose result counts, after as many that only warm up. */
  readonly turns: number;
  /** A turn repeats its contender until it has taken so long. */
  readonly turnMs: number;
}

export const fullEffort: Effort = { turns: 40, turnMs: 25 };

export async function sideBySide(
  subject: Contender,
  reference: Contender,
  { turns, turnMs }: Effort = fullEffort,
  clock: Clock = systemClock,
): Promise<Outcome> {
  const subjects: number[] = [];
  const references: number[] = [];
  for (let turn = 0; turn < turns * 2; turn++) {
    // Who goes first changes, so that neither always runs into the other's garbage.
    const order = turn % 2 === 0 ? [subject, reference] : [reference, subject];
    for (const contender of order) {
      const ms = await msPerRun(contender, turnMs, clock);
      if (turn >= turns) (contender === subject ? subjects : references).push(ms);
    }
  }
  return {
    subjectMs: median(subjects),
    referenceMs: median(references),
    referenceOverSubject: median(references.map((ms, index) => ms / subjects[index]!)),
  };
}

async function msPerRun({ run }: Contender, turnMs: number, clock: Clock): Promise<number> {
  const startMs = clock.monotonicMs();
  let runs = 0;
  let tookMs = 0;
  do {
    const result = run();
    // Awaiting what is no promise would cost the synchronous contender a trip through the microtask queue.
    if (result instanceof Promise) await result;
    runs++;
    tookMs = clock.monotonicMs() - startMs;
  } while (tookMs < turnMs);
  return tookMs / runs;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
