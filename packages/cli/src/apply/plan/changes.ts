import type { DesiredCluster } from '../desired.ts';
import type { Change, IdleStep, StepKind, WritingStep } from './step.ts';

/** Reasons that several kinds of steps share. */
export const isMissing = 'does not exist';
export const isDifferent = 'differs';
export const isLeftOut = 'is not in the file';
const isRight = 'matches the file';

/** A step without changes. */
export function nothing(desired: DesiredCluster, kind: StepKind, name = ''): IdleStep {
  return { action: 'nothing', kind, cluster: desired.name, name, reason: isRight };
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

/** The deletion of a thing that is not in the documents, with the fields that all such steps share. */
export function deletion(
  desired: DesiredCluster,
  step: Pick<WritingStep, 'kind' | 'name' | 'phase' | 'task'>,
): WritingStep {
  return { ...step, action: 'delete', cluster: desired.name, reason: isLeftOut, changes: [] };
}
