import { compareUnevaluated } from './compare-objects.ts';
import { boundTypes, compareBounds } from './compare-values.ts';
import type { Comparing } from './comparing.ts';
import type { DifferenceType } from './difference-types.ts';
import type { ArrayShape, LazyShape } from './shape.ts';

export function compareArrays(original: ArrayShape, update: ArrayShape, comparing: Comparing): void {
  comparing.work(original.firstItems.length + update.firstItems.length);
  compareItems(original.items, update.items, comparing);
  compareFirstItems(original, update, comparing);
  compareAdditional(original, update, comparing);
  compareUnevaluated(original.unevaluated, update.unevaluated, 'unevaluatedItems', comparing);
  for (const [keyword, types] of arrayBounds)
    compareBounds(keyword, original[keyword], update[keyword], types, comparing);
  if (original.hasUniqueItems !== update.hasUniqueItems)
    comparing.add(original.hasUniqueItems ? 'UNIQUE_ITEMS_REMOVED' : 'UNIQUE_ITEMS_ADDED', 'uniqueItems');
}

const arrayBounds = [
  ['maxItems', boundTypes('MAX_ITEMS')],
  ['minItems', boundTypes('MIN_ITEMS')],
  ['maxContains', boundTypes('MAX_CONTAINS')],
  ['minContains', boundTypes('MIN_CONTAINS')],
] as const;

function compareItems(
  original: LazyShape | undefined,
  update: LazyShape | undefined,
  comparing: Comparing,
): void {
  if (original !== undefined && update !== undefined) comparing.include(original, update, 'items');
  else if (original !== undefined) comparing.add('SCHEMA_REMOVED', 'items');
  else if (update !== undefined) comparing.add('SCHEMA_ADDED', 'items');
}

function compareFirstItems(original: ArrayShape, update: ArrayShape, comparing: Comparing): void {
  for (const [index, shape] of original.firstItems.entries()) {
    const other = update.firstItems[index];
    const path = `items/${index}`;
    if (other !== undefined) comparing.include(shape, other, path);
    else comparing.add(removal(shape, update, path, comparing), path);
  }
  for (const [index, shape] of update.firstItems.entries()) {
    const path = `items/${index}`;
    if (index >= original.firstItems.length) comparing.add(addition(shape, original, path, comparing), path);
  }
}

/** What removing an item is, by what the update says about other items. */
function removal(shape: LazyShape, update: ArrayShape, path: string, comparing: Comparing): DifferenceType {
  if (isOpen(update)) return 'ITEM_REMOVED_FROM_OPEN_CONTENT_MODEL';
  const covering = coveringShape(update);
  if (covering !== undefined) {
    comparing.include(shape, covering, path);
    return comparing.isCompatible(shape, covering)
      ? 'ITEM_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL'
      : 'ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL';
  }
  return shape().kind === 'nothing'
    ? 'ITEM_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL'
    : 'ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL';
}

/** What adding an item is, by what the original says about other items. */
function addition(
  shape: LazyShape,
  original: ArrayShape,
  path: string,
  comparing: Comparing,
): DifferenceType {
  if (isOpen(original)) {
    return shape().kind === 'anything'
      ? 'ITEM_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL'
      : 'ITEM_ADDED_TO_OPEN_CONTENT_MODEL';
  }
  const covering = coveringShape(original);
  if (covering === undefined) return 'ITEM_ADDED_TO_CLOSED_CONTENT_MODEL';
  comparing.include(covering, shape, path);
  return comparing.isCompatible(covering, shape)
    ? 'ITEM_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL'
    : 'ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL';
}

function compareAdditional(
  { additional: original }: ArrayShape,
  { additional: update }: ArrayShape,
  comparing: Comparing,
): void {
  const path = 'additionalItems';
  if (original.isPermitted !== update.isPermitted)
    comparing.add(update.isPermitted ? 'ADDITIONAL_ITEMS_ADDED' : 'ADDITIONAL_ITEMS_REMOVED', path);
  else if (original.shape !== undefined && update.shape !== undefined)
    comparing.include(original.shape, update.shape, path);
  else if (original.shape !== undefined) comparing.add('ADDITIONAL_ITEMS_EXTENDED', path);
  else if (update.shape !== undefined) comparing.add('ADDITIONAL_ITEMS_NARROWED', path);
}

/** Whether there may be any other item. */
function isOpen({ additional, unevaluated }: ArrayShape): boolean {
  if (!additional.isPermitted || additional.shape !== undefined) return false;
  return unevaluated === undefined || unevaluated().kind === 'anything';
}

/** What an array that is not open says about other items. */
function coveringShape({ additional, unevaluated }: ArrayShape): LazyShape | undefined {
  if (additional.shape !== undefined) return additional.shape;
  if (!additional.isPermitted || unevaluated === undefined) return undefined;
  const { kind } = unevaluated();
  return kind === 'nothing' || kind === 'anything' ? undefined : unevaluated;
}
