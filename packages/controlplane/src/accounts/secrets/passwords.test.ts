import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import { Passwords } from './passwords.ts';

const cost = { memoryKiB: 64, passes: 1, parallelism: 1 };

test('passwords: of those who come at once some run, some wait and the rest is sent away', async () => {
  const passwords = new Passwords({ cost, randomBytes });
  const stored = await passwords.hash('correct horse battery');
  // The hash of nobody's password is made at the start, and would take one of the turns.
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
  // And then there is room again, for as many.
  const later = await Promise.all(
    Array.from({ length: turns }, () => passwords.isRight('wrong horse battery', stored)),
  );
  assert.equal(later.includes(true), false);
});

test('passwords: who has none is hashed for all the same', async () => {
  const passwords = new Passwords({ cost, randomBytes });
  assert.equal(await passwords.isRight('correct horse battery', null), false);
  const turns = controlPlaneLimits.passwordHashesRunningMax + controlPlaneLimits.passwordHashesWaitingMax;
  const results = await Promise.allSettled(
    Array.from({ length: turns + 1 }, () => passwords.isRight('correct horse battery', null)),
  );
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
});

test('passwords: a new one is long enough, and not too long', async () => {
  const passwords = new Passwords({ cost, randomBytes });
  for (const password of ['', 'elevenchars', 'x'.repeat(apiLimits.passwordCharsMax + 1)])
    await assert.rejects(passwords.hash(password), (error: ApiError) => error.code === 'invalid_request');
  assert.ok(await passwords.hash('twelve chars'));
});
