import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonSchemaFormat } from '../json-schema-format.ts';
import { type DifferenceType, differenceTypes, isIncompatible } from './difference-types.ts';
import { differencesOf } from './incompatibilities.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Case = readonly [original: Json, update: Json, path: string];

const string = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const latest = { $schema: 'https://json-schema.org/draft/2020-12/schema' };

const closed = (properties: Json = {}, other: Readonly<Record<string, Json>> = {}): Json => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...other,
});
const open = (properties: Json = {}, other: Readonly<Record<string, Json>> = {}): Json => ({
  type: 'object',
  properties,
  ...other,
});
const strings = (properties: Json = {}): Json => ({
  type: 'object',
  properties,
  additionalProperties: string,
});
const tuple = (items: readonly Json[], additionalItems: Json = true): Json => ({
  type: 'array',
  items,
  additionalItems,
});

/** The cases of a bound on a type of values, by what happens to it. */
function bound<Name extends string>(
  name: Name,
  type: string,
  keyword: string,
  others: Readonly<Record<string, Json>> = {},
) {
  const of = (value?: number): Json => ({
    type,
    ...others,
    ...(value === undefined ? {} : { [keyword]: value }),
  });
  const path = `#/${keyword}`;
  return {
    [`${name}_ADDED`]: [of(), of(5), path],
    [`${name}_REMOVED`]: [of(5), of(), path],
    [`${name}_INCREASED`]: [of(5), of(6), path],
    [`${name}_DECREASED`]: [of(6), of(5), path],
  } as unknown as Record<`${Name}_${'ADDED' | 'REMOVED' | 'INCREASED' | 'DECREASED'}`, Case>;
}

