import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('what is scheduled runs once, and what is cancelled does not', async () => {
  const ran: string[] = [];
  const cancel = systemClock.after(1, () => ran.push('cancelled'));
  systemClock.after(1, () => ran.push('scheduled'));
  cancel();
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  assert.deepEqual(ran, ['scheduled']);
});

test('monotonic time does not run backwards', () => {
  const first = systemClock.monotonicMs();
  assert.ok(systemClock.monotonicMs() >= first);
});
