import { compareDecimals, type Decimal, isMultiple } from '../decimal.ts';
import type { Comparing } from './comparing.ts';
import type { DifferenceType } from './difference-types.ts';
import type { NumberShape, StringShape } from './shape.ts';

/** The types of differences of one bound. */
interface BoundTypes {
  readonly added: DifferenceType;
  readonly removed: DifferenceType;
  readonly increased: DifferenceType;
  readonly decreased: DifferenceType;
}

type BoundName<Type> = Type extends `${infer Name}_DECREASED` ? Name : never;

/** The types of a bound by the first part of their names. */
export function boundTypes(name: BoundName<DifferenceType>): BoundTypes {
  return {
    added: `${name}_ADDED`,
    removed: `${name}_REMOVED`,
    increased: `${name}_INCREASED`,
    decreased: `${name}_DECREASED`,
  };
}

export function compareBounds(
  keyword: string,
  original: Decimal | undefined,
  update: Decimal | undefined,
  types: BoundTypes,
  { add }: Comparing,
): void {
  if (original === undefined && update === undefined) return;
  if (original === undefined) add(types.added, keyword);
  else if (update === undefined) add(types.removed, keyword);
  else {
    const order = compareDecimals(original, update);
    if (order !== 0) add(order < 0 ? types.increased : types.decreased, keyword);
  }
}

const maxLengthTypes = boundTypes('MAX_LENGTH');
const minLengthTypes = boundTypes('MIN_LENGTH');

export function compareStrings(original: StringShape, update: StringShape, comparing: Comparing): void {
  compareBounds('maxLength', original.maxLength, update.maxLength, maxLengthTypes, comparing);
  compareBounds('minLength', original.minLength, update.minLength, minLengthTypes, comparing);
  if (original.pattern === update.pattern) return;
  if (original.pattern === undefined) comparing.add('PATTERN_ADDED', 'pattern');
  else comparing.add(update.pattern === undefined ? 'PATTERN_REMOVED' : 'PATTERN_CHANGED', 'pattern');
}

const numberBounds = [
  ['maximum', boundTypes('MAXIMUM')],
  ['minimum', boundTypes('MINIMUM')],
  ['exclusiveMaximum', boundTypes('EXCLUSIVE_MAXIMUM')],
  ['exclusiveMinimum', boundTypes('EXCLUSIVE_MINIMUM')],
] as const;

export function compareNumbers(original: NumberShape, update: NumberShape, comparing: Comparing): void {
  for (const [keyword, types] of numberBounds)
    compareBounds(keyword, original[keyword], update[keyword], types, comparing);
  compareMultiples(original.multipleOf, update.multipleOf, comparing);
  if (original.isInteger !== update.isInteger)
    comparing.add(original.isInteger ? 'TYPE_EXTENDED' : 'TYPE_NARROWED');
}

function compareMultiples(
  original: Decimal | undefined,
  update: Decimal | undefined,
  { add }: Comparing,
): void {
  const keyword = 'multipleOf';
  if (original === undefined && update === undefined) return;
  if (original === undefined) add('MULTIPLE_OF_ADDED', keyword);
  else if (update === undefined) add('MULTIPLE_OF_REMOVED', keyword);
  else if (compareDecimals(original, update) === 0) return;
  else if (isMultiple(update, original)) add('MULTIPLE_OF_EXPANDED', keyword);
  else add(isMultiple(original, update) ? 'MULTIPLE_OF_REDUCED' : 'MULTIPLE_OF_CHANGED', keyword);
}

export function compareEnums(
  original: ReadonlySet<number>,
  update: ReadonlySet<number>,
  { add, work }: Comparing,
): void {
  work(original.size + update.size);
  const isWider = original.isSubsetOf(update);
  const isNarrower = update.isSubsetOf(original);
  if (isWider && isNarrower) return;
  add(isWider ? 'ENUM_ARRAY_EXTENDED' : isNarrower ? 'ENUM_ARRAY_NARROWED' : 'ENUM_ARRAY_CHANGED', 'enum');
}

export function compareConstants(original: number, update: number, { add }: Comparing): void {
  if (original !== update) add('ENUM_ARRAY_CHANGED', 'const');
}
