import type { Condition } from './tree.ts';

/**
 * Whether a condition holds for a field without a value. Only who asks for null gets it: `== null`, or `in` a list with null. Everything else
 * says something about a value, negated operators too.
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
