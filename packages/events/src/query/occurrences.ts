import type { EventTypeName } from '../event-types.ts';
import type { Field } from '../filter/tree.ts';

const ofDenials: readonly Field[] = [
  { path: ['data', 'suppressed'] },
  { path: ['data', 'suppressed_others'] },
];

/**
 * The fields of events of a type that say how many were left out before an event: equal ones, and others that have no
 * event of their own. Counts include them: a client that is denied once a second has one event a minute.
 */
export function suppressedFields(type: EventTypeName): readonly Field[] {
  return type === 'acl_logs' ? ofDenials : [];
}

/** How often something happened, by the numbers of all `suppressedFields` in its event: once more than was left out. */
export function occurrencesOf(numbersOfFields: readonly (readonly number[])[]): number {
  return numbersOfFields.reduce((times, numbers) => times + leftOutOf(numbers), 1);
}

/** How many events were left out, by the numbers of one of these fields. */
export function leftOutOf(numbers: readonly number[]): number {
  const [left = 0] = numbers;
  return numbers.length === 1 && Number.isSafeInteger(left) && left > 0 ? left : 0;
}
