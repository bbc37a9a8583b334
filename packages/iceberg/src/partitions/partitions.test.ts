import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column, list, schemaOf, struct, typeOf } from '../../testing/schemas.ts';
import { primitiveTexts } from '../../testing/values.ts';
import { parseJson, printJson } from '../json/exact-json.ts';
import { type PrimitiveType, primitiveText } from '../schema/types.ts';
import type { Value } from '../values/value.ts';
import { partitionPath } from './partition-path.ts';
import {
  checkSpec,
  isSameSpec,
  newSpec,
  partitionColumns,
  readSpec,
  readSpecFields,
  specJson,
} from './partition-spec.ts';
import { checkSortOrder, isSameOrder, readSortOrder, sortOrderJson } from './sort-order.ts';
import { canTransform, parseTransform, resultType, transformText, transformValue } from './transform.ts';

const primitive = (text: string) => typeOf(text) as PrimitiveType;
const transform = (text: string) => parseTransform(text, 'test');

test('transforms of values', () => {
  const noon = 1510871468000000n;
  // transform, type, value, partition value
  const cases: [string, string, Value | null, Value | null][] = [
    ['identity', 'string', 'x', 'x'],
    ['void', 'string', 'x', null],
    ['year', 'date', 17486, 47],
    ['year', 'date', -1, -1],
    ['month', 'date', 17486, 574],
    ['month', 'date', -1, -1],
    ['month', 'date', -32, -2],
    ['day', 'timestamptz', noon, 17486],
    ['day', 'timestamp', -1n, -1],
    ['day', 'date', -5, -5],
    ['hour', 'timestamp', noon, 419686],
    ['hour', 'timestamp', -1n, -1],
    ['hour', 'timestamp', -3_600_000_001n, -2],
    ['bucket[16]', 'int', 34, 3],
    ['bucket[16]', 'long', 34n, 3],
    ['bucket[100]', 'string', 'iceberg', 89],
    ['bucket[16]', 'decimal(9, 2)', 1420n, (-500754589 & 0x7fffffff) % 16],
    ['bucket[16]', 'date', 17486, (-653330422 & 0x7fffffff) % 16],
    ['truncate[10]', 'int', 1, 0],
    ['truncate[10]', 'int', -1, -10],
    ['truncate[10]', 'int', -10, -10],
    ['truncate[10]', 'long', -11n, -20n],
    ['truncate[50]', 'decimal(9, 2)', 1065n, 1050n],
    ['truncate[50]', 'decimal(9, 2)', -1n, -50n],
    ['truncate[3]', 'string', 'iceberg', 'ice'],
    ['truncate[2]', 'string', '😀😀😀', '😀😀'],
    ['truncate[3]', 'binary', Buffer.from('abcde'), Buffer.from('abc')],
    ...['identity', 'year', 'month', 'day', 'bucket[5]'].map((text): [string, string, null, null] => [
      text,
      'date',
      null,
      null,
    ]),
  ];
  for (const [text, type, value, expected] of cases)
    assert.deepEqual(
      transformValue(transform(text), primitive(type), value),
      expected,
      `${text} of ${type} ${value}`,
    );
});

test('values that cannot be truncated are refused', () => {
  // transform, type, value
  const cases: [string, string, Value][] = [
    ['truncate[10]', 'int', -(2 ** 31)],
    ['truncate[10]', 'long', -(2n ** 63n)],
    ['truncate[10]', 'decimal(2, 1)', -99n],
  ];
  for (const [text, type, value] of cases)
    assert.throws(() => transformValue(transform(text), primitive(type), value), /choose another width/);
});

test('which transform takes which type, and what results', () => {
  const shown = (text: string) =>
    primitiveTexts
      .filter((type) => canTransform(transform(text), primitive(type)))
      .map((type) => {
        const result = primitiveText(resultType(transform(text), primitive(type)));
        return result === type ? type : `${type} → ${result}`;
      })
      .join(', ');
  // transform, types
  const cases: [string, string][] = [
    ['identity', primitiveTexts.join(', ')],
    ['void', primitiveTexts.join(', ')],
    ['year', 'date → int, timestamp → int, timestamptz → int'],
    ['day', 'date, timestamp → date, timestamptz → date'],
    ['hour', 'timestamp → int, timestamptz → int'],
    ['truncate[4]', 'int, long, string, binary, decimal(9, 2), decimal(38, 10)'],
  ];
  for (const [text, types] of cases) assert.equal(shown(text), types, text);
  const unhashed = primitiveTexts.filter((type) => !canTransform(transform('bucket[4]'), primitive(type)));
  assert.deepEqual(unhashed, ['boolean', 'float', 'double']);
  assert.ok(!canTransform(transform('identity'), list(1, 'int')));
});

test('texts of transforms', () => {
  for (const text of ['identity', 'bucket[16]', 'truncate[2147483647]', 'void', 'zorder[3]', 'bucket[-1]'])
    assert.equal(transformText(transform(text)), text);
  assert.deepEqual(transform('zorder[3]'), { kind: 'unknown', text: 'zorder[3]' });
  for (const text of ['bucket[0]', 'truncate[2147483648]'])
    assert.throws(() => transform(text), /must be at least 1/);
});

