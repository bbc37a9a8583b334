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
 * What the JSON of every event that passes a filter has in it: of each clause at least one of its byte strings. Events whose bytes lack
 * one need not be parsed. Without clauses nothing is known, and every event has to be looked at. The clause that is likely to exclude the most
 * comes first.
 *
 * It holds for JSON as `JSON.stringify` writes it, indented or not. Other writers are free to write `\u0041` for A and `1e1` for 10; what they
 * wrote must be parsed.
 */
export type NeededBytes = readonly NeededClause[];

export type NeededClause = readonly Uint8Array[];

/** Looking for more alternatives than this costs more than it saves. */
const alternativesMax = 16;

export function neededBytes({ stages }: Filter): NeededBytes {
  const encoder = new TextEncoder();
  const clauses = neededByAll(stages).toSorted((one, other) => shortest(other) - shortest(one));
  const texts = new Set(clauses.map((clause) => JSON.stringify([...new Set(clause)].sort())));
  return [...texts].map((text) => (JSON.parse(text) as string[]).map((needle) => encoder.encode(needle)));
}

/** Alternatives as text, of which none is empty. */
type Clause = readonly string[];

function neededByAll(expressions: readonly Expression[]): Clause[] {
  return expressions.flatMap(neededBy);
}

function neededBy(expression: Expression): Clause[] {
  if (!isJunction(expression)) return neededByCondition(expression);
  if (expression.kind === 'and') return neededByAll(expression.operands);
  // Whichever operand holds, the best clause of it holds.
  const best: string[] = [];
  for (const operand of expression.operands) {
    const clause = bestOf(neededBy(operand));
    if (clause === undefined) return [];
    best.push(...clause);
  }
  return best.length > alternativesMax ? [] : [best];
}

/** The one whose shortest alternative is the longest: it occurs by chance the least. */
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

/** The last key of the way to a value that is there. The ones before it lead to many others, and so do those of the envelope. */
function keyOf({ path }: Field): Clause[] {
  return path.length === 1 ? [] : [[`${JSON.stringify(path.at(-1)!)}:`]];
}

/** Any of the values, none of which is null. */
function oneOf(field: Field, values: readonly Literal[]): Clause[] {
  if (values.length > alternativesMax || values.some((value) => !hasOneForm(field, value)))
    return keyOf(field);
  return [
    values.map((value) => {
      const json = JSON.stringify(value);
      // Under the cast a number is a text as well, and it stands in the JSON without quotes.
      return field.cast === 'str' ? json.slice(1, -1) : json;
    }),
  ];
}

/** Whether a value can stand in JSON in one way only. */
function hasOneForm({ cast }: Field, value: Literal): boolean {
  // 5 is the integer of 5.7, and the number of "5.0".
  if (cast === 'int' || cast === 'float') return false;
  if (cast === 'str') return typeof value === 'string' && value !== '';
  // Integers of 64 bits become the nearest number when they are parsed.
  return typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Each piece of a pattern, with the quotes of the text where the pattern says how it begins or ends. */
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
      // A quote alone stands everywhere.
      return part === '' ? [] : [[text]];
    });
  });
}

/** A piece without halves of characters: the other half may be in the text, and then the JSON has neither. */
function wholeCharacters(piece: string): string[] {
  return piece.split(/[\ud800-\udfff]/u);
}
