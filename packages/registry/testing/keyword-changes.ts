import type { dialects, Json, JsonRecord } from './json-schemas.ts';

/** Schemas of which each differs from each other in one thing, or in two that depend on each other. */
interface KeywordChanges {
  readonly name: string;
  readonly draft: keyof typeof dialects;
  readonly schemas: readonly Json[];
  /** How many of the changes are called compatible although a value is lost, as Confluent's rules have it. */
  readonly unsound?: Exceptions;
  /** How many are called incompatible although no value is lost, as Confluent's rules have it. */
  readonly stricter?: Exceptions;
}

interface Exceptions {
  readonly count: number;
  readonly rule: string;
}

const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const absent = undefined;

/** The schemas with each of the values of one keyword, and without it. */
function valuesOf(base: JsonRecord, keyword: string, ...values: readonly Json[]): JsonRecord[] {
  return [base, ...values.map((value) => ({ ...base, [keyword]: value }))];
}

/** Each of the schemas with each of the values of one more keyword. */
function times(
  bases: readonly JsonRecord[],
  keyword: string,
  ...values: readonly (Json | undefined)[]
): JsonRecord[] {
  return bases.flatMap((base) =>
    values.map((value) => (value === absent ? base : { ...base, [keyword]: value })),
  );
}

const object = { type: 'object' };
const array = { type: 'array' };
const withDefault = { ...string, default: '' };
const someOf = [
  [string],
  [string, integer],
  [integer, string],
  [string, number],
  [string, integer, { ...object }],
];

