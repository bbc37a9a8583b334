import { type Clock, systemClock } from '@weir/core';
import type { SharedCluster } from './shared-cluster.ts';

/**
 * Measures two implementations in turns within one process: A, B, A, B. A shared machine may slow down at any moment,
 * but it slows down both, so the ratio of neighbouring turns is more reliable than the absolute times.
 */
export interface Contender {
  readonly name: string;
  run(): unknown | Promise<unknown>;
}

export interface Outcome {
  /** Medians over the turns, in milliseconds per run. */
  readonly subjectMs: number;
  readonly referenceMs: number;
  /** The median of the ratios of neighbouring turns: reference time divided by subject time. */
  readonly referenceOverSubject: number;
}

export interface Effort {
  /** Measured turns, after as many warm-up turns. */
  readonly turns: number;
  /** Minimum duration of a turn; it repeats its contender until then. */
  readonly turnMs: number;
  /** Smoke tests share a cluster instead of starting one each. */
  readonly shared?: SharedCluster;
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
    // The order alternates, so that neither contender always collects the other's garbage.
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
    // Awaiting a value that is not a promise would cost a synchronous contender a trip through the microtask queue.
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
