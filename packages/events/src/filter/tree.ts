/**
 * A filter as a tree: the common form of texts, the builder, the evaluator and the query engine. Plain, readonly data.
 */
export interface Filter {
  /** Chained filters, joined by `|` in text. An event must pass all of them; without any, every event passes. */
  readonly stages: readonly Expression[];
}

export type Expression = Junction | Condition;

/** At least two operands. An operand that is a junction itself was in parentheses or binds tighter. */
interface Junction {
  readonly kind: 'and' | 'or';
  readonly operands: readonly Expression[];
}

export type Condition = Comparison | Match | Membership;

export interface Comparison {
  readonly kind: 'comparison';
  readonly field: Field;
  readonly operator: ComparisonOperator;
  readonly value: Literal;
}

/** `like` and `not like`. */
export interface Match {
  readonly kind: 'match';
  readonly field: Field;
  readonly isNegated: boolean;
  /** `%` is any text, also an empty one; `\%` is a percent sign and `\\` a backslash. */
  readonly pattern: string;
}

/** `in` and `not in`. */
export interface Membership {
  readonly kind: 'membership';
  readonly field: Field;
  readonly isNegated: boolean;
  /** At least one. */
  readonly values: readonly Literal[];
}

export interface Field {
  /** The keys that lead to the value, outermost first. At least one. */
  readonly path: readonly string[];
  readonly cast?: Cast;
}

export type Literal = string | number | boolean | null;

export const comparisonOperators = ['==', '!=', '<', '>', '<=', '>='] as const;
export type ComparisonOperator = (typeof comparisonOperators)[number];

export const casts = ['int', 'float', 'str'] as const;
export type Cast = (typeof casts)[number];

/** Keywords. As the first name of a field they need backticks. */
export const words = ['and', 'or', 'not', 'like', 'in', 'true', 'false', 'null'] as const;

export const everyEvent: Filter = { stages: [] };

export function isJunction(expression: Expression): expression is Junction {
  return expression.kind === 'and' || expression.kind === 'or';
}

/** Every condition, from left to right. */
export function* conditionsOf({ stages }: Filter): Generator<Condition> {
  // An explicit stack: a tree that was not validated may exceed the call stack.
  const waiting: Expression[] = [...stages].reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isJunction(next)) waiting.push(...[...next.operands].reverse());
    else yield next;
  }
}
