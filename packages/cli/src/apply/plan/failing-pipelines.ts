import type { Found } from '../actual.ts';
import type { DesiredCluster } from '../desired.ts';
import type { Plan } from './plan.ts';
import { isWriting } from './step.ts';

/** A line for each pipeline that the documents have, that stays as it is, and that fails. */
export function failingPipelines(
  wanted: readonly { readonly desired: DesiredCluster; readonly found: Found }[],
  { clusters }: Plan,
): string[] {
  const changed = new Set(
    clusters
      .flatMap(({ steps }) => steps)
      .filter((step) => isWriting(step) && step.kind.startsWith('pipeline'))
      .map(({ cluster, name }) => `${cluster} ${name}`),
  );
  return wanted.flatMap(({ desired, found }) => {
    const names = new Set(desired.pipelines?.map(({ name }) => name));
    const pipelines = found === undefined || 'workspaceIds' in found ? [] : (found.pipelines ?? []);
    return pipelines
      .filter(({ name, failure }) => failure !== undefined && names.has(name))
      .filter(({ name }) => !changed.has(`${desired.name} ${name}`))
      .map(({ name, failure }) => `pipeline ${name} of ${desired.name} fails: ${failure}`);
  });
}
