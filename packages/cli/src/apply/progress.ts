import { escapeControls } from '../problem.ts';
import type { Outcomes, StepOutcome } from './api/run-plan.ts';
import type { Plan } from './plan/plan.ts';
import { isWriting, type Step, type WritingStep } from './plan/step.ts';
import { clusterHeading, stepLines, stepText } from './print.ts';

/** Prints steps as they end, in the order of the plan, so that the output of a run reads like that of its dry run. */
export function progressPrinter(plan: Plan, print: (text: string) => void) {
  const waiting = plan.clusters.flatMap(({ name, steps }) =>
    steps.filter((step) => step.action !== 'nothing').map((step) => ({ cluster: name, step })),
  );
  const ended = new Map<Step, StepOutcome>();
  let heading: string | undefined;

  /** Prints the ended steps up to the first that has not ended. */
  function flush(): void {
    while (waiting.length > 0) {
      const { cluster, step } = waiting[0]!;
      const outcome = ended.get(step);
      if (isWriting(step) && outcome === undefined) return;
      waiting.shift();
      if (isWriting(step) && outcome?.status !== 'done') continue;
      if (heading !== cluster) print(clusterHeading(cluster));
      heading = cluster;
      print(stepLines(step, noteOf(outcome)));
    }
  }

  flush();
  return {
    end(step: WritingStep, outcome: StepOutcome): void {
      ended.set(step, outcome);
      flush();
    },

    /** What failed and why, and what was not started. */
    unfinished(outcomes: Outcomes): string[] {
      const lines: string[] = [];
      const left: WritingStep[] = [];
      for (const [step, outcome] of outcomes) {
        if (outcome.status === 'failed')
          lines.push(
            `failed in ${step.cluster}: ${stepText(step)}: ${escapeControls(wordsOf(outcome.error))}`,
          );
        if (outcome.status === 'not_done') left.push(step);
      }
      for (const step of left) lines.push(`not done in ${step.cluster}: ${stepText(step)}`);
      const doneCount = outcomes.size - lines.length;
      return [...lines, `${doneCount} of ${outcomes.size} steps done; run it again to complete the rest`];
    },
  };
}

function noteOf(outcome: StepOutcome | undefined): string {
  return outcome?.status === 'done' && outcome.note !== undefined ? ` [${escapeControls(outcome.note)}]` : '';
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
