import { printPath, quoteText } from './quoting.ts';
import {
  type Condition,
  type Expression,
  type Field,
  type Filter,
  isJunction,
  type Literal,
} from './tree.ts';

/** Prints a filter in its one normal form. Parsing the result gives the same tree. */
export function printFilter({ stages }: Filter): string {
  return stages.map(printExpression).join(' | ');
}

function printExpression(expression: Expression): string {
  if (!isJunction(expression)) return printCondition(expression);
  const { kind, operands } = expression;
  return operands.map((operand) => inParentheses(operand, kind)).join(` ${kind} `);
}

/** Only an `and` within an `or` needs no parentheses: it binds tighter. */
function inParentheses(operand: Expression, around: 'and' | 'or'): string {
  const text = printExpression(operand);
  const needsNone = !isJunction(operand) || (operand.kind === 'and' && around === 'or');
  return needsNone ? text : `(${text})`;
}

function printCondition(condition: Condition): string {
  const field = printField(condition.field);
  switch (condition.kind) {
    case 'comparison':
      return `${field} ${condition.operator} ${printLiteral(condition.value)}`;
    case 'match':
      return `${field} ${condition.isNegated ? 'not like' : 'like'} ${quoteText(condition.pattern)}`;
    case 'membership': {
      const values = condition.values.map(printLiteral).join(', ');
      return `${field} ${condition.isNegated ? 'not in' : 'in'} [${values}]`;
    }
  }
}

export function printField({ path, cast }: Field): string {
  return cast === undefined ? printPath(path) : `${printPath(path)}::${cast}`;
}

export function printLiteral(value: Literal): string {
  return typeof value === 'string' ? quoteText(value) : String(value);
}
