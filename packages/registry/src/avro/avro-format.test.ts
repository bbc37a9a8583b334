import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaSource } from '../../testing/schema-source.ts';
import { InvalidSchema } from '../schema-format.ts';
import { avroFormat } from './avro-format.ts';

function canonical(text: string): string {
  return avroFormat.parse(schemaSource(text)).canonicalText;
}

function normalized(text: string): string {
  return avroFormat.normalizedText(avroFormat.parse(schemaSource(text)));
}

const record = (fields: string): string => `{"type":"record","name":"R","fields":[${fields}]}`;

// Each text as Avro 1.12.1 for Java prints it.
const canonicalTexts: [name: string, text: string, printed: string][] = [
  ['a bare primitive', ' "string" ', '"string"'],
  ['a primitive in an object', '{"type":"string"}', '"string"'],
  [
    'a primitive with properties',
    '{"type":"int","logicalType":"date","doc":"x"}',
    '{"type":"int","logicalType":"date"}',
  ],
  ['comments', '/* a */ "int" ', '"int"'],
  ['the last of two equal keys', '{"type":"int","a":1,"b":2,"a":3}', '{"type":"int","a":3,"b":2}'],
  [
    'order of keys',
    '{"aliases":["Q"],"fields":[{"aliases":["y"],"order":"DESCENDING","default":1,"doc":"d","type":"int","name":"x","p":[]}],"doc":"D","name":"R","z":1,"type":"record","a":2}',
    '{"type":"record","name":"R","doc":"D","fields":[{"name":"x","type":"int","doc":"d","default":1,"order":"descending","aliases":["y"],"p":[]}],"z":1,"a":2,"aliases":["Q"]}',
  ],
  [
    'namespaces relative to the one around',
    '{"type":"record","name":"a.b.R","fields":[{"name":"x","type":{"type":"fixed","name":"F","size":1}},{"name":"y","type":{"type":"enum","name":"E","namespace":"","symbols":[]}},{"name":"z","type":"a.b.F"},{"name":"e","type":"E"}]}',
    '{"type":"record","name":"R","namespace":"a.b","fields":[{"name":"x","type":{"type":"fixed","name":"F","size":1}},{"name":"y","type":{"type":"enum","name":"E","namespace":"","symbols":[]}},{"name":"z","type":"F"},{"name":"e","type":"E"}]}',
  ],
  [
    'a name like a type is written in full',
    '{"type":"record","name":"a.R","fields":[{"name":"x","type":{"type":"fixed","name":"map","size":1}},{"name":"y","type":"a.map"}]}',
    '{"type":"record","name":"R","namespace":"a","fields":[{"name":"x","type":{"type":"fixed","name":"map","size":1}},{"name":"y","type":"a.map"}]}',
  ],
  [
    'a type that follows is printed at its first use',
    `[${'{"type":"record","name":"A","fields":[{"name":"b","type":"B"}]}'},{"type":"record","name":"B","fields":[]}]`,
    '[{"type":"record","name":"A","fields":[{"name":"b","type":{"type":"record","name":"B","fields":[]}}]},"B"]',
  ],
  [
    'a second definition that is the same',
    '[{"type":"array","items":{"type":"fixed","name":"F","size":1}},{"type":"fixed","name":"F","size":1,"doc":"x"}]',
    '[{"type":"array","items":{"type":"fixed","name":"F","size":1}},"F"]',
  ],
  [
    'numbers',
    record(
      '{"name":"l","type":"long","default":9223372036854775807},{"name":"d","type":"double","default":1e10},{"name":"e","type":"double","default":0.0001},{"name":"n","type":"float","default":"NaN"},{"name":"s","type":"double","default":"1.5"},{"name":"z","type":"double","default":-0.0}',
    ),
    record(
      '{"name":"l","type":"long","default":9223372036854775807},{"name":"d","type":"double","default":1.0E10},{"name":"e","type":"double","default":1.0E-4},{"name":"n","type":"float","default":"NaN"},{"name":"s","type":"double","default":1.5},{"name":"z","type":"double","default":-0.0}',
    ),
  ],
  ['escapes', '{"type":"int","p":"\\u0041\\/\\u001f\\n\\"\\u00fc"}', '{"type":"int","p":"A/\\u001F\\n\\"ü"}'],
  [
    '__proto__',
    '{"type":"int","__proto__":{"constructor":1}}',
    '{"type":"int","__proto__":{"constructor":1}}',
  ],
  [
    'a field named __proto__',
    record('{"name":"__proto__","type":"int","aliases":["__proto__"]}'),
    record('{"name":"__proto__","type":"int","aliases":["__proto__"]}'),
  ],
  [
    'the default of an enum, and of a branch that is not the first',
    record(
      '{"name":"x","type":{"type":"enum","name":"E","symbols":["A"],"default":"A"}},{"name":"y","type":["null","int"],"default":7}',
    ),
    record(
      '{"name":"x","type":{"type":"enum","name":"E","symbols":["A"],"default":"A"}},{"name":"y","type":["null","int"],"default":7}',
    ),
  ],
  ['an error', '{"type":"error","name":"R","fields":[]}', '{"type":"error","name":"R","fields":[]}'],
  ['recursion', record('{"name":"next","type":["null","R"]}'), record('{"name":"next","type":["null","R"]}')],
];

