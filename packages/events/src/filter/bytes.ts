import { holdsWithoutValue } from './missing.ts';
import { piecesOf } from './pattern.ts';
import {
  type Condition,
  type Expression,
  type Field,
  type Filter,
  isJunction,
  type Literal,
} from './tree.ts';

/**
 * Byte strings that the JSON of every matching event contains: at least one of each clause. Events that lack a clause
 * need not be parsed. Without clauses every event must be checked. The clause that probably excludes the most events
 * comes first.
 *
 * This holds for JSON as `JSON.stringify` writes it, indented or not. Other writers may write `\u0041` for A and `1e1`
 * for 10; their output must be parsed.
 */
export type NeededBytes = readonly NeededClause[];

export type NeededClause = readonly Uint8Array[];

/** Searching for more alternatives than this costs more than it saves. */
const alternativesMax = 16;

export function neededBytes({ stages }: Filter): NeededBytes {
  const encoder = new TextEncoder();
  const clauses = neededByAll(stages).toSorted((one, other) => shortest(other) - shortest(one));
  const texts = new Set(clauses.map((clause) => JSON.stringify([...new Set(clause)].sort())));
  return [...texts].map((text) => (JSON.parse(text) as string[]).map((needle) => encoder.encode(needle)));
}

/** Alternatives as text; none is empty. */
type Clause = readonly string[];

function neededByAll(expressions: readonly Expression[]): Clause[] {
  return expressions.flatMap(neededBy);
}

function neededBy(expression: Expression): Clause[] {
  if (!isJunction(expression)) return neededByCondition(expression);
  if (expression.kind === 'and') return neededByAll(expression.operands);
  // If any operand holds, its best clause holds.
  const best: string[] = [];
  for (const operand of expression.operands) {
    const clause = bestOf(neededBy(operand));
    if (clause === undefined) return [];
    best.push(...clause);
  }
  return best.length > alternativesMax ? [] : [best];
}

/** Returns the clause whose shortest alternative is the longest: it is the least likely to match by chance. */
function bestOf(clauses: readonly Clause[]): Clause | undefined {
  let best: Clause | undefined;
  for (const clause of clauses) {
    if (best === undefined || shortest(clause) > shortest(best)) best = clause;
  }
  return best;
}

function shortest(clause: Clause): number {
  return Math.min(...clause.map((text) => text.length));
}

function neededByCondition(condition: Condition): Clause[] {
  if (holdsWithoutValue(condition)) return [];
  const { field } = condition;
  switch (condition.kind) {
    case 'comparison':
      return condition.operator === '==' ? oneOf(field, [condition.value]) : keyOf(field);
    case 'match': {
      const pieces = condition.isNegated ? [] : piecesIn(field, condition.pattern);
      return pieces.length === 0 ? keyOf(field) : pieces;
    }
    case 'membership':
      return condition.isNegated ? keyOf(field) : oneOf(field, condition.values);
  }
}

/**
 * The last key of the path to a present value. Earlier keys, and the keys of the envelope, occur in too many events.
 */
function keyOf({ path }: Field): Clause[] {
  return path.length === 1 ? [] : [[`${JSON.stringify(path.at(-1)!)}:`]];
}

/** One of the values; none of them is null. */
function oneOf(field: Field, values: readonly Literal[]): Clause[] {
  if (values.length > alternativesMax || values.some((value) => !hasOneForm(field, value)))
    return keyOf(field);
  return [
    values.map((value) => {
      const json = JSON.stringify(value);
      // With this cast a number also counts as text, and JSON writes it without quotes.
      return field.cast === 'str' ? json.slice(1, -1) : json;
    }),
  ];
}

/** Whether JSON can write a value in one way only. */
function hasOneForm({ cast }: Field, value: Literal): boolean {
  // 5 is the integer of 5.7, and the number of "5.0".
  if (cast === 'int' || cast === 'float') return false;
  if (cast === 'str') return typeof value === 'string' && value !== '';
  // JSON.parse rounds 64-bit integers to the nearest number.
  return typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Each piece of a pattern, with the quotes of the text where the pattern fixes its start or end. */
function piecesIn({ cast }: Field, pattern: string): Clause[] {
  const pieces = piecesOf(pattern);
  const last = pieces.length - 1;
  return pieces.flatMap((piece, index) => {
    const quote = cast === undefined ? '"' : '';
    const parts = wholeCharacters(piece);
    return parts.flatMap((part, place) => {
      const opening = index === 0 && place === 0 ? quote : '';
      const closing = index === last && place === parts.length - 1 ? quote : '';
      const text = opening + JSON.stringify(part).slice(1, -1) + closing;
      // A quote alone matches everywhere.
      return part === '' ? [] : [[text]];
    });
  });
}

/** Splits a piece at lone surrogates: if the text has the other half, the JSON has neither escape. */
function wholeCharacters(piece: string): string[] {
  return piece.split(/[\ud800-\udfff]/u);
}
