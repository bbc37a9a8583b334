import type { EventTypeName } from '../event-types.ts';
import type { Field } from '../filter/tree.ts';

const suppressed: Field = { path: ['data', 'suppressed'] };

/**
 * The field of events of a type that says how many equal ones were left out before an event; `undefined` if none are.
 * Counts include them: a client that is denied once a second has one event a minute.
 */
export function suppressedField(type: EventTypeName): Field | undefined {
  return type === 'acl_logs' ? suppressed : undefined;
}

/** How often something happened, by the numbers of `suppressedField` in its event: once more than was left out. */
export function occurrencesOf(numbers: readonly number[]): number {
  const [left = 0] = numbers;
  return numbers.length === 1 && Number.isSafeInteger(left) && left > 0 ? 1 + left : 1;
}
