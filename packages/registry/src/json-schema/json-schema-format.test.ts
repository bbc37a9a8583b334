import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidSchema, type ResolvedReference, type SchemaFormat } from '../schema-format.ts';
import { type JsonSchema, jsonSchemaFormat } from './json-schema-format.ts';

/** As users of all formats see it. */
const format: SchemaFormat<JsonSchema> = jsonSchemaFormat;

function parse(text: string, references: readonly ResolvedReference[] = []) {
  return jsonSchemaFormat.parse({ text, references });
}

function reference(name: string, text: string, references: readonly ResolvedReference[] = []) {
  return { name, subject: name, version: 1, source: { text, references } };
}

test('the canonical text is compact and keeps the order of keys, and the normalised text sorts them', () => {
  const rows: [text: string, canonical: string, normalized?: string][] = [
    [' { "b" : 1 , "a" : [ ] } ', '{"b":1,"a":[]}', '{"a":[],"b":1}'],
    ['{"10":{},"9":{},"a":{}}', '{"10":{},"9":{},"a":{}}'],
    ['{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1},"constructor":2}'],
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['true', 'true'],
    ['false', 'false'],
    ['{}', '{}'],
    [String.raw`{"title":"\u001f\/\"\\\u00e9\n"}`, String.raw`{"title":"\u001F/\"\\é\n"}`],
    [String.raw`{"title":"\\u001f"}`, String.raw`{"title":"\\u001f"}`],
    ['{"x":null,"y":true}', '{"x":null,"y":true}'],
    [
      '{"b":{"d":1,"c":[{"f":1,"e":2}]}}',
      '{"b":{"d":1,"c":[{"f":1,"e":2}]}}',
      '{"b":{"c":[{"e":2,"f":1}],"d":1}}',
    ],
  ];
  for (const [text, canonical, normalized = canonical] of rows) {
    const schema = parse(text);
    assert.equal(schema.canonicalText, canonical);
    assert.equal(parse(canonical).canonicalText, canonical);
    if (normalized !== canonical || !text.includes('"10"'))
      assert.equal(jsonSchemaFormat.normalizedText(schema), normalized);
    assert.equal(format.formattedText(schema, 'resolved'), canonical);
  }
});

