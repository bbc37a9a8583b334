import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { column, list, map, struct, typeOf } from '../../testing/schemas.ts';
import { idsAfter, withFreshIds } from './fresh-ids.ts';
import { canRead } from './promotion.ts';
import { Schema } from './schema.ts';
import { changeSchema, type SchemaChange } from './schema-changes.ts';
import { changesTowards } from './schema-difference.ts';
import { isPrimitive, type PrimitiveType, typeText } from './types.ts';

const before = new Schema({
  id: 0,
  columns: [
    column(1, 'id!', 'int'),
    column(2, 'price', 'decimal(9, 2)'),
    column(3, 'user', struct(column(4, 'name!', 'string'), column(5, 'age', 'float'))),
    column(6, 'tags', list(7, 'int')),
    column(8, 'attrs', map(9, 'string', 10, struct(column(11, 'n', 'int')))),
  ],
  identifierIds: [1],
});

const shown = (schema: Schema) => typeText({ kind: 'struct', columns: schema.columns });
const path = (text: string) => text.split('.');
const widen = (at: string, type: string): SchemaChange => ({
  change: 'widen',
  path: path(at),
  type: typeOf(type) as PrimitiveType,
});

test('changes that every reader of old files understands', () => {
  const [id, price, user, tags, attrs] = [
    '1: id: required int',
    '2: price: optional decimal(9, 2)',
    '3: user: optional struct<4: name: required string, 5: age: optional float>',
    '6: tags: optional list<7: optional int>',
    '8: attrs: optional map<9: string, 10: optional struct<11: n: optional int>>',
  ];
  const uuid = typeOf('uuid');
  // changes, resulting columns. The highest id so far is 20.
  const cases: [SchemaChange[], string[]][] = [
    [
      [{ change: 'add', path: ['new'], type: uuid }],
      [id!, price!, user!, tags!, attrs!, '21: new: optional uuid'],
    ],
    [
      [{ change: 'add', path: ['new'], type: uuid, position: 'first' }],
      ['21: new: optional uuid', id!, price!, user!, tags!, attrs!],
    ],
    [
      [{ change: 'add', path: ['user', 'at'], type: uuid, position: { after: 'name' } }],
      [
        id!,
        price!,
        '3: user: optional struct<4: name: required string, 21: at: optional uuid, 5: age: optional float>',
        tags!,
        attrs!,
      ],
    ],
    // The column before what is inside of it, level by level; ids in the type do not matter.
    [
      [{ change: 'add', path: ['s'], type: struct(column(1, 'a', list(1, 'int')), column(1, 'b', 'int')) }],
      [
        id!,
        price!,
        user!,
        tags!,
        attrs!,
        '21: s: optional struct<22: a: optional list<24: optional int>, 23: b: optional int>',
      ],
    ],
    [
      [{ change: 'add', path: path('attrs.value.m'), type: uuid }],
      [
        id!,
        price!,
        user!,
        tags!,
        '8: attrs: optional map<9: string, 10: optional struct<11: n: optional int, 21: m: optional uuid>>',
      ],
    ],
    // A name that is free again gets a new id.
    [
      [
        { change: 'drop', path: ['price'] },
        { change: 'add', path: ['price'], type: uuid },
      ],
      [id!, user!, tags!, attrs!, '21: price: optional uuid'],
    ],
    [[{ change: 'rename', path: ['id'], to: 'key' }], ['1: key: required int', price!, user!, tags!, attrs!]],
    [[{ change: 'move', path: ['attrs'], position: 'first' }], [attrs!, id!, price!, user!, tags!]],
    [[{ change: 'move', path: ['id'], position: { before: 'tags' } }], [price!, user!, id!, tags!, attrs!]],
    [[widen('id', 'long')], ['1: id: required long', price!, user!, tags!, attrs!]],
    [[widen('price', 'decimal(20, 2)')], [id!, '2: price: optional decimal(20, 2)', user!, tags!, attrs!]],
    [
      [widen('tags.element', 'long')],
      [id!, price!, user!, '6: tags: optional list<7: optional long>', attrs!],
    ],
    [
      [widen('user.age', 'double'), { change: 'make-optional', path: path('user.name') }],
      [
        id!,
        price!,
        '3: user: optional struct<4: name: optional string, 5: age: optional double>',
        tags!,
        attrs!,
      ],
    ],
  ];
  for (const [changes, columns] of cases)
    assert.equal(shown(changeSchema(before, 20, changes).schema), `struct<${columns.join(', ')}>`);
});

test('other changes are refused', () => {
  const drop = (at: string): SchemaChange => ({ change: 'drop', path: path(at) });
  // changes, problem
  const cases: [SchemaChange[], RegExp][] = [
    [[widen('id', 'string')], /^id: int cannot become string; allowed are/],
    [[widen('price', 'decimal(20, 3)')], /cannot become/],
    [[widen('price', 'decimal(8, 2)')], /cannot become/],
    [[widen('user', 'long')], /cannot become/],
    [[widen('id', 'long'), widen('id', 'int')], /^id: long cannot become int/],
    [[drop('id')], /^id: identifier columns cannot be dropped/],
    [[drop('nothing')], /^nothing: no such column$/],
    [[drop('user.name.first')], /name is string and has no columns/],
    [[drop('attrs.value.n')], /the last column cannot be dropped/],
    [[drop('attrs.key')], /cannot be changed/],
    [[widen('attrs.key', 'string')], /keys of a map cannot be changed/],
    [[{ change: 'add', path: path('tags.other'), type: typeOf('int') }], /only be added to a struct/],
    [[{ change: 'add', path: ['id'], type: typeOf('int') }], /^id: the column exists$/],
    [[{ change: 'rename', path: ['id'], to: 'price' }], /price: two columns have this name/],
    [[{ change: 'move', path: ['id'], position: { after: 'name' } }], /no column name beside it/],
    [[{ change: 'make-optional', path: ['id'] }], /identifier column id may be null/],
    [[{ change: 'identify', paths: [['price']] }], /identifier column price may be null/],
    [[{ change: 'drop', path: [] }], /names no column/],
  ];
  for (const [changes, problem] of cases)
    assert.throws(
      () => changeSchema(before, 20, changes),
      (error: Error) => problem.test(error.message),
    );
});

