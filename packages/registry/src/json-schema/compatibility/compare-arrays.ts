import { compareOthers, coveredAddition, coveringShape, isOpen, removal } from './compare-content-models.ts';
import { boundTypes, compareBounds } from './compare-values.ts';
import type { Comparing } from './comparing.ts';
import type { DifferenceType } from './difference-types.ts';
import type { ArrayShape, LazyShape } from './shape.ts';

export function compareArrays(original: ArrayShape, update: ArrayShape, comparing: Comparing): void {
  comparing.work(original.firstItems.length + update.firstItems.length);
  compareItems(original.items, update.items, comparing);
  compareFirstItems(original, update, comparing);
  compareOthers(original, update, comparing);
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
    else comparing.add(removal('ITEM', shape, update, coveringShape(update), path, comparing), path);
  }
  for (const [index, shape] of update.firstItems.entries()) {
    const path = `items/${index}`;
    if (index >= original.firstItems.length) comparing.add(addition(shape, original, path, comparing), path);
  }
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
  return coveredAddition('ITEM', shape, covering, path, comparing);
}
