import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avroFormat } from './avro/avro-format.ts';
import { jsonSchemaFormat } from './json-schema/json-schema-format.ts';
import { protobufFormat } from './protobuf/protobuf-format.ts';
import { InvalidSchema, type SchemaFormat, type SchemaTags, type SchemaType } from './schema-format.ts';
import { changeTags, tagsAt } from './tag-places.ts';

const formats: Readonly<Record<SchemaType, SchemaFormat>> = {
  AVRO: avroFormat as SchemaFormat,
  JSON: jsonSchemaFormat as SchemaFormat,
  PROTOBUF: protobufFormat as SchemaFormat,
};

/** `field a.b: PII SECRET` */
const tagsIn = (texts: readonly string[]): SchemaTags[] =>
  texts.map((text) => {
    const [place, names] = text.split(': ');
    const [type, entityPath] = place!.split(' ');
    const entityType = type === 'record' ? 'sr_record' : 'sr_field';
    return { schemaEntity: { entityPath: entityPath!, entityType }, tags: names!.split(' ') };
  });
const textsOf = (tags: readonly SchemaTags[]) =>
  tags.map(
    ({ schemaEntity: { entityPath, entityType }, tags: names }) =>
      `${entityType === 'sr_record' ? 'record' : 'field'} ${entityPath}: ${names.join(' ')}`,
  );

function retagged(type: SchemaType, text: string, add: readonly string[], remove: readonly string[] = []) {
  const tagged = formats[type].readTags({ text, references: [] });
  changeTags(tagged.places, { add: tagsIn(add), remove: tagsIn(remove) });
  return tagged.text();
}

const avro =
  '{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":"string"},{"name":"s","type":["null",{"type":"record","name":"S","fields":[{"name":"b","type":"int"}]}]}]}';
const json =
  '{"type":"object","properties":{"a":{"type":"string"},"o":{"type":"object","properties":{"b":{}}},"l":{"type":"array","items":{"properties":{"c":{}}}}},"oneOf":[{},{"properties":{"d":{}}}]}';
const protobuf =
  'syntax = "proto3"; package p; message R { string a = 1 [deprecated = true]; oneof o { S s = 2; } message S { int32 b = 1; } }';

// type, text, tags to add, tags in the result in the order of the schema, part of the text
const cases: [type: SchemaType, text: string, add: string[], tags: string[], part: string][] = [
  [
    'AVRO',
    avro,
    ['field n.R.a: PII'],
    ['field n.R.a: PII'],
    '{"name":"a","type":"string","confluent:tags":["PII"]}',
  ],
  ['AVRO', avro, ['field R.a: X', 'field n.R.a: Y X'], ['field n.R.a: X Y'], '"confluent:tags":["X","Y"]'],
  [
    'AVRO',
    avro,
    ['record n.S: T', 'field .n.S.b: U'],
    ['record n.S: T', 'field n.S.b: U'],
    '"type":"int","confluent:tags":["U"]}],"confluent:tags":["T"]}',
  ],
  [
    'JSON',
    json,
    ['field object.a: PII'],
    ['field object.a: PII'],
    '"a":{"type":"string","confluent:tags":["PII"]}',
  ],
  [
    'JSON',
    json,
    ['field object.o.object.b: B', 'field object.l.array.object.c: C'],
    ['field object.o.object.b: B', 'field object.l.array.object.c: C'],
    '"c":{"confluent:tags":["C"]}',
  ],
  [
    'JSON',
    json,
    ['record object: T', 'field oneof.1.object.d: D'],
    ['record object: T', 'field oneof.1.object.d: D'],
    '"d":{"confluent:tags":["D"]}',
  ],
  ['PROTOBUF', protobuf, ['field R.a: PII'], ['field R.a: PII'], '(confluent.field_meta) = {'],
  [
    'PROTOBUF',
    protobuf,
    ['record R: T', 'field R.s: S', 'field R.S.b: B C'],
    ['record R: T', 'field R.s: S', 'field R.S.b: B C'],
    'option (confluent.message_meta) = {',
  ],
];

test('tags are written into the text of a schema, found in it, and removed again', () => {
  for (const [type, text, add, tags, part] of cases) {
    const title = `${type} ${add}`;
    const format = formats[type];
    const canonical = format.parse({ text, references: [] }).canonicalText;
    const changed = retagged(type, text, add);
    assert.ok(changed.includes(part), `${title}\n${changed}`);
    const source = { text: changed, references: [] };
    assert.equal(format.parse(source).canonicalText, changed, title);
    assert.deepEqual(textsOf(tagsAt(format.readTags(source).places)), tags, title);
    assert.equal(retagged(type, changed, [], tags), canonical, title);
    assert.deepEqual(format.parse({ text, references: [] }).canonicalText, canonical, title);
  }
});

test('other settings of a Protobuf field stay, and tags of every form are found', () => {
  const text =
    'syntax = "proto3"; import "confluent/meta.proto"; message R { string a = 1 [(confluent.field_meta).tags = "X", (confluent.field_meta).doc = "d"]; string b = 2 [(confluent.field_meta) = { doc: "e", tags: ["Y"] }]; }';
  const found = formats.PROTOBUF.readTags({ text, references: [] });
  assert.deepEqual(textsOf(tagsAt(found.places)), ['field R.a: X', 'field R.b: Y']);
  const changed = retagged('PROTOBUF', text, ['field R.b: Z'], ['field R.b: Y', 'field R.a: X']);
  for (const part of ['.doc = "d"', 'doc: "e"', '"Z"']) assert.ok(changed.includes(part), changed);
  assert.doesNotMatch(changed, /"[XY]"/);
});

test('a path that the schema does not have is refused', () => {
  for (const [type, text, path] of [
    ['AVRO', avro, 'field n.R.z'],
    ['AVRO', avro, 'record other.R'],
    ['AVRO', '"string"', 'record string'],
    ['JSON', json, 'field object.z'],
    ['JSON', 'true', 'record object'],
    ['PROTOBUF', protobuf, 'field R.z'],
    ['PROTOBUF', protobuf, 'record p.R'],
  ] as const)
    assert.throws(() => retagged(type, text, [`${path}: T`]), InvalidSchema, `${type} ${path}`);
});

// It would take many seconds if the time grew with the square.
test('one path that a body names many thousand times costs as much as many paths', () => {
  const texts = Array.from({ length: 20_000 }, (_, index) => `field R.a: tag${index}`);
  const changed = retagged('AVRO', avro, texts);
  assert.ok(changed.includes('"tag19999"'));
  assert.ok(retagged('AVRO', changed, [], texts) === avro, 'all are removed');
});
