import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogFields, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { FailureLog, printable } from './failure-log.ts';

test('a limited number of failures is logged, and then the number of suppressed ones', () => {
  const clock = new HandClock();
  const lines: LogFields[] = [];
  const failures = new FailureLog({
    clock,
    log: { ...silentLog, warn: (_, fields = {}) => lines.push(fields) },
  });
  for (let count = 0; count < 1000; count++) failures.log('failed', { count });
  assert.equal(lines.length, 50);
  clock.advance(10_000);
  failures.log('failed', { count: 1000 });
  failures.log('failed', { count: 1001 });
  assert.deepEqual(lines.slice(50), [{ count: 1000, unloggedBefore: 950 }, { count: 1001 }]);
});

test('strings from clients are sanitized for the log', () => {
  const cases: readonly [word: string, printed: string][] = [
    ['alice', 'alice'],
    ['élise@例え', 'élise@例え'],
    ['a\nb\x1b[31m\u202e', 'a?b?[31m?'],
    ['x'.repeat(100), `${'x'.repeat(64)}…`],
  ];
  for (const [word, printed] of cases) assert.equal(printable(word), printed);
});