test('numbers keep all digits and are written as Java writes them', () => {
  const rows: [text: string, canonical: string][] = [
    ['9007199254740993', '9007199254740993'],
    ['-0', '0'],
    ['-0.0', '0.0'],
    ['1.50', '1.50'],
    ['1e2', '1E+2'],
    ['1E+2', '1E+2'],
    ['1.5e2', '1.5E+2'],
    ['12.5e1', '125'],
    ['0.000001', '0.000001'],
    ['0.0000001', '1E-7'],
    ['1e400', '1E+400'],
    ['-1.20e-10', '-1.20E-10'],
    ['100.0', '100.0'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
  ];
  for (const [text, canonical] of rows)
    assert.equal(parse(`{"default":${text}}`).canonicalText, `{"default":${canonical}}`, text);
});

test('what is not a schema is refused with one line', () => {
  const rows: [text: string, message: RegExp][] = [
    ['', /not valid JSON: the text is empty/],
    ['{', /expected a key in quotes \(at character 2\)/],
    ['{"a":1,}', /expected a key in quotes \(at character 8\)/],
    ['{} x', /expected the end of the schema/],
    ['{"a":01}', /expected a JSON value/],
    ['{"a":"\n"}', /a control character is not escaped/],
    ['{"a":NaN}', /expected a JSON value/],
    ['"string"', /an object or a boolean/],
    ['[]', /an object or a boolean/],
    ['null', /an object or a boolean/],
    ['{"type":"text"}', /#: type must be a type or several/],
    ['{"properties":{"a":{"type":["text"]}}}', /#\/properties\/a: type must be/],
    ['{"minLength":-1}', /minLength must be an integer of at least 0/],
    ['{"minLength":1.5}', /minLength must be/],
    ['{"multipleOf":0}', /multipleOf must be a number above 0/],
    ['{"allOf":{}}', /allOf must be an array of schemas/],
    ['{"allOf":[1]}', /#\/allOf\/0: a schema of draft-07 is an object or a boolean/],
    ['{"required":["a","a"]}', /required must be an array of different strings/],
    ['{"properties":[]}', /properties must be an object of schemas/],
    ['{"$ref":1}', /\$ref must be a string/],
    ['{"$ref":"#/definitions/a"}', /#: the reference "#\/definitions\/a" cannot be resolved$/],
    ['{"$ref":"other.json"}', /"other.json" cannot be resolved; add it to the references/],
    ['{"$ref":"#"}', /a reference refers only to itself/],
    [
      '{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}}',
      /refers only to itself/,
    ],
    ['{"$schema":"http://json-schema.org/draft-04/schema#","required":["a","a"]}', /different strings/],
    ['{"$schema":"http://json-schema.org/draft-04/schema#","items":true}', /items must be a schema/],
    ['{"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":true}', /needs minimum/],
    ['{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}', /prefixItems/],
  ];
  for (const [text, message] of rows) {
    assert.throws(
      () => parse(text),
      (error) =>
        error instanceof InvalidSchema && message.test(error.message) && !error.message.includes('\n'),
      text,
    );
  }
});

test('references lead to subschemas by pointer, id and anchor, and to other schemas by name', () => {
  const address = reference(
    'address.json',
    '{"$id":"http://a.example/address","definitions":{"Zip":{"type":"string"}}}',
  );
  const person = reference('person.json', '{"properties":{"home":{"$ref":"address.json"}}}', [address]);
  const latest = '"$schema":"https://json-schema.org/draft/2020-12/schema"';
  const rows: [text: string, ...references: ResolvedReference[]][] = [
    ['{"properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"string"}}}'],
    ['{"properties":{"a":{"$ref":"#/definitions/x~1y%20z~0"}},"definitions":{"x/y z~":{}}}'],
    ['{"$ref":"#/components/schemas/A","components":{"schemas":{"A":{"type":"string"}}}}'],
    ['{"properties":{"next":{"$ref":"#"}}}'],
    [
      '{"$id":"http://a.example/root","properties":{"a":{"$ref":"inner"}},"definitions":{"b":{"$id":"inner"}}}',
    ],
    ['{"properties":{"a":{"$ref":"#name"}},"definitions":{"b":{"$id":"#name"}}}'],
    [`{${latest},"$defs":{"b":{"$anchor":"name"}},"properties":{"a":{"$ref":"#name"}}}`],
    ['{"items":[{"type":"string"},{"$ref":"#/items/0"}]}'],
    ['{"properties":{"a":{"$ref":"address.json"}}}', address],
    ['{"properties":{"a":{"$ref":"address.json#/definitions/Zip"}}}', address],
    ['{"properties":{"a":{"$ref":"http://a.example/address#/definitions/Zip"}}}', address],
    ['{"$id":"http://b.example/x/","properties":{"a":{"$ref":"person.json"}}}', person],
    ['{"$ref":"http://c.example/x.json"}', reference('http://c.example/x.json', '{"type":"string"}')],
    ['{"enum":[{"$ref":"nowhere"}],"default":{"$ref":"nowhere"}}'],
  ];
  for (const [text, ...references] of rows) assert.doesNotThrow(() => parse(text, references), text);
});

test('a change in a schema that is referred to is a change', () => {
  const text = '{"properties":{"a":{"$ref":"a.json"}},"additionalProperties":false}';
  const before = parse(text, [reference('a.json', '{"type":"string"}')]);
  const after = parse(text, [reference('a.json', '{"type":"number"}')]);
  const same = parse('{"properties":{"a":{"type":"string"}},"additionalProperties":false}');
  const between = (reader: typeof before, writer: typeof before) =>
    jsonSchemaFormat
      .incompatibilities(reader, writer, { reader: 'new', policy: 'STRICT' })
      .map(({ type, path }) => `${type} ${path}`);
  assert.deepEqual(between(after, before), ['TYPE_CHANGED #/properties/a']);
  assert.deepEqual(between(same, before), []);
  assert.deepEqual(between(before, same), []);
});

test('recursive schemas are compared to the end', () => {
  const list = (type: string, name: string) =>
    parse(
      `{"$ref":"#/definitions/${name}","definitions":{"${name}":{"type":"object","additionalProperties":false,
        "properties":{"value":{"type":"${type}"},"next":{"anyOf":[{"type":"null"},{"$ref":"#/definitions/${name}"}]}}}}}`,
    );
  const paths = (reader: ReturnType<typeof list>, writer: ReturnType<typeof list>) =>
    jsonSchemaFormat
      .incompatibilities(reader, writer, { reader: 'new', policy: 'STRICT' })
      .map(({ type, path }) => `${type} ${path}`);
  assert.deepEqual(paths(list('number', 'a'), list('integer', 'b')), []);
  assert.deepEqual(paths(list('integer', 'a'), list('number', 'b')), [
    'TYPE_NARROWED #/properties/value',
    'COMBINED_TYPE_SUBSCHEMAS_CHANGED #/properties/next',
  ]);
});

test('empty lists of types and schemas are taken, and fit as logic says', () => {
  // schema, whether it is the empty schema in effect
  const rows: [schema: object, fitsAll: boolean][] = [
    [{ required: [] }, true],
    [{ allOf: [] }, true],
    [{ items: [] }, true],
    [{ dependencies: { a: [] } }, true],
    [{ type: [] }, false],
    [{ enum: [] }, false],
    [{ anyOf: [] }, false],
    [{ oneOf: [] }, false],
  ];
  for (const draft of ['04', '06', '07'])
    for (const [keywords, fitsAll] of rows) {
      const schema = parse(
        JSON.stringify({ $schema: `http://json-schema.org/draft-${draft}/schema#`, ...keywords }),
      );
      const title = `${draft} ${JSON.stringify(keywords)}`;
      const problem = jsonSchemaFormat.codec(schema).problemOf(Buffer.from('{"a":1}'));
      assert.equal(problem === undefined, fitsAll, title);
      const differences = jsonSchemaFormat.incompatibilities(schema, schema, {
        reader: 'new',
        policy: 'STRICT',
      });
      assert.deepEqual(differences, [], title);
      for (const other of [parse('{}'), parse('{"type":"string"}')]) {
        jsonSchemaFormat.incompatibilities(schema, other, { reader: 'new', policy: 'STRICT' });
        jsonSchemaFormat.incompatibilities(other, schema, { reader: 'new', policy: 'STRICT' });
      }
    }
});
