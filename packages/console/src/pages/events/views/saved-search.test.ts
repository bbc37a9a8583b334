import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultParseSearch } from '@tanstack/react-router';
import { readSearch } from '../state/events-search.ts';
import { type ExplorerState, emptyState, stateOf } from '../state/explorer-state.ts';
import { isChanged, pathOfView, savedSearch, stateOfView } from './saved-search.ts';

const state: ExplorerState = {
  ...emptyState,
  types: ['acl_logs'],
  filter: 'data.operation == "WRITE"',
  range: { day: '2026-11-15', from: '09:30' },
  groupBy: 'type',
  chart: 'lines',
  live: 'paused',
  event: 'e1',
  near: '2026-11-15T10:00:00Z',
  view: 'evi_0',
};

test('a view opens the state that was saved, without the event', () => {
  const view = { id: 'evi_1', search: savedSearch(state) };
  assert.deepEqual(stateOfView(view), { ...state, event: '', near: '', view: 'evi_1' });
  assert.deepEqual(savedSearch(emptyState), {});
});

test('a state is changed when it searches or shows something else', () => {
  const view = { id: 'evi_1', search: savedSearch(state) };
  assert.equal(isChanged(view, state), false);
  assert.equal(isChanged(view, { ...state, event: 'e2' }), false);
  assert.equal(isChanged(view, { ...state, chart: 'bars' }), true);
  assert.equal(isChanged(view, { ...state, filter: '' }), true);
});

test('parameters of another release are ignored, and those with a default are no change', () => {
  const view = { id: 'evi_1', search: { sort: 'desc', chart: 'pie', colour: 'blue' } };
  assert.deepEqual(stateOfView(view), { ...emptyState, view: 'evi_1' });
  assert.equal(isChanged(view, emptyState), false);
});

test('the link of a view has the whole search', () => {
  const view = { id: 'evi_1', search: savedSearch(state) };
  const path = pathOfView('vci_1', view);
  assert.deepEqual(stateOf(readSearch(defaultParseSearch(path.slice(path.indexOf('?'))))), stateOfView(view));
});
