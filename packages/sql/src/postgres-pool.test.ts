import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffSeconds } from './postgres-pool.ts';

test('a server is retried within a second after a long outage', () => {
  for (const failures of [0, 1, 10, 1_000]) {
    const pauseSeconds = backoffSeconds(failures);
    assert.ok(pauseSeconds >= 0 && pauseSeconds <= 1, `${failures} failures: ${pauseSeconds} s`);
  }
  assert.ok(backoffSeconds(1) > 0, 'there is a pause before the next attempt');
});