for (const [name, text, printed] of canonicalTexts) {
  test(`canonical text: ${name}`, () => {
    assert.equal(canonical(text), printed);
    assert.equal(canonical(printed), printed);
  });
}

const normalizedTexts: [name: string, text: string, printed: string][] = [
  [
    'properties are sorted, after those of the logical type',
    '{"type":"bytes","z":1,"scale":2,"a":2,"precision":4,"logicalType":"decimal"}',
    '{"type":"bytes","logicalType":"decimal","precision":4,"scale":2,"a":2,"z":1}',
  ],
  [
    'a logical type that is not valid is a property',
    '{"type":"string","z":1,"logicalType":"date","a":1}',
    '{"type":"string","a":1,"logicalType":"date","z":1}',
  ],
  [
    'aliases are sorted, an empty doc is none, an error is a record',
    '{"type":"error","name":"a.R","doc":"","aliases":["z","b.c","a.d"],"fields":[{"name":"x","type":"double","aliases":["z","y"],"default":1}]}',
    '{"type":"record","name":"R","namespace":"a","fields":[{"name":"x","type":"double","default":1.0,"aliases":["y","z"]}],"aliases":["d","z","b.c"]}',
  ],
  [
    'defaults keep their values',
    record('{"name":"x","type":{"type":"map","values":"float"},"default":{"b":1,"a":0.1}}'),
    record('{"name":"x","type":{"type":"map","values":"float"},"default":{"a":0.1,"b":1.0}}'),
  ],
  [
    'the keys of custom properties and defaults, at every depth',
    '{"type":"record","name":"R","z":{"b":[{"d":1,"c":2}],"a":1},"fields":[{"name":"a","y":{"q":1,"p":2},"type":{"type":"map","values":"int"},"default":{"y":1,"x":2}}]}',
    '{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"map","values":"int"},"default":{"x":2,"y":1},"y":{"p":2,"q":1}}],"z":{"a":1,"b":[{"c":2,"d":1}]}}',
  ],
];

for (const [name, text, printed] of normalizedTexts) {
  test(`normalized text: ${name}`, () => {
    assert.equal(normalized(text), printed);
    assert.equal(normalized(printed), printed);
    assert.equal(canonical(printed), printed);
  });
}

