import { printJson } from '@weir/api';
import type { Outcomes } from './api/run-plan.ts';
import type { Plan } from './plan/plan.ts';
import { isWriting, type Step } from './plan/step.ts';
import { countsOf } from './print.ts';

/** The plan as one line of JSON: every step with its outcome. */
export function planJson(plan: Plan, outcomes: Outcomes | undefined): string {
  const steps = plan.clusters.flatMap((cluster) => cluster.steps.map((step) => stepJson(step, outcomes)));
  return `${printJson({ steps, counts: countsOf(plan) })}\n`;
}

function stepJson(step: Step, outcomes: Outcomes | undefined) {
  const { action, kind, cluster, name, reason } = step;
  const fields = { virtual_cluster: cluster, action, kind, name, reason };
  if (!isWriting(step)) return fields;
  const outcome = outcomes?.get(step);
  return {
    ...fields,
    changes: step.changes,
    ...(step.diff === undefined || step.diff === '' ? {} : { diff: step.diff }),
    status: outcome === undefined ? 'planned' : outcome.status,
    ...(outcome?.status === 'done' && outcome.note !== undefined ? { note: outcome.note } : {}),
    ...(outcome?.status === 'failed' ? { error: String((outcome.error as Error).message) } : {}),
  };
}
