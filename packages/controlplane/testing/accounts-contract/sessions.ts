import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { apiLimits } from '@weir/api/limits';
import type { Stage } from './stage.ts';

/** Sessions of the console. */
export function sessionsContract({ inhabited }: Stage): void {
  inhabited('a session is known by its token until it ends', async (scene, { userId, accountId }) => {
    const { sessions, deps, users } = scene;
    const from = { userId, remoteAddress: '203.0.113.7', userAgent: 'Firefox\u0000\n' };
    const { token, session } = await sessions.begin(from);
    assert.equal(session.userAgent, 'Firefox  ');
    const resumed = await sessions.resume(token);
    assert.deepEqual([resumed?.user.id, resumed?.user.accountId], [userId, accountId]);
    for (const wrong of ['', 'x', session.id, `${token}x`, createHash('sha256').update(token).digest('hex')])
      assert.equal(await sessions.resume(wrong), undefined, wrong);

    // With regular use it lives a week; unused, half a day.
    const { token: idle } = await sessions.begin(from);
    for (let hours = 0; hours < 6 * 24; hours += 6) {
      deps.clock.advance(6 * 3_600_000);
      assert.equal((await sessions.resume(token))?.session.lastSeenMs, deps.clock.nowMs());
    }
    assert.equal(await sessions.resume(idle), undefined);
    assert.deepEqual(
      (await sessions.list(userId)).map(({ id }) => id),
      [session.id],
    );
    for (let hours = 0; hours < 24; hours += 6) {
      assert.notEqual(await sessions.resume(token), undefined);
      deps.clock.advance(6 * 3_600_000);
    }
    assert.equal(await sessions.resume(token), undefined);

    const [own, other, revoked] = [
      await sessions.begin(from),
      await sessions.begin(from),
      await sessions.begin(from),
    ];
    assert.equal(await sessions.end(userId, revoked.session.id), true);
    assert.equal(await sessions.end(userId, revoked.session.id), false);
    assert.equal(await sessions.end('ui_other', own.session.id), false);
    await users.setPassword(accountId, userId, 'another long password', own.session.id);
    assert.notEqual(await sessions.resume(own.token), undefined);
    assert.equal(await sessions.resume(other.token), undefined);
    await sessions.endAll(userId);
    assert.equal(await sessions.resume(own.token), undefined);
  });

  inhabited(
    'signing in gives another token and ends the one that the browser had',
    async (scene, { userId }) => {
      const { sessions } = scene;
      const from = { userId, remoteAddress: '::1', userAgent: '' };
      const { token: planted } = await sessions.begin(from);
      const { token } = await sessions.begin({ ...from, replacedToken: planted });
      assert.notEqual(token, planted);
      assert.equal(await sessions.resume(planted), undefined);
      assert.notEqual(await sessions.resume(token), undefined);
    },
  );

  inhabited('a user has so many sessions, and the oldest end', async ({ sessions, deps }, { userId }) => {
    const tokens: string[] = [];
    for (let n = 0; n < apiLimits.sessionsPerUserMax + 2; n++) {
      deps.clock.advance(1);
      tokens.push((await sessions.begin({ userId, remoteAddress: '', userAgent: '' })).token);
    }
    const lives = async (token: string) => (await sessions.resume(token)) !== undefined;
    assert.deepEqual(await Promise.all(tokens.slice(0, 3).map(lives)), [false, false, true]);
    assert.equal((await sessions.list(userId)).length, apiLimits.sessionsPerUserMax);
  });
}
