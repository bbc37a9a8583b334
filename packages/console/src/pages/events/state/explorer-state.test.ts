import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { consolePaths } from '@weir/api';
import { type EventTypeName, eventTypeNames, type TimeRange } from '@weir/events';
import fc from 'fast-check';
import { readSearch } from './events-search.ts';
import {
  aggregations,
  canBeColumn,
  chartKinds,
  columnsMax,
  type ExplorerState,
  emptyState,
  searchOf,
  stateOf,
} from './explorer-state.ts';

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const perhaps = fc.oneof(fc.constant(''), word, fc.constantFrom('123', 'true', 'null', '"a"', '{}', ' [1] '));

const plain = { noNullPrototype: true } as const;

const range: fc.Arbitrary<TimeRange> = fc.oneof(
  fc.record({ relative: word }, plain),
  fc.record({ preset: fc.constantFrom('today' as const, 'yesterday' as const) }, plain),
  fc.record({ day: word, from: word, to: word }, { ...plain, requiredKeys: ['day'] }),
  fc.record({ start: word, end: word }, plain),
);

const state: fc.Arbitrary<ExplorerState> = fc
  .record({
    types: fc.uniqueArray(fc.constantFrom<EventTypeName>(...eventTypeNames)),
    metrics: fc.constantFrom('hide', 'show'),
    filter: perhaps,
    range,
    zone: fc.constantFrom('local', 'utc'),
    sort: fc.constantFrom('asc', 'desc'),
    mode: fc.constantFrom('raw', 'builder'),
    chart: fc.constantFrom(...chartKinds),
    groupBy: perhaps,
    thenBy: perhaps,
    aggregation: fc.constantFrom(...aggregations),
    field: perhaps,
    columns: fc.uniqueArray(fc.constantFrom('type', 'data.user', 'data.tags.a_1', 'data.error', 'id'), {
      maxLength: columnsMax,
    }),
    find: perhaps,
    event: perhaps,
    near: perhaps,
    live: fc.constantFrom('off', 'on', 'paused'),
    view: perhaps,
    compared: fc.option(fc.nat({ max: 4_000_000_000_000 })),
  })
  .map(({ compared, ...one }) => {
    const hasNumbers = one.aggregation !== 'count' && one.field !== '';
    return {
      ...one,
      thenBy: one.groupBy === '' ? '' : one.thenBy,
      aggregation: hasNumbers ? one.aggregation : 'count',
      field: hasNumbers ? one.field : '',
      compare:
        compared === null
          ? ''
          : `${new Date(compared).toISOString()}/${new Date(compared + 1_000).toISOString()}`,
    };
  });

test('a state survives the URL as the router writes and reads it', () => {
  fc.assert(
    fc.property(state, (one) => {
      const url = defaultStringifySearch(searchOf(one));
      assert.deepEqual(stateOf(readSearch(defaultParseSearch(url))), one);
    }),
  );
});

test('any parameters give a state, and reading them again changes nothing', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('types', 'filter', 'day', 'end', 'chart'), fc.jsonValue()),
      (given) => {
        const read = readSearch(given);
        assert.deepEqual(readSearch({ ...read }), read);
      },
    ),
  );
});

test('what is compared is a time that has a length', () => {
  const [first, last] = ['2026-11-15T10:00:00Z', '2026-11-15T11:00:00Z'];
  assert.equal(stateOf({ compare: `${first}/${last}` }).compare, `${first}/${last}`);
  for (const compare of [
    `${last}/${first}`,
    `${first}/${first}`,
    first,
    `${first}/later`,
    '/',
    `${first}/${last}/`,
  ])
    assert.equal(stateOf({ compare }).compare, '', compare);
});

test('columns are fields whose names need no quotes, each once and a few at most', () => {
  assert.deepEqual(stateOf({ columns: 'data.user,data.user,data.`a,b`,type' }).columns, [
    'data.user',
    'type',
  ]);
  assert.equal(stateOf({ columns: 'a,b,c,d,e,f,g' }).columns.length, columnsMax);
  for (const name of ['', 'data.', '.data', 'data.`x`', 'a b', '1a'])
    assert.equal(canBeColumn(name), false, name);
});

test('the first state has no parameters', () => {
  assert.deepEqual(searchOf(emptyState), {});
  assert.deepEqual(stateOf({}), emptyState);
});

test('links of other parts of the product open the search that they mean', () => {
  const path = consolePaths.events('vci_1', {
    types: 'acl_logs,agent_logs',
    filter: 'data.operation == "WRITE"',
    relative: '15m',
    sort: 'asc',
    group_by: 'data.operation',
    then_by: 'type',
  });
  const read = stateOf(readSearch(defaultParseSearch(path.slice(path.indexOf('?')))));
  assert.deepEqual(read, {
    ...emptyState,
    types: ['acl_logs', 'agent_logs'],
    filter: 'data.operation == "WRITE"',
    range: { relative: '15m' },
    sort: 'asc',
    groupBy: 'data.operation',
    thenBy: 'type',
  });
});
