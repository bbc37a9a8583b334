import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaSource } from '../../testing/schema-source.ts';
import { avroFormat } from './avro-format.ts';

function differences(reader: unknown, writer: unknown): string[] {
  const [readerSchema, writerSchema] = [reader, writer].map((schema) =>
    avroFormat.parse(schemaSource(JSON.stringify(schema))),
  );
  return avroFormat
    .incompatibilities(readerSchema!, writerSchema!, { reader: 'new', policy: 'STRICT' })
    .map(({ type, path }) => `${type} ${path}`);
}

const record = (...fields: object[]): object => ({ type: 'record', name: 'R', fields });
const field = (name: string, type: unknown, more: object = {}): object => ({ name, type, ...more });
const fixed = (name: string, size: number, more: object = {}): object => ({
  type: 'fixed',
  name,
  size,
  ...more,
});
const colors = (symbols: string[], more: object = {}): object => ({
  type: 'enum',
  name: 'E',
  symbols,
  ...more,
});

const table: [name: string, reader: unknown, writer: unknown, expected: string[]][] = [
  ['the same', 'int', 'int', []],
  ['int to long', 'long', 'int', []],
  ['long to int', 'int', 'long', ['TYPE_MISMATCH /']],
  ['int to float', 'float', 'int', []],
  ['long to double', 'double', 'long', []],
  ['float to double', 'double', 'float', []],
  ['double to float', 'float', 'double', ['TYPE_MISMATCH /']],
  ['string to bytes', 'bytes', 'string', []],
  ['bytes to string', 'string', 'bytes', []],
  ['logical types', { type: 'int', logicalType: 'date' }, { type: 'int', logicalType: 'time-millis' }, []],
  ['a field is gone', record(), record(field('a', 'int')), []],
  ['a field with a default is new', record(field('a', 'int', { default: 1 })), record(), []],
  [
    'fields without default are new',
    record(field('a', 'int'), field('b', 'int')),
    record(),
    ['READER_FIELD_MISSING_DEFAULT_VALUE /fields/0', 'READER_FIELD_MISSING_DEFAULT_VALUE /fields/1'],
  ],
  [
    'a new field has an enum with a default of its own',
    record(field('a', colors(['A'], { default: 'A' }))),
    record(),
    ['TYPE_MISMATCH /fields/0/type'],
  ],
  [
    'a field has a new name and an alias',
    record(field('b', 'int', { aliases: ['a'] })),
    record(field('a', 'int')),
    [],
  ],
  [
    'an alias that is the name',
    record(field('a', 'int', { aliases: ['a'] })),
    record(field('a', 'int', { aliases: ['a'] })),
    [],
  ],
  [
    'an alias that matches a second field',
    record(field('a', 'int', { aliases: ['b'] })),
    record(field('a', 'int'), field('b', 'int')),
    ['NAME_MISMATCH /fields/0'],
  ],
  ['the namespace changed', { ...record(), namespace: 'a' }, { ...record(), namespace: 'b' }, []],
  ['the name changed', { ...record(), name: 'Q' }, record(), ['NAME_MISMATCH /name']],
  ['the name changed, with an alias', { ...record(), name: 'Q', aliases: ['R'] }, record(), []],
  [
    'an alias in another namespace',
    { ...record(), name: 'Q', namespace: 'n', aliases: ['R'] },
    record(),
    ['NAME_MISMATCH /name'],
  ],
  [
    'name and size of a fixed',
    record(field('f', fixed('F', 1))),
    record(field('f', fixed('G', 2))),
    ['NAME_MISMATCH /fields/0/type/name', 'FIXED_SIZE_MISMATCH /fields/0/type/size'],
  ],
  ['symbols are new', colors(['A', 'B']), colors(['A']), []],
  ['symbols are gone', colors(['A']), colors(['C', 'B', 'A']), ['MISSING_ENUM_SYMBOLS /symbols']],
  ['symbols are gone, with a default', colors(['A'], { default: 'A' }), colors(['A', 'B']), []],
  ['items', { type: 'array', items: 'int' }, { type: 'array', items: 'string' }, ['TYPE_MISMATCH /items']],
  ['values', { type: 'map', values: 'int' }, { type: 'map', values: 'string' }, ['TYPE_MISMATCH /values']],
  ['to a union', ['null', 'int'], 'int', []],
  ['to a union with promotion', ['null', 'long'], 'int', []],
  ['to a union without it', ['null', 'string'], 'int', ['MISSING_UNION_BRANCH /']],
  ['from a union', 'int', ['null', 'int'], ['TYPE_MISMATCH /0']],
  ['between unions', ['string', 'long', 'null'], ['null', 'int'], []],
  [
    'branches are gone',
    record(field('u', ['null'])),
    record(field('u', ['int', 'null', 'string'])),
    ['MISSING_UNION_BRANCH /fields/0/type/0', 'MISSING_UNION_BRANCH /fields/0/type/2'],
  ],
  [
    'a recursive type',
    record(field('next', ['null', 'R']), field('v', 'long')),
    record(field('next', ['null', 'R']), field('v', 'int')),
    [],
  ],
  [
    'a recursive type with a difference',
    record(field('v', 'int'), field('next', ['null', 'R'])),
    record(field('v', 'long'), field('next', ['null', 'R'])),
    ['TYPE_MISMATCH /fields/0/type'],
  ],
  [
    'a pair that occurs twice is listed twice, at its first place',
    record(field('a', { ...record(field('x', 'int')), name: 'Q' }), field('b', 'Q')),
    record(field('a', { ...record(field('x', 'null')), name: 'Q' }), field('b', 'Q')),
    ['TYPE_MISMATCH /fields/0/type/fields/0/type', 'TYPE_MISMATCH /fields/0/type/fields/0/type'],
  ],
];

for (const [name, reader, writer, expected] of table) {
  test(`compatibility: ${name}`, () => assert.deepEqual(differences(reader, writer), expected));
}

test('messages name the schemas by the direction of the check', () => {
  const without = avroFormat.parse(schemaSource(JSON.stringify(record())));
  const withField = avroFormat.parse(schemaSource(JSON.stringify(record(field('a', 'int')))));
  const message = (reader: 'new' | 'old'): string =>
    avroFormat.incompatibilities(withField, without, { reader, policy: 'STRICT' })[0]!.message;
  assert.equal(
    message('new'),
    "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'a' at path '/fields/0' in the new " +
      "schema has no default value and is missing in the old schema', additionalInfo:'a'}",
  );
  assert.equal(
    message('old'),
    "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'a' at path '/fields/0' in the old " +
      "schema has no default value and is missing in the new schema', additionalInfo:'a'}",
  );
});

test('missing symbols are listed in order', () => {
  const [reader, writer] = [colors(['A']), colors(['C', 'B', 'A'])].map((schema) =>
    avroFormat.parse(schemaSource(JSON.stringify(schema))),
  );
  const [difference] = avroFormat.incompatibilities(reader!, writer!, { reader: 'new', policy: 'STRICT' });
  assert.match(difference!.message, /additionalInfo:'\[B, C\]'\}$/);
});
