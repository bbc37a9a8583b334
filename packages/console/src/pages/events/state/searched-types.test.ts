import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyState } from './explorer-state.ts';
import { hidesMetrics, searchedTypes } from './searched-types.ts';

test('a search of all types has metrics only if they are wanted', () => {
  const usual = searchedTypes('vci_1', emptyState);
  assert.ok(usual.includes('acl_logs') && usual.includes('agent_logs'));
  assert.ok(!usual.includes('cluster_metrics'));
  const cases: readonly [types: readonly ('acl_logs' | 'cluster_metrics')[], metrics: 'hide' | 'show'][] = [
    [[], 'show'],
    [['acl_logs'], 'hide'],
    [['cluster_metrics'], 'hide'],
  ];
  for (const [types, metrics] of cases) {
    assert.deepEqual(searchedTypes('vci_1', { types, metrics }), types);
    assert.equal(hidesMetrics({ types, metrics }), false);
  }
});