const schema = schemaOf(
  column(1, 'id!', 'long'),
  column(2, 'ts', 'timestamptz'),
  column(3, 'user', struct(column(4, 'name', 'string'))),
  column(5, 'tags', list(6, 'string')),
);

test('specs are made, printed and read', () => {
  const spec = newSpec(schema, [
    { path: ['ts'], transform: transform('day') },
    { path: ['user', 'name'], transform: transform('bucket[8]') },
    { path: ['id'], transform: transform('identity') },
  ]);
  const golden =
    '{"spec-id":0,"fields":[{"source-id":2,"field-id":1000,"name":"ts_day","transform":"day"},' +
    '{"source-id":4,"field-id":1001,"name":"user.name_bucket","transform":"bucket[8]"},' +
    '{"source-id":1,"field-id":1002,"name":"id","transform":"identity"}]}';
  assert.equal(printJson(specJson(spec)), golden);
  assert.ok(isSameSpec(readSpec(parseJson(golden, 'x'), 'x'), spec));
  // An equal field keeps its id; others get new ones.
  const next = newSpec(
    schema,
    [
      { path: ['ts'], transform: transform('hour') },
      { path: ['id'], transform: transform('identity') },
    ],
    { earlier: [spec], lastPartitionId: 1002 },
  );
  assert.deepEqual(
    next.fields.map(({ id, name }) => [id, name]),
    [
      [1003, 'ts_hour'],
      [1002, 'id'],
    ],
  );
  // Format version 1 has no ids.
  const old = readSpecFields(
    [
      { 'source-id': 1, name: 'id', transform: 'identity' },
      { 'source-id': 2, name: 'd', transform: 'day' },
    ],
    'x',
  );
  assert.deepEqual(
    old.map(({ id }) => id),
    [1000, 1001],
  );
});

test('specs that files cannot be written with are refused', () => {
  const field = (sourceId: number, name: string, text: string, id = 1000) => ({
    sourceId,
    id,
    name,
    transform: transform(text),
  });
  // fields, problem
  const cases: [ReturnType<typeof field>[], RegExp][] = [
    [[field(9, 'a', 'identity')], /no column with the id 9/],
    [[field(1, 'a', 'hour')], /hour does not apply to id, which is long/],
    [[field(6, 'a', 'identity')], /tags\.element is in a list or map/],
    [[field(3, 'a', 'identity')], /does not apply to user, which is struct/],
    [[field(1, 'a', 'zorder[2]')], /unknown transform "zorder\[2\]"/],
    [[field(1, 'a', 'identity'), field(2, 'a', 'day', 1001)], /names and ids must be unique/],
    [[field(2, 'id', 'day')], /a column has this name; choose another, such as id_day/],
  ];
  for (const [fields, problem] of cases) assert.throws(() => checkSpec({ id: 0, fields }, schema), problem);
  assert.throws(
    () => newSpec(schema, [{ path: ['no'], transform: transform('day') }]),
    /partition by no: no such column/,
  );
});

test('folders of partitions', () => {
  const types = schemaOf(
    column(1, 'ts', 'timestamptz'),
    column(2, 'd', 'decimal(9, 2)'),
    column(3, 's', 'string'),
    column(4, 'b', 'binary'),
  );
  // column, transform, partition value, folder
  const cases: [string, string, Value | null, string][] = [
    ['ts', 'year', -1, 'p=1969'],
    ['ts', 'month', 574, 'p=2017-11'],
    ['ts', 'month', -1, 'p=1969-12'],
    ['ts', 'day', 17486, 'p=2017-11-16'],
    ['ts', 'hour', 419686, 'p=2017-11-16-22'],
    ['ts', 'hour', -1, 'p=1969-12-31-23'],
    ['d', 'identity', -1420n, 'p=-14.20'],
    ['s', 'identity', 'a/b =c', 'p=a%2Fb%20%3Dc'],
    ['s', 'bucket[4]', 3, 'p=3'],
    ['b', 'identity', Buffer.from([255]), 'p=%2Fw%3D%3D'],
    ['s', 'identity', null, 'p=null'],
  ];
  for (const [name, text, value, folder] of cases) {
    const spec = newSpec(types, [{ path: [name], transform: transform(text), name: 'p' }]);
    assert.equal(partitionPath(partitionColumns(spec, [types]), [value]), folder);
  }
});

test('sort orders are printed, read and checked', () => {
  const golden =
    '{"order-id":1,"fields":[{"transform":"bucket[4]","source-id":1,"direction":"desc","null-order":"nulls-last"}]}';
  const order = readSortOrder(parseJson(golden, 'x'), 'x');
  assert.equal(printJson(sortOrderJson(order)), golden);
  assert.ok(isSameOrder(order, { ...order, id: 2 }));
  checkSortOrder(order, schema);
  const wrong = { id: 1, fields: [{ ...order.fields[0]!, sourceId: 6 }] };
  assert.throws(() => checkSortOrder(wrong, schema), /does not apply to tags\.element/);
  assert.throws(
    () => readSortOrder(parseJson(golden.replace('desc', 'down'), 'x'), 'x'),
    /must be one of asc, desc/,
  );
});
