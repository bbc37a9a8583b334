import type { Cast, Condition, Literal } from './tree.ts';

interface BrokenRule {
  /** The part of the condition that breaks the rule. */
  readonly about: 'value' | 'operator';
  readonly message: string;
}

/** Finds conditions that are valid syntax but never mean what the user intended. */
export function brokenRule({ field: { cast }, ...condition }: Condition): BrokenRule | undefined {
  switch (condition.kind) {
    case 'comparison': {
      const { operator, value } = condition;
      const hasOrder = typeof value === 'string' || typeof value === 'number';
      if (operator !== '==' && operator !== '!=' && !hasOrder)
        return { about: 'operator', message: `${value} has no order; compare it with == or !=` };
      return mismatch(cast, [value]);
    }
    case 'match':
      if (cast === undefined || cast === 'str') return undefined;
      return { about: 'operator', message: `like compares texts, and ::${cast} gives a number; use ::str` };
    case 'membership':
      if (condition.values.length === 0)
        return { about: 'value', message: 'the list is empty; name at least one value' };
      return mismatch(cast, condition.values);
  }
}

const typeOfCast = { int: 'number', float: 'number', str: 'string' } as const satisfies Record<Cast, string>;

function mismatch(cast: Cast | undefined, values: readonly Literal[]): BrokenRule | undefined {
  if (cast === undefined) return undefined;
  const other = values.find((value) => value !== null && typeof value !== typeOfCast[cast]);
  if (other === undefined) return undefined;
  const [given, wanted] = typeOfCast[cast] === 'string' ? ['text', 'in quotes'] : ['a number', 'as a number'];
  return { about: 'value', message: `::${cast} gives ${given}; write the value ${wanted}` };
}