/** One change for each type of difference. */
const cases = {
  ID_CHANGED: [{ $id: 'a' }, { $id: 'b' }, '#/'],
  DESCRIPTION_CHANGED: [{ description: 'a' }, { description: 'b' }, '#/'],
  TITLE_CHANGED: [string, { ...string, title: 'b' }, '#/'],
  DEFAULT_CHANGED: [{ default: [1] }, { default: [2] }, '#/'],
  SCHEMA_REMOVED: [{ type: 'array', items: string }, { type: 'array' }, '#/items'],
  SCHEMA_ADDED: [{ type: 'array' }, { type: 'array', items: string }, '#/items'],
  TYPE_EXTENDED: [integer, number, '#/'],
  TYPE_NARROWED: [number, integer, '#/'],
  TYPE_CHANGED: [open({ a: string }), open({ a: number }), '#/properties/a'],

  ...bound('MAX_LENGTH', 'string', 'maxLength'),
  ...bound('MIN_LENGTH', 'string', 'minLength'),
  PATTERN_ADDED: [string, { ...string, pattern: 'a' }, '#/pattern'],
  PATTERN_REMOVED: [{ ...string, pattern: 'a' }, string, '#/pattern'],
  PATTERN_CHANGED: [{ ...string, pattern: 'a' }, { ...string, pattern: 'b' }, '#/pattern'],

  ...bound('MAXIMUM', 'number', 'maximum'),
  ...bound('MINIMUM', 'number', 'minimum'),
  ...bound('EXCLUSIVE_MAXIMUM', 'number', 'exclusiveMaximum'),
  ...bound('EXCLUSIVE_MINIMUM', 'number', 'exclusiveMinimum'),
  MULTIPLE_OF_ADDED: [number, { ...number, multipleOf: 0.5 }, '#/multipleOf'],
  MULTIPLE_OF_REMOVED: [{ ...number, multipleOf: 0.5 }, number, '#/multipleOf'],
  MULTIPLE_OF_EXPANDED: [{ multipleOf: 0.1 }, { multipleOf: 0.3 }, '#/multipleOf'],
  MULTIPLE_OF_REDUCED: [{ multipleOf: 0.3 }, { multipleOf: 0.1 }, '#/multipleOf'],
  MULTIPLE_OF_CHANGED: [{ multipleOf: 2 }, { multipleOf: 3 }, '#/multipleOf'],

  REQUIRED_ATTRIBUTE_ADDED: [open({ a: string }), open({ a: string }, { required: ['a'] }), '#/required/a'],
  REQUIRED_ATTRIBUTE_WITH_DEFAULT_ADDED: [
    open({ a: string }),
    open({ a: { ...string, default: '' } }, { required: ['a'] }),
    '#/required/a',
  ],
  REQUIRED_ATTRIBUTE_REMOVED: [open({ a: string }, { required: ['a'] }), open({ a: string }), '#/required/a'],
  ...bound('MAX_PROPERTIES', 'object', 'maxProperties'),
  ...bound('MIN_PROPERTIES', 'object', 'minProperties'),
  ADDITIONAL_PROPERTIES_ADDED: [closed(), open(), '#/additionalProperties'],
  ADDITIONAL_PROPERTIES_REMOVED: [open(), closed(), '#/additionalProperties'],
  ADDITIONAL_PROPERTIES_EXTENDED: [strings(), open(), '#/additionalProperties'],
  ADDITIONAL_PROPERTIES_NARROWED: [open(), strings(), '#/additionalProperties'],
  UNEVALUATED_PROPERTIES_ADDED: [
    { ...latest, unevaluatedProperties: false },
    { ...latest, unevaluatedProperties: string },
    '#/unevaluatedProperties',
  ],
  UNEVALUATED_PROPERTIES_REMOVED: [
    { ...latest, type: 'object' },
    { ...latest, type: 'object', unevaluatedProperties: false },
    '#/unevaluatedProperties',
  ],
  UNEVALUATED_PROPERTIES_EXTENDED: [
    { ...latest, unevaluatedProperties: string },
    { ...latest, unevaluatedProperties: true },
    '#/unevaluatedProperties',
  ],
  UNEVALUATED_PROPERTIES_NARROWED: [
    { ...latest, unevaluatedProperties: true },
    { ...latest, unevaluatedProperties: string },
    '#/unevaluatedProperties',
  ],
  DEPENDENCY_ARRAY_ADDED: [
    { ...latest, dependentRequired: {} },
    { ...latest, dependentRequired: { a: ['b'] } },
    '#/dependencies/a',
  ],
  DEPENDENCY_ARRAY_REMOVED: [{ dependencies: { a: ['b'] } }, { dependencies: {} }, '#/dependencies/a'],
  DEPENDENCY_ARRAY_EXTENDED: [
    { dependencies: { a: ['b'] } },
    { dependencies: { a: ['c', 'b'] } },
    '#/dependencies/a',
  ],
  DEPENDENCY_ARRAY_NARROWED: [
    { dependencies: { a: ['b', 'c'] } },
    { dependencies: { a: ['c'] } },
    '#/dependencies/a',
  ],
  DEPENDENCY_ARRAY_CHANGED: [
    { dependencies: { a: ['b'] } },
    { dependencies: { a: ['c'] } },
    '#/dependencies/a',
  ],
  DEPENDENCY_SCHEMA_ADDED: [
    { ...latest, dependentSchemas: {} },
    { ...latest, dependentSchemas: { a: string } },
    '#/dependencies/a',
  ],
  DEPENDENCY_SCHEMA_REMOVED: [
    { dependencies: { a: { minProperties: 2 } } },
    { dependencies: {} },
    '#/dependencies/a',
  ],
  PROPERTY_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL: [open(), open({ a: {} }), '#/properties/a'],
  REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL: [
    open(),
    open({ a: string }, { required: ['a'] }),
    '#/properties/a',
  ],
  REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL: [
    open(),
    open({ a: { ...string, default: '' } }, { required: ['a'] }),
    '#/properties/a',
  ],
  OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL: [open(), open({ a: string }), '#/properties/a'],
  REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL: [
    closed(),
    closed({ a: string }, { required: ['a'] }),
    '#/properties/a',
  ],
  REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_UNOPEN_CONTENT_MODEL: [
    closed(),
    closed({ a: { ...string, default: '' } }, { required: ['a'] }),
    '#/properties/a',
  ],
  OPTIONAL_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL: [closed(), closed({ a: string }), '#/properties/a'],
  PROPERTY_REMOVED_FROM_OPEN_CONTENT_MODEL: [open({ a: string }), open(), '#/properties/a'],
  PROPERTY_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL: [closed({ a: false }), closed(), '#/properties/a'],
  PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL: [closed({ a: string }), closed(), '#/properties/a'],
  PROPERTY_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    strings({ a: string }),
    strings(),
    '#/properties/a',
  ],
  PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    strings({ ab: number }),
    closed({}, { patternProperties: { '^a': integer } }),
    '#/properties/ab',
  ],
  PROPERTY_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    closed({}, { patternProperties: { b$: integer } }),
    closed({ ab: number }),
    '#/properties/ab',
  ],
  PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    strings(),
    strings({ a: number }),
    '#/properties/a',
  ],

  ...bound('MAX_ITEMS', 'array', 'maxItems'),
  ...bound('MIN_ITEMS', 'array', 'minItems'),
  ...bound('MAX_CONTAINS', 'array', 'maxContains', latest),
  ...bound('MIN_CONTAINS', 'array', 'minContains', latest),
  UNIQUE_ITEMS_ADDED: [{ uniqueItems: false }, { uniqueItems: true }, '#/uniqueItems'],
  UNIQUE_ITEMS_REMOVED: [{ uniqueItems: true }, { type: 'array' }, '#/uniqueItems'],
  ADDITIONAL_ITEMS_ADDED: [tuple([string], false), tuple([string]), '#/additionalItems'],
  ADDITIONAL_ITEMS_REMOVED: [{ ...latest, items: true }, { ...latest, items: false }, '#/additionalItems'],
  ADDITIONAL_ITEMS_EXTENDED: [tuple([string], string), tuple([string]), '#/additionalItems'],
  ADDITIONAL_ITEMS_NARROWED: [tuple([string]), tuple([string], string), '#/additionalItems'],
  UNEVALUATED_ITEMS_ADDED: [
    { ...latest, unevaluatedItems: false },
    { ...latest, type: 'array' },
    '#/unevaluatedItems',
  ],
  UNEVALUATED_ITEMS_REMOVED: [
    { ...latest, unevaluatedItems: string },
    { ...latest, unevaluatedItems: false },
    '#/unevaluatedItems',
  ],
  UNEVALUATED_ITEMS_EXTENDED: [
    { ...latest, unevaluatedItems: string },
    { ...latest, unevaluatedItems: {} },
    '#/unevaluatedItems',
  ],
  UNEVALUATED_ITEMS_NARROWED: [
    { ...latest, unevaluatedItems: true },
    { ...latest, unevaluatedItems: string },
    '#/unevaluatedItems',
  ],
  ITEM_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL: [
    tuple([string]),
    tuple([string, { title: 'anything' }]),
    '#/items/1',
  ],
  ITEM_ADDED_TO_OPEN_CONTENT_MODEL: [tuple([string]), tuple([string, string]), '#/items/1'],
  ITEM_ADDED_TO_CLOSED_CONTENT_MODEL: [tuple([string], false), tuple([string, string], false), '#/items/1'],
  ITEM_REMOVED_FROM_OPEN_CONTENT_MODEL: [tuple([string, string]), tuple([string]), '#/items/1'],
  ITEM_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL: [
    tuple([string, false], false),
    tuple([string], false),
    '#/items/1',
  ],
  ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL: [
    { ...latest, prefixItems: [string, string], items: false },
    { ...latest, prefixItems: [string], items: false },
    '#/items/1',
  ],
  ITEM_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    tuple([string, integer], number),
    tuple([string], number),
    '#/items/1',
  ],
  ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    { ...latest, prefixItems: [string, number], unevaluatedItems: string },
    { ...latest, prefixItems: [string], unevaluatedItems: string },
    '#/items/1',
  ],
  ITEM_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    tuple([string], integer),
    tuple([string, number], integer),
    '#/items/1',
  ],
  ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL: [
    tuple([string], integer),
    tuple([string, string], integer),
    '#/items/1',
  ],

  ENUM_ARRAY_EXTENDED: [{ enum: [1, { a: 1, b: 2 }] }, { enum: [{ b: 2, a: 1 }, 2, 1] }, '#/enum'],
  ENUM_ARRAY_NARROWED: [{ enum: [1, 2] }, { enum: [2] }, '#/enum'],
  ENUM_ARRAY_CHANGED: [{ const: 1 }, { const: 2 }, '#/const'],

  COMBINED_TYPE_EXTENDED: [{ allOf: [string, { minLength: 1 }] }, { oneOf: [string] }, '#/'],
  COMBINED_TYPE_CHANGED: [{ anyOf: [string, number] }, { oneOf: [string, number] }, '#/'],
  COMBINED_TYPE_SUBSCHEMAS_CHANGED: [
    { anyOf: [string, integer] },
    { anyOf: [number, { type: 'null' }] },
    '#/',
  ],
  PRODUCT_TYPE_EXTENDED: [{ allOf: [string] }, { allOf: [string, { minLength: 1 }] }, '#/'],
  PRODUCT_TYPE_NARROWED: [{ type: 'string', enum: ['a'] }, string, '#/'],
  SUM_TYPE_EXTENDED: [string, { type: ['null', 'string'] }, '#/'],
  SUM_TYPE_NARROWED: [{ oneOf: [string, number] }, { oneOf: [string] }, '#/'],
  NOT_TYPE_EXTENDED: [{ not: integer }, { not: number }, '#/not'],
  NOT_TYPE_NARROWED: [{ not: number }, { not: integer }, '#/not'],
} as const satisfies Partial<Record<DifferenceType, Case>>;

