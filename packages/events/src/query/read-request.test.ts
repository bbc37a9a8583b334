import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from '@weir/core';
import * as fc from 'fast-check';
import { anyFilter } from '../../testing/any-filter.ts';
import { eventLimits } from '../limits.ts';
import { readQueryRequest } from './read-request.ts';

const search = {
  kind: 'search',
  types: ['acl_logs'],
  window: { startMs: 0, endMs: 1000 },
  filter: { stages: [] },
  order: 'desc',
  limit: 10,
};

test('requests survive serialization as JSON', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      const request = { ...search, filter };
      assert.deepEqual(readQueryRequest(JSON.parse(JSON.stringify(request))), request);
    }),
  );
});

const comparison = { kind: 'comparison', field: { path: ['a'] }, operator: '==', value: 1 };

function nested(depth: number): object {
  return depth === 0 ? comparison : { kind: 'and', operands: [comparison, nested(depth - 1)] };
}

for (const { what, request } of [
  { what: 'an unknown kind', request: { ...search, kind: 'delete' } },
  { what: 'an unknown type', request: { ...search, types: ['secrets'] } },
  { what: 'a window that ends before it starts', request: { ...search, window: { startMs: 5, endMs: 5 } } },
  {
    what: 'a window of more than a day',
    request: { ...search, window: { startMs: 0, endMs: eventLimits.eventsWindowMsMax + 1 } },
  },
  { what: 'too many rows', request: { ...search, limit: coreLimits.eventRowsMax + 1 } },
  { what: 'an average of nothing', request: { ...search, timeline: { aggregation: 'avg' } } },
  {
    what: 'a timeline of the rest',
    request: {
      ...search,
      timeline: { aggregation: 'count' },
      after: { timeMs: 1, type: 'acl_logs', offset: 1 },
    },
  },
  {
    what: 'a filter that is too deep',
    request: { ...search, filter: { stages: [nested(coreLimits.filterDepthMax + 1)] } },
  },
  {
    what: 'an unknown operator',
    request: { ...search, filter: { stages: [{ ...comparison, operator: '~' }] } },
  },
  {
    what: 'too many neighbours',
    request: { kind: 'event', types: [], window: search.window, id: 'a', neighbours: 1000 },
  },
  { what: 'nothing', request: null },
]) {
  test(`${what} is refused`, () => {
    assert.throws(() => readQueryRequest(request), /^Error: a query for events: /);
  });
}
