import type { OutputOf } from '@weir/api/client';

export type Transition = OutputOf<'list_diagnostic_history'>['transitions'][number];

/** How long a diagnostic had failed when it recovered; `undefined` for other changes. The newest change is first. */
export function failedMs(
  transitions: readonly Pick<Transition, 'transition' | 'time'>[],
  index: number,
): number | undefined {
  const change = transitions[index]!;
  if (change.transition !== 'recovered') return undefined;
  const failure = transitions.slice(index + 1).find(({ transition }) => transition === 'failed');
  return failure === undefined ? undefined : Date.parse(change.time) - Date.parse(failure.time);
}
