import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column, list, map, schemaOf, struct } from '../../testing/schemas.ts';
import { parseJson, printJson } from '../json/exact-json.ts';
import { project } from './projection.ts';
import { Schema } from './schema.ts';
import { readSchema, schemaJson } from './schema-json.ts';
import { typeText } from './types.ts';

/** A schema with everything in it, as Apache Iceberg prints it. */
const golden =
  '{"type":"struct","schema-id":3,"identifier-field-ids":[1],"fields":[' +
  '{"id":1,"name":"id","required":true,"type":"long","doc":"the key"},' +
  '{"id":2,"name":"price","required":false,"type":"decimal(9, 2)"},' +
  '{"id":3,"name":"hash","required":false,"type":"fixed[16]"},' +
  '{"id":4,"name":"user","required":false,"type":{"type":"struct","fields":[' +
  '{"id":5,"name":"tags","required":true,"type":{"type":"list","element-id":6,"element-required":true,"element":"string"}}]}},' +
  '{"id":7,"name":"attrs","required":false,"type":{"type":"map","key-id":8,"key":"string","value-id":9,"value-required":false,' +
  '"value":{"type":"struct","fields":[{"id":10,"name":"at","required":false,"type":"timestamptz"}]}}}]}';

test('a schema is printed as it was read', () => {
  const schema = readSchema(parseJson(golden, 'x'), 'schema');
  assert.equal(printJson(schemaJson(schema)), golden);
  assert.equal(schema.columnIdMax, 10);
});

test('columns are found by path and by id', () => {
  const schema = readSchema(parseJson(golden, 'x'), 'schema');
  // path, id, may be null, is repeated
  const cases: [string, number, boolean, boolean][] = [
    ['id', 1, false, false],
    ['user', 4, true, false],
    ['user.tags', 5, true, false],
    ['user.tags.element', 6, true, true],
    ['attrs.key', 8, true, true],
    ['attrs.value.at', 10, true, true],
  ];
  for (const [path, id, mayBeNull, isRepeated] of cases) {
    const found = schema.find(path.split('.'));
    assert.deepEqual([found?.id, found?.mayBeNull, found?.isRepeated], [id, mayBeNull, isRepeated], path);
    assert.equal(schema.column(id), found);
  }
  assert.equal(schema.find(['user', 'nothing']), undefined);
  assert.equal(schema.find([]), undefined);
});

test('types are read from their texts', () => {
  const typeIn = (type: string) =>
    readSchema({ fields: [{ id: 1, name: 'a', required: false, type }] }, 'schema').columns[0]!.type;
  // text, type as Weir prints it or the problem
  const cases: [string, string][] = [
    ['boolean', 'boolean'],
    ['timestamptz', 'timestamptz'],
    ['decimal(9,2)', 'decimal(9, 2)'],
    ['decimal( 38 , 38 )', 'decimal(38, 38)'],
    ['fixed[0]', 'fixed[0]'],
    [
      'decimal(39, 2)',
      'schema.fields[0].type: decimal(39, 2): a decimal has 1 to 38 digits, and no more after the point',
    ],
    [
      'decimal(2, 3)',
      'schema.fields[0].type: decimal(2, 3): a decimal has 1 to 38 digits, and no more after the point',
    ],
  ];
  for (const [text, expected] of cases) {
    const result = (() => {
      try {
        return typeText(typeIn(text));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    assert.equal(result, expected);
  }
  assert.throws(() => typeIn('varchar'), /schema\.fields\[0\]\.type: unknown type "varchar"/);
});

test('schemas that break a rule are refused', () => {
  const identified = (id: number, ...columns: Parameters<typeof schemaOf>) =>
    new Schema({ id: 0, columns, identifierIds: [id] });
  let nested = column(1, 'a', 'int');
  for (let id = 2; id < 70; id++) nested = column(id, 'a', struct(nested));
  // what is made, the problem
  const cases: [() => unknown, string][] = [
    [() => schemaOf(column(1, 'a', 'int'), column(1, 'b', 'int')), 'schema: b: the id 1 is also that of a'],
    [() => schemaOf(column(1, 'a', 'int'), column(2, 'a', 'int')), 'schema: a: two columns have this name'],
    [() => schemaOf(column(1, 'a', list(1, 'int'))), 'schema: a.element: the id 1 is also that of a'],
    [
      () => schemaOf(column(2147483646, 'a', 'int')),
      'schema: a: the id 2147483646 is not between 0 and 2147483447',
    ],
    [() => schemaOf(column(1, '', 'int')), 'schema: : a column has no name'],
    [() => schemaOf(nested), `schema: a.a.a.a.a.a.a.a: more than 64 levels`],
    [() => identified(1, column(1, 'a', 'int')), 'identifier column a may be null'],
    [() => identified(1, column(1, 'a!', 'double')), 'identifier column a is a floating-point number'],
    [
      () => identified(2, column(1, 'a', struct(column(2, 'b!', 'int')))),
      'identifier column a.b may be null',
    ],
    [
      () => identified(2, column(1, 'a!', map(2, 'int', 3, 'int'))),
      'identifier column a.key is in a list or map',
    ],
    [() => identified(1, column(1, 'a!', list(2, 'int'))), 'identifier column a is not primitive'],
    [() => identified(9, column(1, 'a!', 'int')), 'identifier column 9 does not exist'],
  ];
  for (const [make, message] of cases)
    assert.throws(make, (error: Error) => error.message === message, message);
});

test('a projection has the wanted columns and what is around them', () => {
  const schema = readSchema(parseJson(golden, 'x'), 'schema');
  // wanted ids, types of the result
  const cases: [number[], string][] = [
    [[1, 2], 'struct<1: id: required long, 2: price: optional decimal(9, 2)>'],
    [[6], 'struct<4: user: optional struct<5: tags: required list<6: required string>>>'],
    [[4], 'struct<4: user: optional struct<5: tags: required list<6: required string>>>'],
    [[10], 'struct<7: attrs: optional map<8: string, 9: optional struct<10: at: optional timestamptz>>>'],
    [[], 'struct<>'],
  ];
  for (const [ids, expected] of cases)
    assert.equal(typeText({ kind: 'struct', columns: project(schema, ids).columns }), expected);
  assert.deepEqual(project(schema, [1]).identifierIds, [1]);
  assert.throws(() => project(schema, [99]), /no column with the id 99/);
});
