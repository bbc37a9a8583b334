import fc from 'fast-check';

/** JSON as tests write it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonRecord = { readonly [name: string]: Json };

const names = ['a', 'b', 'ab'];
const texts = ['', 'a', 'b', 'ab', 'abc'];
const patterns = ['^a', 'b$', 'a', '^.$'];

/** Values from a small world, so that they often fit a schema from the same world. */
export const jsonValues: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false),
    fc.constantFrom<Json>(0, 1, 2, 3, 1.5, -1),
    fc.constantFrom<Json>(...texts),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const counts = fc.nat({ max: 3 });
const bounds = fc.constantFrom(0, 1, 1.5, 2, 3);

/** What the drafts write differently. */
interface SchemaDialect {
  readonly uri: string;
  readonly hasBooleans: boolean;
  readonly hasExclusiveNumbers: boolean;
  readonly hasConst: boolean;
  readonly hasConditions: boolean;
  readonly isLatest: boolean;
}

/** Schemas of a draft with all keywords that say something about values. */
export function jsonSchemas(dialect: SchemaDialect): fc.Arbitrary<Json> {
  const { schema } = fc.letrec<{ schema: Json }>((tie) => {
    const sub = tie('schema');
    const subs = fc.array(sub, { minLength: 1, maxLength: 3 });
    const maps = (keys: readonly string[]) => fc.dictionary(fc.constantFrom(...keys), sub, { maxKeys: 3 });
    const namesOf = (minLength: number) =>
      fc.uniqueArray(fc.constantFrom(...names), { minLength, maxLength: 2 });
    const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
    const record = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
      fc
        .record(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, optional(value)])))
        .map(withoutUndefined);
    const string = record({ minLength: counts, maxLength: counts, pattern: fc.constantFrom(...patterns) });
    const number = record({
      minimum: bounds,
      maximum: bounds,
      multipleOf: fc.constantFrom(0.5, 1, 1.5, 2, 3),
      ...(dialect.hasExclusiveNumbers ? { exclusiveMinimum: bounds, exclusiveMaximum: bounds } : {}),
    });
    const object = record({
      properties: maps(names),
      required: namesOf(1),
      additionalProperties: fc.oneof(fc.boolean(), sub),
      patternProperties: maps(patterns),
      minProperties: counts,
      maxProperties: counts,
      ...(dialect.hasConst ? { propertyNames: sub } : {}),
      ...(dialect.isLatest
        ? {
            dependentRequired: fc.dictionary(fc.constantFrom(...names), namesOf(0), { maxKeys: 2 }),
            dependentSchemas: maps(names),
            unevaluatedProperties: sub,
          }
        : {
            dependencies: fc.dictionary(fc.constantFrom(...names), fc.oneof(sub, namesOf(1)), { maxKeys: 2 }),
          }),
    });
    const array = record({
      minItems: counts,
      maxItems: counts,
      uniqueItems: fc.boolean(),
      ...(dialect.hasConst ? { contains: sub } : {}),
      ...(dialect.isLatest
        ? { prefixItems: subs, items: sub, minContains: counts, maxContains: counts, unevaluatedItems: sub }
        : { items: fc.oneof(sub, subs), additionalItems: fc.oneof(fc.boolean(), sub) }),
    }).map(containsApart);
    // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
    const conditions = record({ if: sub, then: sub, else: sub });
    const type = fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null');
    const typed = (name: Json, ...parts: fc.Arbitrary<JsonRecord>[]) =>
      fc.tuple(...parts).map((all) => Object.assign({ type: name }, ...all) as JsonRecord);
    const leaves: fc.Arbitrary<Json>[] = [
      fc.constant({}),
      type.map((name) => ({ type: name })),
      typed('string', string),
      fc.constantFrom('number', 'integer').chain((name) => typed(name, number)),
      fc
        .uniqueArray(jsonValues, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) })
        .map((values) => ({ enum: values })),
      ...(dialect.hasBooleans ? [fc.boolean()] : []),
      ...(dialect.hasConst ? [jsonValues.map((value) => ({ const: value }))] : []),
    ];
    const nodes: fc.Arbitrary<Json>[] = [
      typed('object', object),
      typed('object', object),
      typed('array', array),
      fc.tuple(string, number, object, array).map((all) => Object.assign({}, ...all) as JsonRecord),
      fc.uniqueArray(type, { minLength: 1, maxLength: 3 }).map((several) => ({ type: several })),
      subs.map((allOf) => ({ allOf })),
      subs.map((anyOf) => ({ anyOf })),
      subs.map((oneOf) => ({ oneOf })),
      sub.map((not) => ({ not })),
      fc.constant({ $ref: '#' }).map((reference) => ({ properties: { a: reference } })),
      ...(dialect.hasConditions ? [conditions] : []),
    ];
    return { schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...leaves, ...nodes) };
  });
  return schema;
}

function withoutUndefined(record: Readonly<Record<string, unknown>>): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as JsonRecord;
}

export const dialects = {
  'draft-04': {
    uri: 'http://json-schema.org/draft-04/schema#',
    hasBooleans: false,
    hasExclusiveNumbers: false,
    hasConst: false,
    hasConditions: false,
    isLatest: false,
  },
  'draft-06': {
    uri: 'http://json-schema.org/draft-06/schema#',
    hasBooleans: true,
    hasExclusiveNumbers: true,
    hasConst: true,
    hasConditions: false,
    isLatest: false,
  },
  'draft-07': {
    uri: 'http://json-schema.org/draft-07/schema#',
    hasBooleans: true,
    hasExclusiveNumbers: true,
    hasConst: true,
    hasConditions: true,
    isLatest: false,
  },
  '2020-12': {
    uri: 'https://json-schema.org/draft/2020-12/schema',
    hasBooleans: true,
    hasExclusiveNumbers: true,
    hasConst: true,
    hasConditions: true,
    isLatest: true,
  },
} as const satisfies Readonly<Record<string, SchemaDialect>>;

/** Next to schemas of first items, Ajv takes `contains` for fulfilled by an empty array. */
function containsApart({ contains, minContains, maxContains, ...others }: JsonRecord): JsonRecord {
  const apart = withoutUndefined({ contains, minContains, maxContains });
  return Object.keys(apart).length === 0 ? others : { ...others, allOf: [apart] };
}
