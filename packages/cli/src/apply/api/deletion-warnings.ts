import type { Client, OutputOf } from '@weir/api';
import { deletedByChange } from '@weir/api/deletion-warning';
import { cliLimits } from '../../limits.ts';
import type { Plan } from '../plan/plan.ts';
import { isWriting, type WritingStep } from '../plan/step.ts';
import { forEachBounded } from './bounded.ts';

type Estimate = OutputOf<'update_topic'>['deletion_estimate'];

/** Whether a change of this config can delete records. */
const isDeleting = /(^|\.)(retention\.(ms|bytes|minutes|hours)|cleanup\.policy)$|^service\.soft\.delete\./;

/** A line for each step that shortens retention so that records go, in the order of the plan. */
export async function deletionWarnings(plan: Plan, client: Client): Promise<string[]> {
  const asked = plan.clusters.flatMap(({ id, steps }) =>
    steps.filter(isWriting).flatMap((step) => (id !== undefined && isAsked(step) ? [{ id, step }] : [])),
  );
  const lines = new Map<WritingStep, string>();
  await forEachBounded(asked, cliLimits.applyCallsMax, async ({ id, step }) => {
    // The step itself reports what is wrong with it; a key may be allowed to plan and not to change.
    const estimate = await estimateOf(step, id, client).catch(() => undefined);
    const deleted = estimate && deletedByChange(estimate);
    const subject = step.kind === 'topic' ? `topic ${step.name}` : `the configuration of ${step.cluster}`;
    if (deleted !== undefined) lines.set(step, `the change of ${subject} deletes ${deleted}`);
  });
  return asked.flatMap(({ step }) => lines.get(step) ?? []);
}

function isAsked({ action, changes }: WritingStep): boolean {
  return action === 'update' && changes.some(({ field }) => isDeleting.test(field));
}

async function estimateOf({ task }: WritingStep, clusterId: string, client: Client): Promise<Estimate> {
  const dryRun = { virtual_cluster_id: clusterId, validate_only: true };
  if (task.operation === 'update_topic')
    return (await client.call(task.operation, { ...task.input, ...dryRun })).deletion_estimate;
  if (task.operation === 'update_virtual_cluster_configuration')
    return (await client.call(task.operation, { ...task.input, ...dryRun })).deletion_estimate;
  return undefined;
}
