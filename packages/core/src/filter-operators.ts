/** The operators of event filters, as written. The package `events` defines their meaning. */
export const filterOperators = [
  '==',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  'like',
  'not like',
  'in',
  'not in',
] as const;

export type FilterOperator = (typeof filterOperators)[number];