const invalidSchemas: [text: string, message: string][] = [
  ['', 'the schema is not valid JSON: the text is empty (at character 1)'],
  ['{"type":"int"', 'the schema is not valid JSON: expected "," or "}" (at character 14)'],
  ['"int" "int"', 'the schema is not valid JSON: expected the end of the schema (at character 7)'],
  ['"in\nt"', 'the schema is not valid JSON: a control character is not escaped (at character 4)'],
  ['{"type":"int","x":01}', 'the schema is not valid JSON: expected a JSON value (at character 19)'],
  ['7', 'at /: expected a type, found "7"'],
  ['"Foo"', 'at /: unknown type "Foo"; define it in the schema or add a reference to it'],
  [
    '{"type":["null"]}',
    'at /: "type" is missing or not a string; for a union or a nested type, write it without "type"',
  ],
  ['["int","int"]', 'at /: the union has "int" twice'],
  ['["int",["null"]]', 'at /: a union cannot be a branch of a union'],
  ['{"type":"array"}', 'at /: "items" is missing'],
  ['{"type":"record","name":"R"}', 'at /: record "R" needs an array of "fields"'],
  [
    record('{"name":"a","type":"int"},{"name":"a","type":"int"}'),
    'at /fields/1: record "R" has two fields "a"',
  ],
  [record('{"type":"int"}'), 'at /fields/0: the field has no name'],
  [
    record('{"name":"a-b","type":"int"}'),
    'at /fields/0: "a-b" is not a valid field name; use letters, digits and underscores, and no digit first',
  ],
  [
    record('{"name":"a","type":"int","order":"up"}'),
    'at /fields/0: "order" is ascending, descending or ignore, not "\\"up\\""',
  ],
  [record('{"name":"a","type":"int","aliases":"b"}'), 'at /fields/0: "aliases" must be an array of strings'],
  [
    record('{"name":"a","type":"int","default":"1"}'),
    'at /fields/0: the default "\\"1\\"" of field "a" is not a value of its type "int"',
  ],
  [
    record('{"name":"a","type":"long","default":9223372036854775808}'),
    'at /fields/0: the default "9223372036854775808" of field "a" is not a value of its type "long"',
  ],
  [
    record('{"name":"a","type":["null","int"],"default":"x"}'),
    'at /fields/0: the default "\\"x\\"" of field "a" is not a value of its type "union"',
  ],
  [
    record(
      '{"name":"a","type":{"type":"record","name":"Q","fields":[{"name":"b","type":"int"}]},"default":{}}',
    ),
    'at /fields/0: the default "{}" of field "a" is not a value of its type "Q"',
  ],
  // A default that contains itself.
  [
    record('{"name":"a","type":"R","default":{}}'),
    'at /fields/0: the default "{}" of field "a" is not a value of its type "R"',
  ],
  ['{"type":"enum","name":"E","symbols":["A","A"]}', 'at /: enum "E" has the symbol "A" twice'],
  [
    '{"type":"enum","name":"E","symbols":["1"]}',
    'at /: "1" is not a valid enum symbol; use letters, digits and underscores, and no digit first',
  ],
  [
    '{"type":"enum","name":"E","symbols":["A"],"default":"B"}',
    'at /: the default "B" of enum "E" is not one of its symbols',
  ],
  [
    '{"type":"fixed","name":"F","size":-1}',
    'at /: "size" of fixed "F" must be an integer from 0 to 2147483639',
  ],
  ['{"type":"fixed","name":"int","size":1}', 'at /: a type cannot have the name of the primitive type int'],
  [
    '{"type":"map","values":{"type":"fixed","name":"a.","size":1}}',
    'at /values: "" is not a valid name; use letters, digits and underscores, and no digit first',
  ],
  [
    '[{"type":"fixed","name":"F","size":1},{"type":"array","items":{"type":"fixed","name":"F","size":2}}]',
    'at /1/items: type "F" is defined twice with different definitions',
  ],
];

for (const [text, message] of invalidSchemas) {
  test(`invalid: ${text}`, () => {
    assert.throws(() => canonical(text), new InvalidSchema(message));
  });
}

test('references are resolved through each other, and the text names them', () => {
  const inner = schemaSource('{"type":"enum","name":"a.Color","symbols":["RED"]}');
  const outer = schemaSource(
    '{"type":"record","name":"a.Car","fields":[{"name":"color","type":"Color"},{"name":"seat","type":{"type":"fixed","name":"Seat","size":1}}]}',
    { 'a.Color': inner },
  );
  const schema = avroFormat.parse(
    schemaSource(
      '{"type":"record","name":"b.Fleet","fields":[{"name":"cars","type":{"type":"array","items":"a.Car"}},{"name":"color","type":"a.Color"},{"name":"seat","type":"a.Seat"}]}',
      { 'a.Car': outer, 'a.Color': inner },
    ),
  );
  // Only roots of references are known by name, as in Confluent's registry.
  assert.equal(
    schema.canonicalText,
    '{"type":"record","name":"Fleet","namespace":"b","fields":[{"name":"cars","type":{"type":"array","items":"a.Car"}},{"name":"color","type":"a.Color"},{"name":"seat","type":{"type":"fixed","name":"Seat","namespace":"a","size":1}}]}',
  );
  assert.equal(
    avroFormat.formattedText(schema, 'resolved'),
    '{"type":"record","name":"Fleet","namespace":"b","fields":[{"name":"cars","type":{"type":"array","items":{"type":"record","name":"Car","namespace":"a","fields":[{"name":"color","type":{"type":"enum","name":"Color","symbols":["RED"]}},{"name":"seat","type":{"type":"fixed","name":"Seat","size":1}}]}}},{"name":"color","type":"a.Color"},{"name":"seat","type":"a.Seat"}]}',
  );
  assert.equal(avroFormat.formattedText(schema, 'other'), schema.canonicalText);
});

test('a problem of a reference names it', () => {
  const broken = schemaSource('{"type":"array"}');
  assert.throws(
    () => avroFormat.parse(schemaSource('"int"', { 'a.B': broken })),
    new InvalidSchema('reference "a.B": at /: "items" is missing'),
  );
});
