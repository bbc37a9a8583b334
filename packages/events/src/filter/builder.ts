import { coreLimits, type FilterOperator, filterOperators } from '@weir/core';
import { parseFilter } from './parse.ts';
import { printField, printFilter } from './print.ts';
import {
  type Condition,
  type Expression,
  everyEvent,
  type Field,
  type Filter,
  isJunction,
  type Literal,
} from './tree.ts';

/** A filter in the form of the visual builder: rows joined by `and` or `or`, and groups of them. */
export interface BuilderGroup {
  readonly join: 'and' | 'or';
  readonly rows: readonly (BuilderRow | BuilderGroup)[];
}

export interface BuilderRow {
  /** In the syntax of filters: `data.operation`, `` data.`odd name` ``, `data.port::int`. */
  readonly field: string;
  readonly operator: BuilderOperator;
  /** A list for `in` and `not in`, a pattern for `like` and `not like`, and one value for the others. */
  readonly value: Literal | readonly Literal[];
}

export const builderOperators = filterOperators;
type BuilderOperator = FilterOperator;

const emptyBuilder: BuilderGroup = { join: 'and', rows: [] };

interface BuilderProblem {
  /**
   * The path to a row: `[2, 0]` is the first row of the group at the third position. Empty for a problem of the whole
   * filter.
   */
  readonly row: readonly number[];
  readonly message: string;
}

type BuiltFilter =
  | { readonly filter: Filter; readonly problems?: undefined }
  | { readonly filter?: undefined; readonly problems: readonly BuilderProblem[] };

/**
 * Converts builder rows to a filter. A group without rows is dropped, and a group with a single row becomes the row.
 */
export function builderToFilter(builder: BuilderGroup): BuiltFilter {
  const problems: BuilderProblem[] = [];
  const root = groupToExpression(builder, []);
  if (problems.length > 0) return { problems: problems.slice(0, coreLimits.filterProblemsMax) };
  const filter = root === undefined ? everyEvent : { stages: [root] };
  // Rows that are valid one by one may exceed a limit together.
  const { problems: found = [] } = parseFilter(printFilter(filter));
  if (found.length > 0) return { problems: found.map(({ message }) => ({ row: [], message })) };
  return { filter };

  function groupToExpression({ join, rows }: BuilderGroup, place: readonly number[]): Expression | undefined {
    if (place.length > coreLimits.filterDepthMax) {
      problems.push({
        row: place,
        message: `groups may be nested ${coreLimits.filterDepthMax} deep at most`,
      });
      return undefined;
    }
    const operands = rows.flatMap((row, index) => {
      const inside = [...place, index];
      const operand = 'rows' in row ? groupToExpression(row, inside) : rowToCondition(row, inside);
      return operand === undefined ? [] : [operand];
    });
    return operands.length > 1 ? { kind: join, operands } : operands[0];
  }

  function rowToCondition(row: BuilderRow, place: readonly number[]): Condition | undefined {
    const field = readField(row.field);
    const condition = field === undefined ? undefined : conditionOf(field, row);
    if (field === undefined) problems.push({ row: place, message: `${row.field} is not a field` });
    else if (condition === undefined)
      problems.push({ row: place, message: `${row.operator} takes ${wantedValue[row.operator]}` });
    else {
      const { problems: [problem] = [] } = parseFilter(printFilter({ stages: [condition] }));
      if (problem === undefined) return condition;
      problems.push({ row: place, message: problem.message });
    }
    return undefined;
  }
}

const wantedValue: Readonly<Record<BuilderOperator, string>> = {
  '==': 'one value',
  '!=': 'one value',
  '<': 'one value',
  '>': 'one value',
  '<=': 'one value',
  '>=': 'one value',
  like: 'a pattern',
  'not like': 'a pattern',
  in: 'a list of values',
  'not in': 'a list of values',
};

/** Parses the field with the grammar, as the left side of a condition. */
function readField(text: string): Field | undefined {
  const [condition, ...others] = parseFilter(`${text} != null`).filter?.stages ?? [];
  return condition?.kind === 'comparison' && others.length === 0 ? condition.field : undefined;
}

function conditionOf(field: Field, { operator, value }: BuilderRow): Condition | undefined {
  switch (operator) {
    case 'like':
    case 'not like':
      if (typeof value !== 'string') return undefined;
      return { kind: 'match', field, isNegated: operator === 'not like', pattern: value };
    case 'in':
    case 'not in':
      if (!isList(value)) return undefined;
      return { kind: 'membership', field, isNegated: operator === 'not in', values: value };
    default:
      return isList(value) ? undefined : { kind: 'comparison', field, operator, value };
  }
}

function isList(value: BuilderRow['value']): value is readonly Literal[] {
  return Array.isArray(value);
}

/**
 * Converts a filter to an equivalent builder form. Chained filters become rows joined by `and`, since the form has no
 * chains; that is the only loss, and `isExact` reports whether it happened.
 */
export function filterToBuilder(filter: Filter): {
  readonly builder: BuilderGroup;
  readonly isExact: boolean;
} {
  const [first, ...others] = filter.stages.map(expressionToEntry);
  if (first === undefined) return { builder: emptyBuilder, isExact: true };
  if (others.length > 0) return { builder: { join: 'and', rows: [first, ...others] }, isExact: false };
  return { builder: 'rows' in first ? first : { join: 'and', rows: [first] }, isExact: true };
}

function expressionToEntry(expression: Expression): BuilderRow | BuilderGroup {
  if (!isJunction(expression)) return conditionToRow(expression);
  return { join: expression.kind, rows: expression.operands.map(expressionToEntry) };
}

function conditionToRow(condition: Condition): BuilderRow {
  const field = printField(condition.field);
  switch (condition.kind) {
    case 'comparison':
      return { field, operator: condition.operator, value: condition.value };
    case 'match':
      return { field, operator: condition.isNegated ? 'not like' : 'like', value: condition.pattern };
    case 'membership':
      return { field, operator: condition.isNegated ? 'not in' : 'in', value: condition.values };
  }
}
