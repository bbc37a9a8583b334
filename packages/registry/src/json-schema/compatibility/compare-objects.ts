import { boundTypes, compareBounds } from './compare-values.ts';
import type { Comparing } from './comparing.ts';
import type { DifferenceType } from './difference-types.ts';
import type { LazyShape, ObjectShape, Property, Shape } from './shape.ts';

/** Work of a search that takes as long as one comparison. */
const costPerStep = 16;

export function compareObjects(original: ObjectShape, update: ObjectShape, comparing: Comparing): void {
  comparing.work(original.properties.size + update.properties.size);
  compareRequired(original, update, comparing);
  compareProperties(original, update, comparing);
  compareDependencies(original, update, comparing);
  compareAdditional(original, update, comparing);
  compareUnevaluated(original.unevaluated, update.unevaluated, 'unevaluatedProperties', comparing);
  compareBounds('maxProperties', original.maxProperties, update.maxProperties, maxPropertiesTypes, comparing);
  compareBounds('minProperties', original.minProperties, update.minProperties, minPropertiesTypes, comparing);
}

const maxPropertiesTypes = boundTypes('MAX_PROPERTIES');
const minPropertiesTypes = boundTypes('MIN_PROPERTIES');

/** Only properties that both have; `required` without a property is not compared. */
function compareRequired(original: ObjectShape, update: ObjectShape, { add }: Comparing): void {
  for (const name of original.properties.keys()) {
    const property = update.properties.get(name);
    if (property === undefined || original.required.has(name) === update.required.has(name)) continue;
    const path = `required/${name}`;
    if (original.required.has(name)) add('REQUIRED_ATTRIBUTE_REMOVED', path);
    else
      add(property.hasDefault ? 'REQUIRED_ATTRIBUTE_WITH_DEFAULT_ADDED' : 'REQUIRED_ATTRIBUTE_ADDED', path);
  }
}

function compareProperties(original: ObjectShape, update: ObjectShape, comparing: Comparing): void {
  for (const [name, property] of original.properties) {
    const other = update.properties.get(name);
    const path = `properties/${name}`;
    if (other === undefined) comparing.add(removal(name, property, update, comparing), path);
    else comparing.include(property.shape, other.shape, path);
  }
  for (const [name, property] of update.properties) {
    if (!original.properties.has(name)) compareAdded(name, property, original, update, comparing);
  }
}

/** What removing a property is, by what the update says about other properties. */
function removal(
  name: string,
  { shape }: Property,
  update: ObjectShape,
  comparing: Comparing,
): DifferenceType {
  if (isOpen(update)) return 'PROPERTY_REMOVED_FROM_OPEN_CONTENT_MODEL';
  const covering = coveringShape(update, name, comparing);
  if (covering !== undefined) {
    comparing.include(shape, covering, `properties/${name}`);
    return comparing.isCompatible(shape, covering)
      ? 'PROPERTY_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL'
      : 'PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL';
  }
  return shape().kind === 'nothing'
    ? 'PROPERTY_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL'
    : 'PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL';
}

/** What the original says about other properties decides whether one may be added. */
function compareAdded(
  name: string,
  { shape, hasDefault }: Property,
  original: ObjectShape,
  update: ObjectShape,
  comparing: Comparing,
): void {
  const path = `properties/${name}`;
  const isRequired = update.required.has(name);
  if (isOpen(original)) {
    if (shape().kind === 'anything')
      comparing.add('PROPERTY_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL', path);
    else if (!isRequired) comparing.add('OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL', path);
    else if (hasDefault) comparing.add('REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL', path);
    else comparing.add('REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL', path);
    return;
  }
  const covering = coveringShape(original, name, comparing);
  if (covering !== undefined) {
    comparing.include(covering, shape, path);
    comparing.add(
      comparing.isCompatible(covering, shape)
        ? 'PROPERTY_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL'
        : 'PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL',
      path,
    );
  }
  if (!isRequired) comparing.add('OPTIONAL_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL', path);
  else if (hasDefault) comparing.add('REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_UNOPEN_CONTENT_MODEL', path);
  else comparing.add('REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL', path);
}