const tables: readonly KeywordChanges[] = [
  ...[
    ['minLength', 'minLength', string, 0, 1, 2],
    ['maxLength', 'maxLength', string, 0, 1, 2],
    ['pattern', 'pattern', string, '^a', 'b$', 'a'],
    ['minimum', 'minimum', number, -1, 0, 1.5, 2],
    ['maximum', 'maximum', number, -1, 0, 1.5, 2],
    ['exclusiveMinimum', 'exclusiveMinimum', number, -1, 0, 1.5, 2],
    ['exclusiveMaximum', 'exclusiveMaximum', number, -1, 0, 1.5, 2],
    ['multipleOf', 'multipleOf', number, 0.5, 1, 1.5, 2, 3, 6],
    ['minProperties', 'minProperties', object, 0, 1, 2],
    ['maxProperties', 'maxProperties', object, 0, 1, 2],
    ['required', 'required', { ...object, properties: { a: string, b: integer } }, ['a'], ['b'], ['a', 'b']],
    [
      'required with a default',
      'required',
      { ...object, properties: { a: withDefault, b: integer } },
      ['a'],
      ['b'],
      ['a', 'b'],
    ],
    ['dependencies', 'dependencies', object, { a: ['b'] }, { a: ['b', 'x'] }, { a: ['x'] }, { b: ['a'] }],
    [
      'dependencies that are schemas',
      'dependencies',
      object,
      { a: { required: ['b'], properties: { b: string } } },
      { a: { properties: { b: string } } },
      { a: { properties: { b: {} } } },
      { b: { properties: { a: string } } },
    ],
    ['minItems', 'minItems', array, 0, 1, 2],
    ['maxItems', 'maxItems', array, 0, 1, 2],
    ['uniqueItems', 'uniqueItems', array, true, false],
    ['items', 'items', array, string, integer, number, {}, true, false],
    ['not', 'not', {}, string, integer, number, { enum: [1] }, { enum: [1, 2] }, { not: string }],
    ['enum', 'enum', {}, [1], [1, 2], [2, 'a'], [1, 2, 'a', null]],
    ['enum of integers', 'enum', integer, [1], [1, 2]],
    ['const', 'const', {}, 1, 2, 'a', null],
    [
      'patternProperties',
      'patternProperties',
      { ...object, additionalProperties: false },
      { '^a': string },
      { b$: string },
    ],
    ['propertyNames', 'propertyNames', object, { maxLength: 1 }, { enum: ['a'] }],
  ].map(
    ([name, keyword, base, ...values]): KeywordChanges => ({
      name: name as string,
      draft: 'draft-07',
      schemas: valuesOf(base as JsonRecord, keyword as string, ...(values as Json[])),
    }),
  ),
  {
    name: 'exclusive bounds of draft 4',
    draft: 'draft-04',
    schemas: times(valuesOf(number, 'minimum', 1, 2), 'exclusiveMinimum', absent, true).filter(
      (schema) => schema.minimum !== absent || schema.exclusiveMinimum === absent,
    ),
  },
  {
    name: 'types',
    draft: 'draft-07',
    schemas: [
      ...['string', 'number', 'integer', 'object', 'array', 'boolean', 'null'].map((type) => ({ type })),
      ...[['string'], ['string', 'null'], ['string', 'number'], ['integer', 'null'], ['null', 'string']].map(
        (type) => ({ type }),
      ),
      {},
      true,
      false,
    ],
  },
  {
    name: 'constants and what contains them',
    draft: 'draft-07',
    schemas: [
      { const: 1 },
      { enum: [1] },
      { enum: [1, 2] },
      integer,
      { ...integer, const: 1 },
      { ...integer, enum: [1] },
    ],
  },
  {
    name: 'keywords without a type',
    draft: 'draft-07',
    schemas: [
      { minLength: 1 },
      { minLength: 1, minimum: 1 },
      { minimum: 1 },
      { ...string, minLength: 1 },
      { type: ['string', 'number'], minLength: 1 },
      { required: ['a'], properties: { a: {} } },
    ],
  },
  {
    name: 'properties in content models',
    draft: 'draft-07',
    schemas: times(
      [
        ...valuesOf(object, 'properties', { a: string }, { a: string, b: integer }, { a: {} }, { a: false }),
        { ...object, properties: { a: string, b: integer }, required: ['b'] },
        { ...object, properties: { a: string, b: { ...integer, default: 0 } }, required: ['b'] },
      ],
      'additionalProperties',
      absent,
      false,
      string,
      number,
    ),
  },
  {
    name: 'properties next to patterns',
    draft: 'draft-07',
    schemas: times(
      valuesOf(
        { ...object, patternProperties: { '^a': string } },
        'properties',
        { a: string },
        { b: string },
        { a: integer },
      ),
      'additionalProperties',
      absent,
      false,
      integer,
    ),
  },
  {
    name: 'first items',
    draft: 'draft-07',
    schemas: times(
      [[string], [string, integer], [string, number], [integer], [string, false]].map((items) => ({
        ...array,
        items,
      })),
      'additionalItems',
      absent,
      false,
      true,
      integer,
    ),
  },
  {
    name: 'first items of 2020-12',
    draft: '2020-12',
    schemas: times(
      valuesOf(array, 'prefixItems', [string], [string, integer], [string, {}]),
      'items',
      absent,
      false,
      integer,
    ),
  },
  {
    name: 'items that are counted',
    draft: '2020-12',
    schemas: times(
      times([{ ...array, contains: string }], 'minContains', absent, 1, 2),
      'maxContains',
      absent,
      1,
      2,
      3,
    ),
  },
  {
    name: 'dependencies of 2020-12',
    draft: '2020-12',
    schemas: [
      ...valuesOf(object, 'dependentRequired', { a: ['b'] }, { a: ['b', 'x'] }, { b: ['a'] }),
      ...valuesOf(object, 'dependentSchemas', { a: { maxProperties: 1 } }, { a: { maxProperties: 2 } }).slice(
        1,
      ),
    ],
  },
  {
    name: 'unevaluated properties',
    draft: '2020-12',
    schemas: valuesOf(
      { ...object, properties: { a: string } },
      'unevaluatedProperties',
      true,
      false,
      string,
      number,
    ),
  },
  {
    name: 'unevaluated properties next to others',
    draft: '2020-12',
    schemas: times(
      valuesOf(object, 'properties', { a: string }, { b: integer }),
      'unevaluatedProperties',
      absent,
      false,
      string,
    ),
  },
  {
    name: 'unevaluated items',
    draft: '2020-12',
    schemas: times(
      valuesOf(array, 'prefixItems', [string]),
      'unevaluatedItems',
      absent,
      true,
      false,
      string,
      number,
    ),
  },
  {
    name: 'alternatives',
    draft: 'draft-07',
    schemas: [
      string,
      integer,
      {},
      ...['anyOf', 'allOf', 'oneOf'].flatMap((name) => someOf.map((list) => ({ [name]: list }))),
    ],
  },
  {
    name: 'alternatives that fit several others',
    draft: 'draft-07',
    schemas: [
      [integer, number],
      [number, integer],
      [integer, string, number],
      [string, number, integer],
    ].map((anyOf) => ({ anyOf })),
  },
  {
    name: 'a reference next to conditions',
    draft: '2020-12',
    schemas: [
      { $ref: '#/$defs/d', $defs: { d: string } },
      { $ref: '#/$defs/d', $defs: { d: string }, minLength: 1 },
      { $ref: '#/$defs/d', $defs: { d: { ...string, minLength: 2 } }, minLength: 1 },
      { $ref: '#/$defs/d', $defs: { d: integer }, minLength: 1 },
    ],
  },
  {
    name: 'parts of bounds',
    draft: 'draft-07',
    schemas: [
      { ...string, minLength: 1, maxLength: 2 },
      { ...string, minLength: 1 },
      { ...string, maxLength: 2 },
      ...['anyOf', 'allOf'].flatMap((name) => [
        {
          [name]: [
            { ...string, minLength: 1 },
            { ...string, maxLength: 2 },
          ],
        },
        { [name]: [{ ...string, minLength: 1 }] },
        { [name]: [{ ...string, maxLength: 2 }] },
        {
          [name]: [
            { ...string, minLength: 2 },
            { ...string, maxLength: 1 },
          ],
        },
        {
          [name]: [
            { ...string, minLength: 1 },
            { ...string, maxLength: 2 },
            { ...string, pattern: 'a' },
          ],
        },
      ]),
    ],
  },
];

