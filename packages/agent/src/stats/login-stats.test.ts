import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from '@weir/core';
import { LoginStats } from './login-stats.ts';

const loginOf = (user: string, hasOldPassword = false) => ({ user, hasOldPassword });

test('a login is reported until the report was received', () => {
  const logins = new LoginStats();
  logins.note(loginOf('ann'), 1_000);
  assert.deepEqual(logins.report(3_000), [{ username: 'ann', agoMs: 2_000 }]);
  assert.deepEqual(logins.report(4_000), [{ username: 'ann', agoMs: 3_000 }]);
  logins.reportReceived();
  assert.deepEqual(logins.report(5_000), []);
});

test('a login while a report is in flight is reported again', () => {
  const logins = new LoginStats();
  logins.note(loginOf('ann'), 1_000);
  logins.report(2_000);
  logins.note(loginOf('ann'), 2_500);
  logins.reportReceived();
  assert.deepEqual(logins.report(3_000), [{ username: 'ann', agoMs: 500 }]);
});

test('logins that do not fit into one report are in the next', () => {
  const logins = new LoginStats();
  const userCount = 2 * coreLimits.reportedLoginsMax + 1;
  for (let user = 0; user < userCount; user++) logins.note(loginOf(`u${user}`), user);
  const reported = new Set<string>();
  for (const expected of [coreLimits.reportedLoginsMax, coreLimits.reportedLoginsMax, 1, 0]) {
    const some = logins.report(0);
    assert.equal(some.length, expected);
    for (const { username } of some) reported.add(username);
    logins.reportReceived();
  }
  assert.equal(reported.size, userCount);
});

test('the last login with an old password is reported beside the last login', () => {
  const logins = new LoginStats();
  logins.note(loginOf('ann', true), 1_000);
  logins.note(loginOf('ann'), 2_000);
  assert.deepEqual(logins.report(3_000), [{ username: 'ann', agoMs: 1_000, oldPasswordAgoMs: 2_000 }]);
  logins.reportReceived();
  logins.note(loginOf('ann'), 4_000);
  assert.deepEqual(logins.report(5_000), [{ username: 'ann', agoMs: 1_000 }]);
});