/** No change has these. Reserved names are checked for all formats in one place, without a type. */
const withoutCase = [
  'PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL',
  'RESERVED_PROPERTY_REMOVED',
  'RESERVED_PROPERTY_CONFLICTS_WITH_PROPERTY',
] as const satisfies readonly DifferenceType[];

function parse(schema: Json) {
  return jsonSchemaFormat.parse({ text: JSON.stringify(schema), references: [] });
}

test('there are 132 types of differences, and each has a case or is listed as having none', () => {
  const names = Object.keys(differenceTypes).sort();
  assert.equal(names.length, 132);
  assert.deepEqual([...Object.keys(cases), ...withoutCase].sort(), names);
  const verdicts = Object.values(differenceTypes).map(({ verdict }) => verdict);
  const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
  assert.deepEqual([count('compatible'), count('lenient'), count('incompatible')], [65, 9, 58]);
});

for (const [type, [original, update, path]] of Object.entries(cases) as [DifferenceType, Case][]) {
  test(`${type} at ${path}`, () => {
    const from = parse(original);
    const to = parse(update);
    const all = differencesOf(from.documents, to.documents, 'STRICT', 'all');
    assert.deepEqual(
      all.filter((difference) => difference.type === type).map((difference) => difference.path),
      [path],
      JSON.stringify(all),
    );
    for (const policy of ['STRICT', 'LENIENT'] as const) {
      const reported = jsonSchemaFormat.incompatibilities(to, from, { reader: 'new', policy });
      const isReported = reported.some((incompatibility) => incompatibility.type === type);
      assert.equal(isReported, isIncompatible(type, policy), policy);
      for (const { type: name } of reported) assert.ok(isIncompatible(name as DifferenceType, policy), name);
    }
  });
}

test('a message names type, schemas and place, and ends in a single quote', () => {
  const from = parse(open({ a: string }));
  const to = parse(open({ a: number }));
  const messages = (reader: 'new' | 'old') =>
    jsonSchemaFormat.incompatibilities(to, from, { reader, policy: 'STRICT' }).map(({ message }) => message);
  assert.deepEqual(messages('new'), [
    `{errorType:"TYPE_CHANGED", description:"the type at '#/properties/a' differs between the new and the old schema'}`,
  ]);
  assert.deepEqual(messages('old'), [
    `{errorType:"TYPE_CHANGED", description:"the type at '#/properties/a' differs between the old and the new schema'}`,
  ]);
});
