import fc from 'fast-check';
import { type Json, type JsonRecord, jsonValues } from './json-schemas.ts';

/** A schema and what became of it. */
type SchemaPair = readonly [original: Json, update: Json];

const names = ['a', 'b', 'ab'];
const counts = fc.nat({ max: 3 });
const bounds = fc.constantFrom(0, 1, 1.5, 2, 3);
const types = ['string', 'number', 'integer', 'object', 'array', 'boolean', 'null'];

/**
 * Schemas of draft 7 with related ones, of which a good part is compatible. They have no keywords whose changes
 * Confluent's rules ignore; `unsound-rules.test.ts` lists these.
 */
export const schemaPairs: fc.Arbitrary<SchemaPair> = fc.letrec<{ pair: SchemaPair }>((tie) => {
  const pair = tie('pair');
  const originals = pair.map(([original]) => original);
  return {
    pair: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: leafPairs() },
      { weight: 3, arbitrary: objectPairs(pair) },
      { weight: 2, arbitrary: arrayPairs(pair) },
      { weight: 3, arbitrary: combinedPairs(pair, originals) },
    ),
  };
}).pair;

function leafPairs(): fc.Arbitrary<SchemaPair> {
  const string = attributes({ minLength: counts, maxLength: counts, pattern: fc.constantFrom('^a', 'b$') });
  const number = attributes({
    minimum: bounds,
    maximum: bounds,
    exclusiveMinimum: bounds,
    exclusiveMaximum: bounds,
    multipleOf: fc.constantFrom(0.5, 1, 1.5, 2, 3),
  });
  const numberType = fc.constantFrom('number', 'integer').map((type) => ({ type }));
  const values = fc.uniqueArray(jsonValues, { minLength: 1, maxLength: 4, selector: JSON.stringify });
  const several = fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    related(string).map(
      ([original, update]): SchemaPair => [
        { type: 'string', ...original },
        { type: 'string', ...update },
      ],
    ),
    fc.tuple(numberType, numberType, related(number)).map(
      ([from, to, [original, update]]): SchemaPair => [
        { ...from, ...original },
        { ...to, ...update },
      ],
    ),
    fc
      .tuple(values, values)
      .map(([some, more]): SchemaPair => [{ enum: some }, { enum: distinct(some, more) }]),
    fc
      .tuple(several, several)
      .map(
        ([some, more]): SchemaPair => [
          { type: some.length === 1 ? some[0]! : some },
          { type: [...new Set([...some, ...more])] },
        ],
      ),
    fc
      .tuple(jsonValues, fc.boolean(), jsonValues)
      .map(([value, isSame, other]): SchemaPair => [{ const: value }, { const: isSame ? value : other }]),
    fc.constantFrom<SchemaPair>([true, {}], [false, { type: 'null' }], [{}, true], [{ type: 'null' }, false]),
  );
}

function objectPairs(pair: fc.Arbitrary<SchemaPair>): fc.Arbitrary<SchemaPair> {
  const property = fc.record({
    schemas: pair,
    isIn: fc.constantFrom('both', 'both', 'original', 'update', 'none'),
    isRequired: fc.constantFrom('both', 'original', 'update', 'none', 'none'),
  });
  const additional = fc.oneof(
    fc.constant<readonly [Json | undefined, Json | undefined]>([undefined, undefined]),
    fc.constant<readonly [Json | undefined, Json | undefined]>([false, false]),
    fc.constant<readonly [Json | undefined, Json | undefined]>([false, undefined]),
    fc.constant<readonly [Json | undefined, Json | undefined]>([true, false]),
    pair,
    pair.map(([, update]): readonly [Json | undefined, Json | undefined] => [false, update]),
  );
  const limits = attributes({ minProperties: counts, maxProperties: counts });
  const dependencies = fc.option(
    fc.oneof(pair, fc.constantFrom<SchemaPair>([['a'], ['a']], [['a', 'b'], ['a']], [['a'], ['b']])),
    { nil: undefined },
  );
  return fc
    .tuple(fc.tuple(property, property, property), additional, related(limits), dependencies)
    .map(([properties, [before, after], [originalLimits, updateLimits], dependency]) => {
      const side = (name: 'original' | 'update', at: 0 | 1, additionalProperties: Json | undefined) => {
        const kept = properties
          .map((row, index) => ({ ...row, name: names[index]! }))
          .filter(({ isIn }) => isIn === 'both' || isIn === name);
        const required = kept
          .filter(({ isRequired }) => isRequired === 'both' || isRequired === name)
          .map((row) => row.name);
        return {
          type: 'object',
          properties: Object.fromEntries(kept.map((row) => [row.name, row.schemas[at]])),
          ...(required.length === 0 ? {} : { required }),
          ...(additionalProperties === undefined ? {} : { additionalProperties }),
          ...(dependency === undefined ? {} : { dependencies: { b: dependency[at] } }),
          ...(name === 'original' ? originalLimits : updateLimits),
        };
      };
      return [side('original', 0, before), side('update', 1, after)];
    });
}

