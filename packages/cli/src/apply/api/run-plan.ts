import type { Client } from '@weir/api';
import { cliLimits } from '../../limits.ts';
import type { Plan } from '../plan/plan.ts';
import { isWriting, phases, sequentialPhases, type WritingStep } from '../plan/step.ts';
import type { SecretKeeper } from '../secrets/secret-keeper.ts';
import { forEachBounded } from './bounded.ts';
import { type PerformContext, performStep } from './perform-step.ts';

/** The outcome of a step. */
export type StepOutcome =
  | { readonly status: 'done'; readonly note: string | undefined }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'not_done' };

export type Outcomes = ReadonlyMap<WritingStep, StepOutcome>;

export interface RunOptions {
  readonly client: Client;
  readonly secrets: SecretKeeper;
  /** When it is aborted, no further step starts. */
  readonly stop: AbortSignal;
  /** Called after every step. */
  readonly onEnd: (step: WritingStep, outcome: StepOutcome) => void;
}

/**
 * Executes a plan: cluster by cluster, phase by phase, and the steps of most phases with bounded concurrency. After the
 * first failure no further step starts. Completed steps stay, and the next plan continues from there.
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
      const callsMax = sequentialPhases.has(phase) ? 1 : cliLimits.applyCallsMax;
      await forEachBounded(together, callsMax, async (step) => {
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
