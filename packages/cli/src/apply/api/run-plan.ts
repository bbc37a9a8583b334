import type { Client } from '@weir/api';
import { cliLimits } from '../../limits.ts';
import type { Plan } from '../plan/plan.ts';
import { isWriting, phases, type WritingStep } from '../plan/step.ts';
import type { SecretKeeper } from '../secrets/secret-keeper.ts';
import { forEachBounded } from './bounded.ts';
import { type PerformContext, performStep } from './perform-step.ts';

/** How far a step came. */
export type StepOutcome =
  | { readonly status: 'done'; readonly note: string | undefined }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'not_done' };

export type Outcomes = ReadonlyMap<WritingStep, StepOutcome>;

export interface RunOptions {
  readonly client: Client;
  readonly secrets: SecretKeeper;
  /** Nothing more is begun when it is aborted. */
  readonly stop: AbortSignal;
  /** Told of every step when it has ended. */
  readonly onEnd: (step: WritingStep, outcome: StepOutcome) => void;
}

/**
 * Carries a plan out: one cluster after the other, the phases in their order, and the steps of a phase some at a time. After the first
 * failure nothing more is begun. Whatever was done stays, and the next plan goes on from there.
 */
export async function runPlan(plan: Plan, options: RunOptions): Promise<Outcomes> {
  const { client, secrets, stop, onEnd } = options;
  const outcomes = new Map<WritingStep, StepOutcome>();
  let hasFailed = false;
  for (const { id, steps } of plan.clusters) {
    const context: PerformContext = {
      client,
      secrets,
      clusterId: id,
      pipelineIds: new Map(),
      configurationIds: new Map(),
    };
    const writing = steps.filter(isWriting);
    for (const phase of phases) {
      const together = writing.filter((step) => step.phase === phase);
      await forEachBounded(together, cliLimits.applyCallsMax, async (step) => {
        const outcome: StepOutcome =
          hasFailed || stop.aborted ? { status: 'not_done' } : await outcomeOf(step, context);
        hasFailed ||= outcome.status === 'failed';
        outcomes.set(step, outcome);
        onEnd(step, outcome);
      });
    }
  }
  return outcomes;
}

async function outcomeOf(step: WritingStep, context: PerformContext): Promise<StepOutcome> {
  try {
    return { status: 'done', note: await performStep(step, context) };
  } catch (error) {
    return { status: 'failed', error };
  }
}