const everythingMeets = 'a condition is added, though everything meets it';
const otherKind = 'an enum, a const and a type are of different kinds';

/** Where Confluent's rules, which we follow, say something else than the values (`unsound-rules.test.ts`). */
const exceptions: Readonly<Record<string, Pick<KeywordChanges, 'unsound' | 'stricter'>>> = {
  minLength: { stricter: { count: 1, rule: everythingMeets } },
  minProperties: { stricter: { count: 1, rule: everythingMeets } },
  minItems: { stricter: { count: 1, rule: everythingMeets } },
  items: { stricter: { count: 2, rule: everythingMeets } },
  'dependencies that are schemas': { stricter: { count: 2, rule: everythingMeets } },
  'items that are counted': { stricter: { count: 10, rule: everythingMeets } },
  pattern: { stricter: { count: 1, rule: 'patterns are equal or different, not wider or narrower' } },
  not: { stricter: { count: 8, rule: otherKind } },
  'constants and what contains them': { stricter: { count: 15, rule: otherKind } },
  'required with a default': { unsound: { count: 3, rule: 'a property with a default may become required' } },
  patternProperties: { unsound: { count: 4, rule: 'patternProperties are not compared' } },
  propertyNames: { unsound: { count: 2, rule: 'propertyNames is not compared' } },
  'exclusive bounds of draft 4': { stricter: { count: 1, rule: 'the two bounds are compared apart' } },
  'keywords without a type': {
    unsound: { count: 5, rule: 'keywords of one type count as that type' },
    stricter: { count: 5, rule: 'keywords of one type count as that type' },
  },
  'a reference next to conditions': {
    unsound: { count: 1, rule: 'keywords of one type count as that type' },
  },
  'properties in content models': {
    unsound: { count: 21, rule: 'a property with a default may become required' },
  },
  'properties next to patterns': {
    unsound: { count: 2, rule: 'an object with patterns counts as closed for names that match none' },
    stricter: {
      count: 21,
      rule: 'an object with patterns counts as closed, and a pattern as all of its properties',
    },
  },
  'first items': { stricter: { count: 20, rule: 'an item that nothing fits does not end an array' } },
  'first items of 2020-12': { stricter: { count: 1, rule: 'items without others are compared apart' } },
  alternatives: {
    stricter: { count: 35, rule: 'anyOf never becomes oneOf, and parts are compared one by one' },
  },
  'parts of bounds': { stricter: { count: 17, rule: 'alternatives and parts are compared one by one' } },
};

export const keywordChanges: readonly KeywordChanges[] = tables.map((table) => ({
  ...table,
  ...exceptions[table.name],
}));
