import { avroFormat } from '../src/avro/avro-format.ts';
import { jsonSchemaFormat } from '../src/json-schema/json-schema-format.ts';
import { registryLimits } from '../src/limits.ts';
import { protobufFormat } from '../src/protobuf/protobuf-format.ts';

/**
 * A program that takes what nests as deep as the limits allow, and prints a line for each input that ended otherwise
 * than with its answer. Tests run it with less stack than processes have.
 */
function run(): void {
  for (const [name, take] of [...avroInputs(), ...jsonInputs(), ...protobufInputs()]) {
    const answer = answerOf(take);
    if (answer !== done) process.stdout.write(`${name}: ${answer}\n`);
  }
}

function answerOf(take: () => string): string {
  try {
    return take();
  } catch (error) {
    return String(error);
  }
}

const done = 'done';
const doneIf = (isDone: boolean): string => (isDone ? done : 'another answer');
const compared = { reader: 'new', policy: 'STRICT' } as const;
const source = (text: string) => ({ text, references: [] });
const nested = (count: number, open: string, middle: string, close: string): string =>
  `${open.repeat(count)}${middle}${close.repeat(count)}`;

function* avroInputs(): Generator<readonly [string, () => string], undefined> {
  const depth = registryLimits.avroPayloadDepthMax;
  const parse = (text: string) => avroFormat.parse(source(text));
  const list =
    '{"type":"record","name":"R","fields":[{"name":"next","type":["null","R",{"type":"map","values":"R"}]}]}';
  const value: unknown = JSON.parse(nested(depth - 1, '{"next":{"R":', '{"next":null}', '}}'));
  const inMaps: unknown = JSON.parse(nested(depth / 2 - 1, '{"next":{"map":{"k":', '{"next":null}', '}}}'));
  for (const [name, content] of [
    ['records', value],
    ['maps', inMaps],
  ] as const) {
    // A codec of its own each time, whose generated code is not optimised yet.
    const codec = () => avroFormat.codec(parse(list));
    const payload = codec().encode(content);
    const cut = payload.subarray(0, -1);
    yield [`avro ${name}: encode`, () => doneIf(codec().encode(content).length === payload.length)];
    yield [`avro ${name}: check`, () => codec().problemOf(payload) ?? done];
    yield [`avro ${name}: explain`, () => doneIf(codec().problemOf(cut) !== undefined)];
    yield [`avro ${name}: decode`, () => doneIf(codec().decode(payload) !== undefined)];
  }
  const arrays = nested(registryLimits.avroDepthMax, '{"type":"array","items":', '"int"', '}');
  const { normalizedText, incompatibilities, codec } = avroFormat;
  yield ['avro schema: parse', () => doneIf(parse(arrays).canonicalText !== '')];
  yield ['avro schema: normalize', () => doneIf(normalizedText(parse(arrays)) !== '')];
  yield [
    'avro schema: compare',
    () => doneIf(incompatibilities(parse(arrays), parse(arrays), compared).length === 0),
  ];
  yield ['avro schema: codec', () => codec(parse(arrays)).problemOf(new Uint8Array(1)) ?? done];
}

function* jsonInputs(): Generator<readonly [string, () => string], undefined> {
  const parse = (text: string) => jsonSchemaFormat.parse(source(text));
  const check = (schema: object, payload: string) =>
    jsonSchemaFormat.codec(parse(JSON.stringify(schema))).problemOf(Buffer.from(payload));
  const again = { $ref: '#' };
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const unevaluated = { $schema, unevaluatedProperties: true };
  const deep = nested(registryLimits.jsonPayloadDepthMax - 1, '{"a":', '{}', '}');
  for (const [name, schema] of Object.entries({
    properties: { ...unevaluated, properties: { a: again } },
    anyOf: { ...unevaluated, anyOf: [{ properties: { a: again } }] },
    not: { ...unevaluated, properties: { a: { not: { not: again } } } },
    itself: { ...unevaluated, oneOf: [again] },
  }))
    yield [
      `json ${name}: check`,
      () => check(schema, deep)?.replace(/.*schemas nest deeper.*/, done) ?? 'fits',
    ];
  const half = nested(registryLimits.jsonValidationDepthMax / 2 - 1, '{"a":', '{}', '}');
  yield ['json: check', () => check({ ...unevaluated, properties: { a: again } }, half) ?? done];
  const schema = nested(registryLimits.jsonSchemaDepthMax - 1, '{"not":', '{}', '}');
  const { normalizedText, incompatibilities, codec } = jsonSchemaFormat;
  yield ['json schema: parse', () => doneIf(parse(schema).canonicalText !== '')];
  yield ['json schema: normalize', () => doneIf(normalizedText(parse(schema)) !== '')];
  yield ['json schema: codec', () => doneIf(codec(parse(schema)).problemOf(Buffer.from('1')) !== '')];
  const other = schema.replace('{}', '{"type":"string"}');
  yield [
    'json schema: compare',
    () => doneIf(incompatibilities(parse(schema), parse(other), compared).length < 10),
  ];
}

function* protobufInputs(): Generator<readonly [string, () => string], undefined> {
  const text = 'syntax = "proto3"; message M { M m = 1; map<string, M> n = 2; }';
  const codec = () => protobufFormat.codec(protobufFormat.parse(source(text)));
  const value: unknown = JSON.parse(nested(registryLimits.protobufPayloadDepthMax - 1, '{"m":', '{}', '}'));
  const payload = codec().encode(value);
  yield ['protobuf: check', () => codec().problemOf(payload) ?? done];
  yield ['protobuf: decode', () => doneIf(codec().decode(payload) !== undefined)];
  yield ['protobuf: encode', () => doneIf(codec().encode(value).length === payload.length)];
}

run();
