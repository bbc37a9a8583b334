/** Whether a difference lets data of the original pass the update: always, only under LENIENT, or never. */
export type Verdict = 'compatible' | 'lenient' | 'incompatible';

interface DifferenceRow {
  readonly verdict: Verdict;
  /** What users read; `{update}` and `{original}` become the names of the schemas and `{path}` the place. */
  readonly text: string;
}

const compatible = (text: string): DifferenceRow => ({ verdict: 'compatible', text });
const lenient = (text: string): DifferenceRow => ({ verdict: 'lenient', text });
const incompatible = (text: string): DifferenceRow => ({ verdict: 'incompatible', text });

const added = (what: string) =>
  `the {update} schema adds ${what} at '{path}', which the {original} schema does not have`;
const removed = (what: string) =>
  `the {update} schema no longer has ${what} that the {original} schema has at '{path}'`;
const raised = (what: string) =>
  `${what} at '{path}' is higher in the {update} schema than in the {original} schema`;
const lowered = (what: string) =>
  `${what} at '{path}' is lower in the {update} schema than in the {original} schema`;
const changed = (what: string) =>
  `${what} at '{path}' differs between the {update} and the {original} schema`;
const narrower = (what: string) =>
  `${what} at '{path}' allows less in the {update} schema than in the {original} schema`;
const wider = (what: string) =>
  `${what} at '{path}' allows more in the {update} schema than in the {original} schema`;

type BoundRows<Name extends string> = Record<
  `${Name}_${'ADDED' | 'REMOVED' | 'INCREASED' | 'DECREASED'}`,
  DifferenceRow
>;

/** The rows of a keyword that is a limit from above. */
function upperBound<Name extends string>(name: Name, what: string): BoundRows<Name> {
  return {
    [`${name}_ADDED`]: incompatible(added(`${what.startsWith('e') ? 'an' : 'a'} ${what}`)),
    [`${name}_REMOVED`]: compatible(removed(`the ${what}`)),
    [`${name}_INCREASED`]: compatible(raised(`the ${what}`)),
    [`${name}_DECREASED`]: incompatible(lowered(`the ${what}`)),
  } as BoundRows<Name>;
}

/** The rows of a keyword that is a limit from below. */
function lowerBound<Name extends string>(name: Name, what: string): BoundRows<Name> {
  return {
    ...upperBound(name, what),
    [`${name}_INCREASED`]: incompatible(raised(`the ${what}`)),
    [`${name}_DECREASED`]: compatible(lowered(`the ${what}`)),
  };
}

