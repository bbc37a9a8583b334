import type { DesiredCluster } from '../desired.ts';
import type { Change, IdleStep, StepKind, WritingStep } from './step.ts';

/** The reasons that steps have in common. */
export const isMissing = 'is not there';
export const isDifferent = 'differs';
export const isLeftOut = 'is not in the file';
const isRight = 'is as the file says';

/** A step that has nothing to do. */
export function nothing(desired: DesiredCluster, kind: StepKind, name = ''): IdleStep {
  return { action: 'nothing', kind, cluster: desired.name, name, reason: isRight };
}

/** Those of the wanted values that are not there yet. */
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

/** The values that changes lead to, by field. */
export function targetsOf(changes: readonly Change[]): Record<string, string> {
  return Object.fromEntries(changes.map(({ field, to }) => [field, to]));
}

/** A thing that is not in the documents and goes, with what every such step has in common. */
export function deletion(
  desired: DesiredCluster,
  step: Pick<WritingStep, 'kind' | 'name' | 'phase' | 'task'>,
): WritingStep {
  return { ...step, action: 'delete', cluster: desired.name, reason: isLeftOut, changes: [] };
}
