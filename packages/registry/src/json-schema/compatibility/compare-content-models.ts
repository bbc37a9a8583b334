import type { Comparing } from './comparing.ts';
import type { DifferenceType } from './difference-types.ts';
import type { ArrayShape, LazyShape, ObjectShape, Shape } from './shape.ts';

/** What arrays and objects share: they list items or properties, and say which others there may be. */
type ContentModel = ArrayShape | ObjectShape;

const wordsOf = {
  array: { keyword: 'Items', others: 'ITEMS' },
  object: { keyword: 'Properties', others: 'PROPERTIES' },
} as const;

/** Compares what is said about items or properties that are not listed. */
export function compareOthers<Model extends ContentModel>(
  original: Model,
  update: Model,
  comparing: Comparing,
): void {
  const { keyword, others } = wordsOf[original.kind];
  compareAdditional(original, update, `additional${keyword}`, `ADDITIONAL_${others}`, comparing);
  compareUnevaluated(original, update, `unevaluated${keyword}`, `UNEVALUATED_${others}`, comparing);
}

function compareAdditional(
  { additional: original }: ContentModel,
  { additional: update }: ContentModel,
  path: string,
  name: 'ADDITIONAL_ITEMS' | 'ADDITIONAL_PROPERTIES',
  comparing: Comparing,
): void {
  if (original.isPermitted !== update.isPermitted)
    comparing.add(update.isPermitted ? `${name}_ADDED` : `${name}_REMOVED`, path);
  else if (original.shape !== undefined && update.shape !== undefined)
    comparing.include(original.shape, update.shape, path);
  else if (original.shape !== undefined) comparing.add(`${name}_EXTENDED`, path);
  else if (update.shape !== undefined) comparing.add(`${name}_NARROWED`, path);
}

/** Absent means that everything unevaluated is permitted. */
function compareUnevaluated(
  { unevaluated: original }: ContentModel,
  { unevaluated: update }: ContentModel,
  path: string,
  name: 'UNEVALUATED_ITEMS' | 'UNEVALUATED_PROPERTIES',
  comparing: Comparing,
): void {
  const kindOf = (shape: Shape | undefined) =>
    shape === undefined || shape.kind === 'anything' ? 'any' : shape.kind === 'nothing' ? 'none' : 'some';
  const from = kindOf(original?.());
  const to = kindOf(update?.());
  if (from === 'some' && to === 'some') comparing.include(original!, update!, path);
  else if (from === to) return;
  else if (from === 'none') comparing.add(`${name}_ADDED`, path);
  else if (to === 'none') comparing.add(`${name}_REMOVED`, path);
  else comparing.add(from === 'any' ? `${name}_NARROWED` : `${name}_EXTENDED`, path);
}

/** Whether there may be any other item or property, with any value. */
export function isOpen(model: ContentModel): boolean {
  const { additional, unevaluated } = model;
  if (!additional.isPermitted || additional.shape !== undefined) return false;
  if (model.kind === 'object' && model.patternProperties.length > 0) return false;
  return unevaluated === undefined || unevaluated().kind === 'anything';
}

/** What a model that is not open says about others that no pattern names. */
export function coveringShape({ additional, unevaluated }: ContentModel): LazyShape | undefined {
  if (additional.shape !== undefined) return additional.shape;
  if (!additional.isPermitted || unevaluated === undefined) return undefined;
  const { kind } = unevaluated();
  return kind === 'nothing' || kind === 'anything' ? undefined : unevaluated;
}

/** What removing a member is, by whether the update is open, and by what it says about others. */
export function removal(
  member: 'ITEM' | 'PROPERTY',
  shape: LazyShape,
  update: ContentModel,
  covering: LazyShape | undefined,
  path: string,
  comparing: Comparing,
): DifferenceType {
  if (isOpen(update)) return `${member}_REMOVED_FROM_OPEN_CONTENT_MODEL`;
  if (covering !== undefined) {
    comparing.include(shape, covering, path);
    return comparing.isCompatible(shape, covering)
      ? `${member}_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL`
      : `${member}_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL`;
  }
  return shape().kind === 'nothing'
    ? `${member}_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL`
    : `${member}_REMOVED_FROM_CLOSED_CONTENT_MODEL`;
}

/** What adding a member is that the original covers by what it says about others. */
export function coveredAddition(
  member: 'ITEM' | 'PROPERTY',
  shape: LazyShape,
  covering: LazyShape,
  path: string,
  comparing: Comparing,
): DifferenceType {
  comparing.include(covering, shape, path);
  return comparing.isCompatible(covering, shape)
    ? `${member}_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL`
    : `${member}_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL`;
}