/** All types of differences by name, as Confluent's registry names them. */
export const differenceTypes = {
  ID_CHANGED: compatible(changed('the id')),
  DESCRIPTION_CHANGED: compatible(changed('the description')),
  TITLE_CHANGED: compatible(changed('the title')),
  DEFAULT_CHANGED: compatible(changed('the default')),
  SCHEMA_REMOVED: compatible(removed('the schema')),
  SCHEMA_ADDED: incompatible(added('a schema')),
  TYPE_EXTENDED: compatible(wider('the type')),
  TYPE_NARROWED: incompatible(narrower('the type')),
  TYPE_CHANGED: incompatible(changed('the type')),

  ...upperBound('MAX_LENGTH', 'maximum length'),
  ...lowerBound('MIN_LENGTH', 'minimum length'),
  PATTERN_ADDED: incompatible(added('a pattern')),
  PATTERN_REMOVED: compatible(removed('the pattern')),
  PATTERN_CHANGED: incompatible(changed('the pattern')),

  ...upperBound('MAXIMUM', 'maximum'),
  ...lowerBound('MINIMUM', 'minimum'),
  ...upperBound('EXCLUSIVE_MAXIMUM', 'exclusive maximum'),
  ...lowerBound('EXCLUSIVE_MINIMUM', 'exclusive minimum'),
  MULTIPLE_OF_ADDED: incompatible(added('a multipleOf')),
  MULTIPLE_OF_REMOVED: compatible(removed('the multipleOf')),
  MULTIPLE_OF_EXPANDED: incompatible(
    "the multipleOf at '{path}' of the {update} schema is a multiple of that of the {original} schema",
  ),
  MULTIPLE_OF_REDUCED: compatible(
    "the multipleOf at '{path}' of the {original} schema is a multiple of that of the {update} schema",
  ),
  MULTIPLE_OF_CHANGED: incompatible(changed('the multipleOf')),

  REQUIRED_ATTRIBUTE_ADDED: incompatible(
    "the {update} schema requires the property at '{path}', which is optional in the {original} schema and has no default",
  ),
  REQUIRED_ATTRIBUTE_WITH_DEFAULT_ADDED: compatible(
    "the {update} schema requires the property at '{path}', which has a default",
  ),
  REQUIRED_ATTRIBUTE_REMOVED: compatible(
    "the property at '{path}' is no longer required in the {update} schema",
  ),
  ...upperBound('MAX_PROPERTIES', 'maximum of properties'),
  ...lowerBound('MIN_PROPERTIES', 'minimum of properties'),
  ADDITIONAL_PROPERTIES_ADDED: compatible("the {update} schema permits additional properties at '{path}'"),
  ADDITIONAL_PROPERTIES_REMOVED: lenient(
    "the {update} schema permits no additional properties at '{path}', unlike the {original} schema",
  ),
  ADDITIONAL_PROPERTIES_EXTENDED: compatible(wider('additionalProperties')),
  ADDITIONAL_PROPERTIES_NARROWED: lenient(narrower('additionalProperties')),
  UNEVALUATED_PROPERTIES_ADDED: compatible("the {update} schema permits unevaluated properties at '{path}'"),
  UNEVALUATED_PROPERTIES_REMOVED: lenient(
    "the {update} schema permits no unevaluated properties at '{path}', unlike the {original} schema",
  ),
  UNEVALUATED_PROPERTIES_EXTENDED: compatible(wider('unevaluatedProperties')),
  UNEVALUATED_PROPERTIES_NARROWED: lenient(narrower('unevaluatedProperties')),
  DEPENDENCY_ARRAY_ADDED: incompatible(added('a dependency on properties')),
  DEPENDENCY_ARRAY_REMOVED: compatible(removed('the dependency on properties')),
  DEPENDENCY_ARRAY_EXTENDED: incompatible(
    "the dependency at '{path}' requires more properties in the {update} schema than in the {original} schema",
  ),
  DEPENDENCY_ARRAY_NARROWED: compatible(
    "the dependency at '{path}' requires fewer properties in the {update} schema than in the {original} schema",
  ),
  DEPENDENCY_ARRAY_CHANGED: incompatible(
    "the dependency at '{path}' requires other properties in the {update} schema than in the {original} schema",
  ),
  DEPENDENCY_SCHEMA_ADDED: incompatible(added('a dependency on a schema')),
  DEPENDENCY_SCHEMA_REMOVED: compatible(removed('the dependency on a schema')),
  PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL: incompatible(
    "the {update} schema adds the property at '{path}' to an open content model",
  ),
  PROPERTY_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL: compatible(
    "the {update} schema adds the property at '{path}', which may be anything",
  ),
  REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL: incompatible(
    "the {update} schema adds the required property at '{path}', which has no default, and the {original} schema has an open content model",
  ),
  REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL: lenient(
    "the {update} schema adds the required property at '{path}', and the {original} schema has an open content model, so that it may allow other values there",
  ),
  OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL: lenient(
    "the {update} schema adds the property at '{path}', and the {original} schema has an open content model, so that it may allow other values there",
  ),
  REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL: incompatible(
    "the {update} schema adds the required property at '{path}', which has no default",
  ),
  REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_UNOPEN_CONTENT_MODEL: compatible(
    "the {update} schema adds the required property at '{path}', which has a default",
  ),
  OPTIONAL_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL: compatible(
    "the {update} schema adds the optional property at '{path}'",
  ),
  PROPERTY_REMOVED_FROM_OPEN_CONTENT_MODEL: compatible(
    "the {update} schema has an open content model without the property at '{path}'",
  ),
  PROPERTY_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL: compatible(
    "the {update} schema drops the property at '{path}', which never had a value",
  ),
  PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL: lenient(
    "the {update} schema has a closed content model without the property at '{path}' of the {original} schema",
  ),
  PROPERTY_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: compatible(
    "the {update} schema covers the removed property at '{path}' by other keywords",
  ),
  PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: lenient(
    "the {update} schema drops the property at '{path}', and what it says about other properties does not allow its values",
  ),
  PROPERTY_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: compatible(
    "the {original} schema covers the added property at '{path}' by other keywords",
  ),
  PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: lenient(
    "the {update} schema adds the property at '{path}', and it does not allow all values that the {original} schema allows there",
  ),
  RESERVED_PROPERTY_REMOVED: incompatible("the {update} schema no longer reserves the property '{path}'"),
  RESERVED_PROPERTY_CONFLICTS_WITH_PROPERTY: incompatible(
    "the {update} schema has the property at '{path}', which is reserved",
  ),

  ...upperBound('MAX_ITEMS', 'maximum of items'),
  ...lowerBound('MIN_ITEMS', 'minimum of items'),
  ...upperBound('MAX_CONTAINS', 'maximum of contained items'),
  ...lowerBound('MIN_CONTAINS', 'minimum of contained items'),
  UNIQUE_ITEMS_ADDED: incompatible(
    "the items at '{path}' must be unique in the {update} schema, unlike in the {original} schema",
  ),
  UNIQUE_ITEMS_REMOVED: compatible("the items at '{path}' need not be unique in the {update} schema"),
  ADDITIONAL_ITEMS_ADDED: compatible("the {update} schema permits additional items at '{path}'"),
  ADDITIONAL_ITEMS_REMOVED: incompatible(
    "the {update} schema permits no additional items at '{path}', unlike the {original} schema",
  ),
  ADDITIONAL_ITEMS_EXTENDED: compatible(wider('additionalItems')),
  ADDITIONAL_ITEMS_NARROWED: incompatible(narrower('additionalItems')),
  UNEVALUATED_ITEMS_ADDED: compatible("the {update} schema permits unevaluated items at '{path}'"),
  UNEVALUATED_ITEMS_REMOVED: incompatible(
    "the {update} schema permits no unevaluated items at '{path}', unlike the {original} schema",
  ),
  UNEVALUATED_ITEMS_EXTENDED: compatible(wider('unevaluatedItems')),
  UNEVALUATED_ITEMS_NARROWED: incompatible(narrower('unevaluatedItems')),
  ITEM_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL: compatible(
    "the {update} schema adds the item at '{path}', which may be anything",
  ),
  ITEM_ADDED_TO_OPEN_CONTENT_MODEL: incompatible(
    "the {update} schema adds the item at '{path}', and the {original} schema has an open content model, so that it may allow other values there",
  ),
  ITEM_ADDED_TO_CLOSED_CONTENT_MODEL: compatible(
    "the {update} schema adds the item at '{path}' to a closed content model",
  ),
  ITEM_REMOVED_FROM_OPEN_CONTENT_MODEL: compatible(
    "the {update} schema has an open content model without the item at '{path}'",
  ),
  ITEM_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL: compatible(
    "the {update} schema drops the item at '{path}', which never had a value",
  ),
  ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL: incompatible(
    "the {update} schema has a closed content model without the item at '{path}' of the {original} schema",
  ),
  ITEM_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: compatible(
    "the {update} schema covers the removed item at '{path}' by other keywords",
  ),
  ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: incompatible(
    "the {update} schema drops the item at '{path}', and what it says about other items does not allow its values",
  ),
  ITEM_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: compatible(
    "the {original} schema covers the added item at '{path}' by other keywords",
  ),
  ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: incompatible(
    "the {update} schema adds the item at '{path}', and it does not allow all values that the {original} schema allows there",
  ),

  ENUM_ARRAY_EXTENDED: compatible(wider('the list of values')),
  ENUM_ARRAY_NARROWED: incompatible(narrower('the list of values')),
  ENUM_ARRAY_CHANGED: incompatible(changed('the list of values')),

  COMBINED_TYPE_EXTENDED: compatible(wider('the combination')),
  COMBINED_TYPE_CHANGED: incompatible(changed('the keyword of the combination')),
  COMBINED_TYPE_SUBSCHEMAS_CHANGED: incompatible(
    "subschemas of the combination at '{path}' have no compatible counterpart in the {update} schema",
  ),
  PRODUCT_TYPE_EXTENDED: incompatible(
    "the {update} schema demands more subschemas at '{path}' than the {original} schema",
  ),
  PRODUCT_TYPE_NARROWED: compatible(
    "the {update} schema demands fewer subschemas at '{path}' than the {original} schema",
  ),
  SUM_TYPE_EXTENDED: compatible(
    "the {update} schema has more alternatives at '{path}' than the {original} schema",
  ),
  SUM_TYPE_NARROWED: incompatible(
    "the {update} schema has fewer alternatives at '{path}' than the {original} schema",
  ),
  NOT_TYPE_EXTENDED: incompatible("the {update} schema excludes more at '{path}' than the {original} schema"),
  NOT_TYPE_NARROWED: compatible("the {update} schema excludes less at '{path}' than the {original} schema"),
} as const satisfies Readonly<Record<string, DifferenceRow>>;

export type DifferenceType = keyof typeof differenceTypes;

export function isIncompatible(type: DifferenceType, policy: 'STRICT' | 'LENIENT'): boolean {
  const { verdict } = differenceTypes[type];
  return verdict === 'incompatible' || (verdict === 'lenient' && policy === 'STRICT');
}
