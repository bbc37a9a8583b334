import { coreLimits, filterOperators } from '@weir/core';
import * as z from 'zod';
import { list, prose } from '../fields.ts';

/**
 * A filter built from rows, for users who do not write filters. The nesting depth is limited to what is usable in a
 * form; deeper filters are written as text.
 */
const value = () => z.union([prose(coreLimits.filterPatternCharsMax), z.number(), z.boolean()]).nullable();

const row = () =>
  z.strictObject({
    field: prose(1024).describe('The field, as in a filter.'),
    operator: z.enum(filterOperators).describe('The operator.'),
    value: z
      .union([value(), list(value(), coreLimits.filterListValuesMax)])
      .describe('The value: a list for `in` and `not in`, a pattern for `like` and `not like`.'),
  });

const group = <Entry extends z.ZodType>(entry: Entry) =>
  z.strictObject({
    join: z.enum(['and', 'or']).default('and').describe('Whether all rows must match, or any.'),
    rows: list(entry, coreLimits.filterConditionsMax).describe('Rows, and groups of them.'),
  });

export const filterBuilder = () => group(z.union([row(), group(z.union([row(), group(row())]))]));
