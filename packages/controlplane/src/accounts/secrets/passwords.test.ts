import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import { Passwords } from './passwords.ts';

const cost = { memoryKiB: 64, passes: 1, parallelism: 1 };

test('passwords: of concurrent requests some run, some wait and the rest is refused', async () => {
  const passwords = new Passwords({ cost, randomBytes });
  const stored = await passwords.hash('correct horse battery');
  // The placeholder hash is made at the start, and would take one of the slots.
  await passwords.isRight('correct horse battery', null);
  const turns = controlPlaneLimits.passwordHashesRunningMax + controlPlaneLimits.passwordHashesWaitingMax;
  const results = await Promise.allSettled(
    Array.from({ length: turns + 10 }, () => passwords.isRight('correct horse battery', stored)),
  );
  assert.deepEqual(
    results.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason as ApiError).code,
    ),
    [...Array(turns).fill(true), ...Array(10).fill('rate_limited')],
  );
  // Afterwards there is capacity for as many again.
  const later = await Promise.all(
    Array.from({ length: turns }, () => passwords.isRight('wrong horse battery', stored)),
  );
  assert.equal(later.includes(true), false);
});

test('passwords: a user without a password costs a hash as well', async () => {
  const passwords = new Passwords({ cost, randomBytes });
  assert.equal(await passwords.isRight('correct horse battery', null), false);
  const turns = controlPlaneLimits.passwordHashesRunningMax + controlPlaneLimits.passwordHashesWaitingMax;
  const results = await Promise.allSettled(
    Array.from({ length: turns + 1 }, () => passwords.isRight('correct horse battery', null)),
  );
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
});

test('passwords: a new password has a minimum and a maximum length', async () => {
  const passwords = new Passwords({ cost, randomBytes });
  for (const password of ['', 'elevenchars', 'x'.repeat(apiLimits.passwordCharsMax + 1)])
    await assert.rejects(passwords.hash(password), (error: ApiError) => error.code === 'invalid_request');
  assert.ok(await passwords.hash('twelve chars'));
});
