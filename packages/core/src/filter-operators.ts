/** The operators of filters of events, as they are written. What they mean stands in the package `events`. */
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