function compareDependencies(original: ObjectShape, update: ObjectShape, comparing: Comparing): void {
  for (const [name, properties] of original.requiredBy) {
    const path = `dependencies/${name}`;
    const others = update.requiredBy.get(name);
    if (others === undefined) comparing.add('DEPENDENCY_ARRAY_REMOVED', path);
    else if (properties.isSubsetOf(others)) {
      if (properties.size < others.size) comparing.add('DEPENDENCY_ARRAY_EXTENDED', path);
    } else {
      const isNarrower = others.isSubsetOf(properties);
      comparing.add(isNarrower ? 'DEPENDENCY_ARRAY_NARROWED' : 'DEPENDENCY_ARRAY_CHANGED', path);
    }
  }
  for (const name of update.requiredBy.keys()) {
    if (!original.requiredBy.has(name)) comparing.add('DEPENDENCY_ARRAY_ADDED', `dependencies/${name}`);
  }
  for (const [name, shape] of original.schemasBy) {
    const other = update.schemasBy.get(name);
    if (other === undefined) comparing.add('DEPENDENCY_SCHEMA_REMOVED', `dependencies/${name}`);
    else comparing.include(shape, other, `dependencies/${name}`);
  }
  for (const name of update.schemasBy.keys()) {
    if (!original.schemasBy.has(name)) comparing.add('DEPENDENCY_SCHEMA_ADDED', `dependencies/${name}`);
  }
}

function compareAdditional(
  { additional: original }: ObjectShape,
  { additional: update }: ObjectShape,
  comparing: Comparing,
): void {
  const path = 'additionalProperties';
  if (original.isPermitted !== update.isPermitted)
    comparing.add(update.isPermitted ? 'ADDITIONAL_PROPERTIES_ADDED' : 'ADDITIONAL_PROPERTIES_REMOVED', path);
  else if (original.shape !== undefined && update.shape !== undefined)
    comparing.include(original.shape, update.shape, path);
  else if (original.shape !== undefined) comparing.add('ADDITIONAL_PROPERTIES_EXTENDED', path);
  else if (update.shape !== undefined) comparing.add('ADDITIONAL_PROPERTIES_NARROWED', path);
}

/** Absent means that everything unevaluated is permitted. */
export function compareUnevaluated(
  original: LazyShape | undefined,
  update: LazyShape | undefined,
  path: 'unevaluatedProperties' | 'unevaluatedItems',
  comparing: Comparing,
): void {
  const kindOf = (shape: Shape | undefined) =>
    shape === undefined || shape.kind === 'anything' ? 'any' : shape.kind === 'nothing' ? 'none' : 'some';
  const from = kindOf(original?.());
  const to = kindOf(update?.());
  const name = path === 'unevaluatedItems' ? 'UNEVALUATED_ITEMS' : 'UNEVALUATED_PROPERTIES';
  if (from === 'some' && to === 'some') comparing.include(original!, update!, path);
  else if (from === to) return;
  else if (from === 'none') comparing.add(`${name}_ADDED`, path);
  else if (to === 'none') comparing.add(`${name}_REMOVED`, path);
  else comparing.add(from === 'any' ? `${name}_NARROWED` : `${name}_EXTENDED`, path);
}

/** Whether an object may have any other property, with any value. */
function isOpen({ additional, patternProperties, unevaluated }: ObjectShape): boolean {
  if (!additional.isPermitted || additional.shape !== undefined || patternProperties.length > 0) return false;
  return unevaluated === undefined || unevaluated().kind === 'anything';
}

/** What an object that is not open says about a property that it does not name. */
function coveringShape(
  { additional, patternProperties, unevaluated }: ObjectShape,
  name: string,
  { work }: Comparing,
): LazyShape | undefined {
  for (const { search, shape } of patternProperties) {
    const pattern = search();
    work(1);
    // A pattern that RE2 lacks covers nothing.
    if (pattern.problem !== undefined) continue;
    work((pattern.cost * name.length) / costPerStep);
    if (pattern.finds(name)) return shape;
  }
  if (additional.shape !== undefined) return additional.shape;
  if (!additional.isPermitted || unevaluated === undefined) return undefined;
  const { kind } = unevaluated();
  return kind === 'nothing' || kind === 'anything' ? undefined : unevaluated;
}
