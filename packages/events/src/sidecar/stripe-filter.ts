import { compileFilter, type EventTest } from '../filter/compile.ts';
import { holdsWithoutValue } from '../filter/missing.ts';
import { type Condition, conditionsOf, type Expression, type Filter, isJunction } from '../filter/tree.ts';
import { mayContain } from './bloom.ts';
import type { Cell, Chunk, CodesColumn, Column, OpaqueColumn, Stripe } from './format.ts';
import type { ChunkBytes } from './stripe-chunks.ts';

/**
 * The verdict of columns on an event: fails, undecided without its record, passes. `and` is the minimum, `or` the
 * maximum.
 */
export const fails = 0;
export const unsure = 1;
export const passes = 2;

/** One verdict per event of a stripe, or one for all of them. */
export type Verdicts = number | Uint8Array;

/**
 * Evaluates a filter over the events of a stripe. A condition whose chunks are missing is `unsure`; its chunks are
 * listed in `wanted`.
 */
export function evaluateStripe(
  filter: Filter,
  stripe: Stripe,
  chunks: ChunkBytes | undefined,
  wanted: Set<Chunk>,
): Verdicts {
  return both(filter.stages.map((stage) => evaluate(stage)));

  function evaluate(expression: Expression): Verdicts {
    if (!isJunction(expression)) return evaluateCondition(expression, stripe, chunks, wanted);
    const verdicts = expression.operands.map(evaluate);
    return expression.kind === 'and' ? both(verdicts) : either(verdicts);
  }
}

function both(verdicts: readonly Verdicts[]): Verdicts {
  return verdicts.reduce((one, other) => joined(one, other, Math.min, fails, passes), passes);
}

function either(verdicts: readonly Verdicts[]): Verdicts {
  return verdicts.reduce((one, other) => joined(one, other, Math.max, passes, fails), fails);
}

/** `end` decides alone, and `neutral` has no effect. */
function joined(
  one: Verdicts,
  other: Verdicts,
  join: (one: number, other: number) => number,
  end: number,
  neutral: number,
): Verdicts {
  if (typeof one === 'number' && typeof other === 'number') return join(one, other);
  if (typeof one === 'number') return joined(other, one, join, end, neutral);
  if (other === end) return end;
  if (other === neutral) return one;
  const verdicts = new Uint8Array(one.length);
  if (typeof other === 'number')
    for (let row = 0; row < one.length; row++) verdicts[row] = join(one[row]!, other);
  else for (let row = 0; row < one.length; row++) verdicts[row] = join(one[row]!, other[row]!);
  return verdicts;
}

function evaluateCondition(
  condition: Condition,
  stripe: Stripe,
  chunks: ChunkBytes | undefined,
  wanted: Set<Chunk>,
): Verdicts {
  const column = columnAt(stripe, condition.field.path);
  if (column === 'unknown') return unsure;
  if (column === undefined) return holdsWithoutValue(condition) ? passes : fails;
  switch (column.kind) {
    case 'codes':
      return evaluateCodes(cellTest(condition), column, stripe, chunks, wanted);
    case 'numbers': {
      if (chunks === undefined) {
        wanted.add(column.numbers);
        return unsure;
      }
      return evaluateNumbers(condition, chunks.numbers(column.numbers, stripe.rows));
    }
    case 'opaque':
      return evaluateOpaque(condition, column, stripe, chunks, wanted);
  }
}

/**
 * Returns the column of a field; `undefined` if no event has the field, and `unknown` if the stripe had too many
 * columns.
 */
export function columnAt(stripe: Stripe, path: readonly string[]): Column | undefined | 'unknown' {
  const column = stripe.columns.find(
    (one) => one.path.length === path.length && one.path.every((key, index) => key === path[index]),
  );
  return column ?? (stripe.isComplete ? undefined : 'unknown');
}

/** Returns the condition as a test of a cell. A cell is an array of values, which filters treat like any array. */
function cellTest(condition: Condition): (cell: Cell) => boolean {
  const test: EventTest = compileFilter({
    stages: [{ ...condition, field: { ...condition.field, path: ['cell'] } }],
  });
  return (cell) => test({ cell });
}

function evaluateCodes(
  test: (cell: Cell) => boolean,
  column: CodesColumn,
  { rows }: Stripe,
  chunks: ChunkBytes | undefined,
  wanted: Set<Chunk>,
): Verdicts {
  const cells = column.cells ?? (column.dictionary && chunks?.cells(column.dictionary));
  if (cells === undefined) {
    wanted.add(column.dictionary!);
    if (column.codes !== undefined) wanted.add(column.codes);
    return unsure;
  }
  const verdicts = Uint8Array.from(cells, (cell) => (test(cell) ? passes : fails));
  // No event has the empty cell if none lacks the field.
  const own = column.missing === 0 ? verdicts.subarray(1) : verdicts;
  if (own.every((verdict) => verdict === own[0])) return own[0]!;
  if (chunks === undefined) {
    wanted.add(column.codes!);
    return unsure;
  }
  const codes = chunks.codes(column, rows);
  const rowVerdicts = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) rowVerdicts[row] = verdicts[codes[row]!]!;
  return rowVerdicts;
}

function evaluateNumbers(condition: Condition, numbers: Float64Array): Verdicts {
  const test = cellTest(condition);
  const withoutValue = test([]) ? passes : fails;
  const cell: [number] = [0];
  const rowVerdicts = new Uint8Array(numbers.length);
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row]!;
    cell[0] = number;
    rowVerdicts[row] = Number.isNaN(number) ? withoutValue : test(cell) ? passes : fails;
  }
  return rowVerdicts;
}

/** A bloom filter can only rule out whole values. */
function evaluateOpaque(
  condition: Condition,
  { missing, bloom }: OpaqueColumn,
  { rows }: Stripe,
  chunks: ChunkBytes | undefined,
  wanted: Set<Chunk>,
): Verdicts {
  if (missing === rows) return holdsWithoutValue(condition) ? passes : fails;
  const values = comparedValues(condition);
  if (values === undefined) return unsure;
  const nonNull = values.filter((value) => value !== null);
  if (nonNull.length < values.length && missing > 0) return unsure;
  if (nonNull.length === 0) return fails;
  if (bloom === undefined) return unsure;
  if (chunks === undefined) {
    wanted.add(bloom);
    return unsure;
  }
  const bits = chunks.raw(bloom);
  return nonNull.some((value) => mayContain(bits, value)) ? unsure : fails;
}

/**
 * Whether the records of a stripe have to be read as well, since its columns leave a condition undecided. Bloom filters
 * are not considered yet.
 */
export function needsRecords(filter: Filter, stripe: Stripe): boolean {
  return conditionsOf(filter).some((condition) => {
    const column = columnAt(stripe, condition.field.path);
    if (column === 'unknown') return true;
    if (column?.kind !== 'opaque' || column.missing === stripe.rows) return false;
    return column.bloom === undefined || comparedValues(condition) === undefined;
  });
}

function comparedValues(condition: Condition) {
  if (condition.field.cast !== undefined) return undefined;
  if (condition.kind === 'comparison' && condition.operator === '==') return [condition.value];
  if (condition.kind === 'membership' && !condition.isNegated) return condition.values;
  return undefined;
}
