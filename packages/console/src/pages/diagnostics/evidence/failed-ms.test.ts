import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedMs } from './failed-ms.ts';

test('how long a diagnostic failed', () => {
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
  const changes = [
    { transition: 'recovered', time: at(90) },
    { transition: 'muted', time: at(60) },
    { transition: 'failed', time: at(30) },
    { transition: 'recovered', time: at(10) },
  ] as const;
  assert.deepEqual(
    changes.map((_, index) => failedMs(changes, index)),
    [60_000, undefined, undefined, undefined],
  );
});
