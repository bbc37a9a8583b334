import type { DesiredCluster } from '../desired.ts';
import type { PlanOptions } from './plan-context.ts';
import type { Change, IdleStep, StepKind, WritingStep } from './step.ts';

/** A step without changes. */
export function nothing(desired: DesiredCluster, kind: StepKind, name = ''): IdleStep {
  return { action: 'nothing', kind, cluster: desired.name, name, reason: 'matches the file' };
}

/** The desired values that differ from the actual ones. */
export function changesOf(
  wanted: Readonly<Record<string, string | undefined>>,
  actual: Readonly<Record<string, string | null | undefined>> | undefined,
): Change[] {
  return Object.entries(wanted).flatMap(([field, to]): Change[] => {
    const from = actual?.[field];
    if (to === undefined || to === from) return [];
    return [from === undefined || from === null ? { field, to } : { field, from, to }];
  });
}

/** The new values by field. */
export function targetsOf(changes: readonly Change[]): Record<string, string> {
  return Object.fromEntries(changes.map(({ field, to }) => [field, to]));
}

type Writing = Pick<WritingStep, 'kind' | 'name' | 'phase' | 'task' | 'diff'> & {
  readonly changes?: readonly Change[];
};

/** The creation of a thing that does not exist. */
export function creation(desired: DesiredCluster, step: Writing): WritingStep {
  return { changes: [], ...step, action: 'create', cluster: desired.name, reason: 'does not exist' };
}

/** The update of a thing that differs. */
export function update(desired: DesiredCluster, step: Writing): WritingStep {
  return { changes: [], ...step, action: 'update', cluster: desired.name, reason: 'differs' };
}

/** The deletion of a thing that is not in the documents. */
export function deletion(desired: DesiredCluster, step: Writing): WritingStep {
  return { changes: [], ...step, action: 'delete', cluster: desired.name, reason: 'is not in the file' };
}

/** The things that the documents leave out, if those are to be deleted. */
export function leftOut<Thing extends { readonly name: string }>(
  { isPruning }: PlanOptions,
  there: readonly Thing[] | undefined,
  wanted: Iterable<string>,
): readonly Thing[] {
  const names = new Set(wanted);
  return isPruning ? (there ?? []).filter(({ name }) => !names.has(name)) : [];
}
