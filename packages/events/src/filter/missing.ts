import type { Condition } from './tree.ts';

/**
 * Whether a condition holds for a field without a value. Only conditions that ask for null do: `== null`, or `in` a
 * list with null. All others, negated operators too, need a value.
 */
export function holdsWithoutValue(condition: Condition): boolean {
  switch (condition.kind) {
    case 'comparison':
      return condition.operator === '==' && condition.value === null;
    case 'match':
      return false;
    case 'membership':
      return !condition.isNegated && condition.values.includes(null);
  }
}
