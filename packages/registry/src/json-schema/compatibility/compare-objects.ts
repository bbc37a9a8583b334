import { compareOthers, coveredAddition, coveringShape, isOpen, removal } from './compare-content-models.ts';
import { boundTypes, compareBounds } from './compare-values.ts';
import type { Comparing } from './comparing.ts';
import type { LazyShape, ObjectShape, Property } from './shape.ts';

/** Work of a search that takes as long as one comparison. */
const costPerStep = 16;

export function compareObjects(original: ObjectShape, update: ObjectShape, comparing: Comparing): void {
  comparing.work(original.properties.size + update.properties.size);
  compareRequired(original, update, comparing);
  compareProperties(original, update, comparing);
  compareDependencies(original, update, comparing);
  compareOthers(original, update, comparing);
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
    if (other !== undefined) {
      comparing.include(property.shape, other.shape, path);
      continue;
    }
    // Patterns of an open object are not searched.
    const covering = isOpen(update) ? undefined : coveringProperty(update, name, comparing);
    comparing.add(removal('PROPERTY', property.shape, update, covering, path, comparing), path);
  }
  for (const [name, property] of update.properties) {
    if (!original.properties.has(name)) compareAdded(name, property, original, update, comparing);
  }
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
  const covering = coveringProperty(original, name, comparing);
  if (covering !== undefined)
    comparing.add(coveredAddition('PROPERTY', shape, covering, path, comparing), path);
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

/** What an object that is not open says about a property that it does not name. */
function coveringProperty(object: ObjectShape, name: string, { work }: Comparing): LazyShape | undefined {
  for (const { search, shape } of object.patternProperties) {
    const pattern = search();
    work(1);
    // A pattern that RE2 lacks covers nothing.
    if (pattern.problem !== undefined) continue;
    work((pattern.cost * name.length) / costPerStep);
    if (pattern.finds(name)) return shape;
  }
  return coveringShape(object);
}