function arrayPairs(pair: fc.Arbitrary<SchemaPair>): fc.Arbitrary<SchemaPair> {
  const limits = related(attributes({ minItems: counts, maxItems: counts, uniqueItems: fc.boolean() }));
  const array = (original: JsonRecord, update: JsonRecord): SchemaPair => [
    { type: 'array', ...original },
    { type: 'array', ...update },
  ];
  const ofOne = fc
    .tuple(pair, limits)
    .map(([[from, to], [original, update]]) => array({ items: from, ...original }, { items: to, ...update }));
  const additional = fc.oneof(
    pair,
    fc.constantFrom<SchemaPair>([false, false], [false, true], [true, true], [true, false]),
  );
  const ofSeveral = fc
    .tuple(fc.array(pair, { minLength: 1, maxLength: 3 }), additional, fc.nat(3), fc.nat(3))
    .map(([items, [from, to], fewer, less]) =>
      array(
        { items: items.slice(0, Math.max(1, fewer)).map(([original]) => original), additionalItems: from },
        { items: items.slice(0, Math.max(1, less)).map(([, update]) => update), additionalItems: to },
      ),
    );
  return fc.oneof(ofOne, ofSeveral);
}

function combinedPairs(
  pair: fc.Arbitrary<SchemaPair>,
  schemas: fc.Arbitrary<Json>,
): fc.Arbitrary<SchemaPair> {
  const pairs = fc.array(pair, { minLength: 1, maxLength: 3 });
  const extra = fc.array(schemas, { maxLength: 2 });
  const lists = fc.tuple(pairs, extra, fc.boolean()).map(([some, others, isReversed]) => {
    const before = some.map(([original]) => original);
    const after = some.map(([, update]) => update);
    if (isReversed) after.reverse();
    return { before, after, others };
  });
  return fc.oneof(
    pair.map(([original]): SchemaPair => [original, original]),
    lists.map(
      ({ before, after, others }): SchemaPair => [{ anyOf: before }, { anyOf: [...others, ...after] }],
    ),
    lists.map(
      ({ before, after, others }): SchemaPair => [{ allOf: [...before, ...others] }, { allOf: after }],
    ),
    lists.map(({ before, after }): SchemaPair => [{ allOf: before }, { anyOf: after }]),
    fc
      .tuple(pair, schemas)
      .map(([[original, update], other]): SchemaPair => [original, { anyOf: [other, update] }]),
    fc
      .tuple(pair, schemas)
      .map(([[original, update], other]): SchemaPair => [{ allOf: [other, original] }, update]),
    pair.map(([original, update]): SchemaPair => [{ not: update }, { not: original }]),
    pair.map(([original, update]): SchemaPair => [{ anyOf: [original] }, { allOf: [update] }]),
    pair.map(([original]): SchemaPair => [original, {}]),
    pair.map(
      ([original, update]): SchemaPair => [
        { type: 'object', properties: { a: { $ref: '#' }, b: original }, additionalProperties: false },
        { type: 'object', properties: { a: { $ref: '#' }, b: update }, additionalProperties: false },
      ],
    ),
  );
}

function attributes(fields: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonRecord> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonRecord>;
}

/** Two records of which the second is the first, or has one entry less or another one, or is another record. */
function related(arbitrary: fc.Arbitrary<JsonRecord>): fc.Arbitrary<readonly [JsonRecord, JsonRecord]> {
  return fc
    .tuple(arbitrary, arbitrary, fc.constantFrom('same', 'fewer', 'changed', 'changed', 'other'), fc.nat(4))
    .map(([first, second, how, at]) => {
      const entries = Object.entries(second);
      const change = entries.length === 0 ? [] : [entries[at % entries.length]!];
      if (how === 'same') return [first, first];
      if (how === 'fewer') return [first, Object.fromEntries(Object.entries(first).slice(1))];
      return [first, how === 'other' ? second : { ...first, ...Object.fromEntries(change) }];
    });
}

function distinct(values: readonly Json[], others: readonly Json[]): Json[] {
  return [...new Map([...values, ...others].map((value) => [JSON.stringify(value), value])).values()];
}