test('ids are never given twice, and only grow', () => {
  const name = fc.constantFrom('id', 'price', 'user', 'tags', 'attrs', 'x', 'y');
  const change: fc.Arbitrary<SchemaChange> = fc.oneof(
    name.map((one) => ({ change: 'drop' as const, path: [one] })),
    name.map((one) => ({ change: 'add' as const, path: [one], type: struct(column(1, 'a', 'int')) })),
    fc.tuple(name, name).map(([one, to]) => ({ change: 'rename' as const, path: [one], to })),
    name.map((one) => ({ change: 'move' as const, path: [one], position: 'first' as const })),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const given = new Map([...before.allColumns()].map(({ id, type }) => [id, typeText(type)]));
      let now = { schema: before, lastColumnId: 11 };
      for (const one of changes) {
        let next: typeof now;
        try {
          next = changeSchema(now.schema, now.lastColumnId, [one]);
        } catch {
          continue;
        }
        for (const { id, type } of next.schema.allColumns()) {
          if (id > now.lastColumnId) given.set(id, typeText(type));
          // An id always means the same column.
          assert.equal(given.get(id), typeText(type));
        }
        assert.ok(next.lastColumnId >= now.lastColumnId && next.schema.columnIdMax <= next.lastColumnId);
        now = next;
      }
    }),
  );
});

test('the way to the columns that people want', () => {
  const name = column(0, 'name!', 'string');
  const [id, price, tags, attrs] = [
    column(0, 'id!', 'int'),
    column(0, 'price', 'decimal(9, 2)'),
    column(0, 'tags', list(0, 'int')),
    column(0, 'attrs', map(0, 'string', 0, struct(column(0, 'n', 'int')))),
  ];
  const user = column(0, 'user', struct(name, column(0, 'age', 'float')));
  const all = [id, price, user, tags, attrs];
  const but = (...others: (typeof id)[]) =>
    all.map((one) => others.find((other) => other.name === one.name) ?? one);
  // wanted columns, changes in short
  const cases: [(typeof id)[], string[]][] = [
    [all, []],
    [[...all].reverse(), []],
    [[...all, column(0, 'x', 'uuid')], ['add x']],
    [but(column(0, 'id', 'long')), ['make-optional id', 'widen id']],
    [but(column(0, 'price', 'decimal(5, 2)')), []],
    [but(column(0, 'tags', list(0, 'long'))), ['widen tags.element']],
    [but(column(0, 'user', struct(name, column(0, 'login', 'string')))), ['add user.login']],
    [but(column(0, 'attrs', map(0, 'string', 0, struct(column(0, 'm', 'int'))))), ['add attrs.value.m']],
    [[price], ['make-optional id']],
  ];
  for (const [wanted, expected] of cases) {
    const changes = changesTowards(before, wanted);
    assert.deepEqual(
      changes.map((one) => `${one.change} ${'path' in one ? one.path.join('.') : ''}`),
      expected,
    );
    // Once they are made, there is nothing left to do.
    const loose = new Schema({ id: 0, columns: before.columns });
    assert.deepEqual(changesTowards(changeSchema(loose, 20, changes).schema, wanted), []);
  }
  for (const [wanted, problem] of [
    [
      column(0, 'id', 'string'),
      /^InvalidTable: id: the table has int, which cannot become string; choose another name/,
    ],
    [column(0, 'user', 'string'), /user: the table has struct/],
    [column(0, 'price', 'decimal(9, 3)'), /cannot become decimal\(9, 3\)/],
  ] as const)
    assert.throws(() => changesTowards(before, but(wanted)), problem);
});

test('what a wider type can read', () => {
  const types = [
    'int',
    'long',
    'float',
    'double',
    'decimal(9, 2)',
    'decimal(10, 2)',
    'decimal(10, 3)',
    'date',
    'fixed[2]',
    'fixed[3]',
  ];
  const pairs = types.flatMap((from) =>
    types.filter((to) => from !== to && canRead(typeOf(from), typeOf(to))).map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(pairs, ['int → long', 'float → double', 'decimal(9, 2) → decimal(10, 2)']);
  for (const type of types) assert.ok(canRead(typeOf(type), typeOf(type)) && isPrimitive(typeOf(type)));
});

test('fresh ids number a level before what is inside of it', () => {
  const ids = idsAfter(0);
  const columns = withFreshIds(
    [
      column(7, 'a', map(7, 'int', 7, list(7, 'int'))),
      column(7, 'b', struct(column(7, 'c', 'int'), column(7, 'd', list(7, 'int')))),
      column(7, 'e', 'int'),
    ],
    ids.next,
  );
  assert.equal(
    typeText({ kind: 'struct', columns }),
    'struct<1: a: optional map<4: int, 5: optional list<6: optional int>>, ' +
      '2: b: optional struct<7: c: optional int, 8: d: optional list<9: optional int>>, 3: e: optional int>',
  );
  assert.equal(ids.last(), 9);
});
