import { isObject } from '../src/event-object.ts';
import { castTo } from '../src/filter/casts.ts';
import { holdsWithoutValue } from '../src/filter/missing.ts';
import {
  type Condition,
  type Expression,
  type Field,
  type Filter,
  isJunction,
  type Literal,
} from '../src/filter/tree.ts';

/**
 * The reference semantics of filters, as simple as possible; docs/reference/event-filters.md describes them. The fast
 * form for many events is compile.ts, which tests compare with this one.
 */
export function matches({ stages }: Filter, event: unknown): boolean {
  return stages.every((stage) => holds(stage, event));
}

function holds(expression: Expression, event: unknown): boolean {
  if (!isJunction(expression)) return conditionHolds(expression, event);
  const { kind, operands } = expression;
  return kind === 'and'
    ? operands.every((operand) => holds(operand, event))
    : operands.some((operand) => holds(operand, event));
}

function conditionHolds(condition: Condition, event: unknown): boolean {
  const values = valuesAt(condition.field, event);
  if (values.length === 0) return holdsWithoutValue(condition);
  switch (condition.kind) {
    case 'comparison': {
      const { operator, value } = condition;
      if (operator === '==') return values.some((found) => found === value);
      if (operator === '!=') return !values.some((found) => found === value);
      return values.some((found) => isInOrder(found, operator, value));
    }
    case 'match': {
      const isLike = values.some((found) => typeof found === 'string' && fits(found, condition.pattern));
      return isLike !== condition.isNegated;
    }
    case 'membership': {
      const isMember = values.some((found) => condition.values.some((value) => found === value));
      return isMember !== condition.isNegated;
    }
  }
}

/**
 * Returns the values of a field in an event. An array stands for its elements. Null, and what cannot be cast, is not a
 * value.
 */
function valuesAt({ path, cast }: Field, event: unknown): readonly unknown[] {
  let found: readonly unknown[] = [event];
  for (const key of path) {
    found = found
      .filter((value) => isObject(value) && Object.hasOwn(value, key))
      .map((value) => (value as Record<string, unknown>)[key])
      .flatMap((value) => (Array.isArray(value) ? value : [value]));
  }
  const values = cast === undefined ? found : found.map((value) => castTo(cast, value));
  return values.filter((value) => value !== null);
}

/** Numbers compare with numbers and texts with texts; nothing else is ordered. */
function isInOrder(found: unknown, operator: '<' | '>' | '<=' | '>=', value: Literal): boolean {
  const areNumbers = typeof found === 'number' && typeof value === 'number';
  const areTexts = typeof found === 'string' && typeof value === 'string';
  if (!areNumbers && !areTexts) return false;
  switch (operator) {
    case '<':
      return found < value;
    case '>':
      return found > value;
    case '<=':
      return found <= value;
    case '>=':
      return found >= value;
  }
}

/** Follows the pattern character by character, with the set of all reachable positions of the text. */
function fits(text: string, pattern: string): boolean {
  let places = new Set([0]);
  for (const [token, escaped] of pattern.matchAll(/\\([%\\])|./gs)) {
    const next = new Set<number>();
    for (const place of places) {
      if (token === '%') for (let after = place; after <= text.length; after++) next.add(after);
      else if (text[place] === (escaped ?? token)) next.add(place + 1);
    }
    places = next;
  }
  return places.has(text.length);
}
