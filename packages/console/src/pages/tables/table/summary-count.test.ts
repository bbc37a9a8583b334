import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryCount } from './summary-count.ts';

test('numbers of a summary are texts', () => {
  const summary = { 'added-records': '1200', 'service.commit-id': 'a1', 'total-records': '' };
  assert.equal(summaryCount(summary, 'added-records'), 1200);
  for (const name of ['service.commit-id', 'total-records', 'deleted-records', 'constructor'])
    assert.equal(summaryCount(summary, name), null, name);
});
