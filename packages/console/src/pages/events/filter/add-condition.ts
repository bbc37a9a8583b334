import { parseFilter, printField, printLiteral } from '@weir/events';
import type { Literal } from './literal-text.ts';

/** The filter with one more condition, or `undefined` if the filter has mistakes. What it has already stays once. */
export function withCondition(
  filter: string,
  field: string,
  operator: '==' | '!=',
  value: Literal,
): string | undefined {
  const condition = `${field} ${operator} ${printLiteral(value)}`;
  const text = filter.trim();
  if (text === '') return condition;
  const stages = parseFilter(text).filter?.stages;
  if (stages === undefined) return undefined;
  const [last] = stages.slice(-1);
  const isThere = text.split(' and ').includes(condition) && stages.length === 1 && last!.kind !== 'or';
  if (isThere) return text;
  if (stages.length > 1) return `${text} | ${condition}`;
  return last!.kind === 'or' ? `(${text}) and ${condition}` : `${text} and ${condition}`;
}

/** A field by its keys, as filters write it. */
export function fieldName(path: readonly string[]): string {
  return printField({ path });
}
