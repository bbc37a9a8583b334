import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, repeatOptions, windowOptions } from './alert-words.ts';

test('the condition of an alert is one line', () => {
  const diagnostics = (diagnostic_ids: string[], min_severity: 'low' | 'high' | 'critical' = 'low') =>
    conditionOf({ events: null, diagnostics: { diagnostic_ids, min_severity } });
  const events = { view_id: 'evi_1', view_name: 'Denials' };
  assert.equal(diagnostics([]), 'Any diagnostic fails');
  assert.equal(diagnostics(['a', 'b'], 'high'), 'a or b fails with severity high or higher');
  assert.equal(diagnostics([], 'critical'), 'Any diagnostic fails with severity critical');
  assert.equal(diagnostics(['a', 'b', 'c']), 'One of 3 diagnostics fails');
  assert.equal(
    conditionOf({ events: { ...events, more_than: 1, within_minutes: 5 }, diagnostics: null }),
    'More than 1 event of Denials in 5 minutes',
  );
});

test('a form offers what an alert has, in order', () => {
  assert.deepEqual(windowOptions(30), [
    ['1', '1 minute'],
    ['5', '5 minutes'],
    ['15', '15 minutes'],
    ['30', '30 minutes'],
    ['60', '1 hour'],
    ['360', '6 hours'],
    ['1440', '24 hours'],
  ]);
  assert.deepEqual(repeatOptions(null)[0], ['', 'Never']);
  assert.deepEqual(
    repeatOptions(30).map(([value]) => value),
    ['', '15', '30', '60', '240', '1440'],
  );
});
