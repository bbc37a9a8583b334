import { nearestNames } from '@weir/core';
import { comparisonOperators } from './tree.ts';

/** Names of our operators in other languages. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['===', '=='],
  [':', '=='],
  ['eq', '=='],
  ['equals', '=='],
  ['is', '=='],
  ['!', '!='],
  ['!==', '!='],
  ['<>', '!='],
  ['ne', '!='],
  ['neq', '!='],
  ['=<', '<='],
  ['le', '<='],
  ['lte', '<='],
  ['=>', '>='],
  ['ge', '>='],
  ['gte', '>='],
  ['lt', '<'],
  ['gt', '>'],
  ['~', 'like'],
  ['=~', 'like'],
  ['ilike', 'like'],
  ['matches', 'like'],
  ['contains', 'like'],
  ['startswith', 'like'],
  ['endswith', 'like'],
  ['!~', 'not like'],
]);

const connectiveAliases: ReadonlyMap<string, string> = new Map([
  ['&&', 'and'],
  ['&', 'and'],
  [',', 'and'],
  ['||', 'or'],
]);

const wordOperators = ['like', 'in', 'not like', 'not in'];

export const operatorList = [...comparisonOperators, ...wordOperators].join(', ');

/** Returns the operator between a field and a value that the user probably meant. */
export function nearestOperator(text: string): string | undefined {
  const lower = text.toLowerCase();
  return aliases.get(lower) ?? nearestNames(lower, ['like', 'in', 'not'], 1)[0];
}

/** Returns the word between two conditions that the user probably meant. */
export function nearestConnective(text: string): string | undefined {
  return connectiveAliases.get(text) ?? nearestNames(text, ['and', 'or'], 1)[0];
}
