import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyState } from './explorer-state.ts';
import { readSearches, searchLabel, withSearch } from './recent-searches.ts';

test('a search is listed once, the newest first, and at most twenty', () => {
  let list = withSearch([], { ...emptyState, filter: 'a == 1', sort: 'asc', zone: 'utc' });
  list = withSearch(list, { ...emptyState, filter: 'b == 2' });
  list = withSearch(list, { ...emptyState, filter: 'a == 1', find: 'x' });
  assert.deepEqual(list, [{ filter: 'a == 1' }, { filter: 'b == 2' }]);
  for (let count = 0; count < 30; count++)
    list = withSearch(list, { ...emptyState, filter: `c == ${count}` });
  assert.equal(list.length, 20);
});

test('whatever is stored gives searches', () => {
  assert.deepEqual(readSearches(null), []);
  assert.deepEqual(readSearches('not json'), []);
  assert.deepEqual(readSearches('{}'), []);
  assert.deepEqual(readSearches('[null, 1, {"filter": 5, "types": "acl_logs,other"}]'), [
    { filter: '5', types: 'acl_logs' },
  ]);
});

test('a search has a label', () => {
  assert.equal(searchLabel({}), 'All types · Last hour');
  assert.equal(
    searchLabel({ types: 'acl_logs', filter: 'a == 1', relative: '15m', group_by: 'type' }),
    'acl_logs · a == 1 · Last 15 minutes · by type',
  );
});
