import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { startTestApi } from '../../testing/api-server.ts';
import { appGrant, makeAccount, password } from '../../testing/two-accounts.ts';
import { placeOf } from '../http/remote-address.ts';
import { controlPlaneLimits } from '../limits.ts';
import { usualRateLimits } from './rate-limits.ts';
import { TokenBuckets } from './token-buckets.ts';

const unknownKey = (n: number) => `aks_${n.toString(16).padStart(64, '0')}`;

/** An account with a user, and sign-ins with any name from any address. */
async function startSignIns(t: TestContext) {
  const { accounts, deps, call } = await startTestApi(t, { isBehindProxy: true });
  const ours = await makeAccount(accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  let guessed = 0;
  const signIn = (from: string, name: string, tried: string) =>
    call('sign_in', {
      body: { email: name, password: tried },
      headers: { 'x-forwarded-for': `6.6.6.6, ${from}` },
    });
  const guess = (from: string, name: string) => signIn(from, name, `guess number ${guessed++}`);
  return { email, clock: deps.clock, signIn, guess };
}

test('guesses from one address never lock a user out at another, however long they continue', async (t) => {
  const { email, clock, signIn, guess } = await startSignIns(t);
  const { burst } = usualRateLimits.failuresPerNameAtPlace;
  for (let n = 0; n < burst; n++) assert.equal((await guess('10.6.6.6', email)).status, 401);
  const refused = await guess('10.6.6.6', email.toUpperCase());
  assert.deepEqual([refused.status, refused.json.error], [429, 'rate_limited']);
  assert.equal(refused.headers['retry-after'], '30');
  assert.equal((await signIn('10.6.6.6', email, password)).status, 429, 'the right password is refused too');
  assert.equal((await signIn('10.0.0.1', email, password)).status, 200);

  // A guess whenever one is allowed, for longer than the bucket of the name lasts.
  for (let n = 0; n < usualRateLimits.failuresPerName.burst + 5; n++) {
    clock.advance(30_000);
    assert.equal((await guess('10.6.6.6', email)).status, 401);
    assert.equal((await guess('10.6.6.6', email)).status, 429);
  }
  assert.equal((await signIn('10.0.0.2', email, password)).status, 200, 'an address that is new to the name');
});

test('guesses from many addresses are slowed down, and the user can sign in from a known address', async (t) => {
  const { email, clock, signIn, guess } = await startSignIns(t);
  assert.equal((await signIn('10.0.0.1', email, password)).status, 200);
  const { burst } = usualRateLimits.failuresPerName;
  for (let n = 0; n < burst; n++) assert.equal((await guess(`10.6.0.${n}`, email)).status, 401);
  for (let n = 0; n < 5; n++) {
    const refused = await guess(`10.6.1.${n}`, email);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '15']);
  }
  assert.equal((await signIn('10.0.1.2', email, password)).status, 429, 'the right password is refused too');
  assert.equal((await signIn('10.0.0.1', email, password)).status, 200, 'a known address is admitted');
  clock.advance(15_000);
  assert.equal((await guess('10.6.2.1', email)).status, 401);
  assert.equal((await guess('10.6.2.2', email)).status, 429, 'one attempt per fifteen seconds');
  clock.advance(15_000);
  assert.equal((await signIn('10.0.1.2', email, password)).status, 200);
  assert.equal(
    (await signIn('10.0.1.2', email, password)).status,
    200,
    'a successful attempt is not counted',
  );
});

test('a known address has a limit on guesses too', async (t) => {
  const { email, signIn, guess } = await startSignIns(t);
  assert.equal((await signIn('10.0.0.1', email, password)).status, 200);
  const { burst } = usualRateLimits.failuresPerNameAtPlace;
  for (let n = 0; n < burst; n++) assert.equal((await guess('10.0.0.1', email)).status, 401);
  assert.equal((await guess('10.0.0.1', email)).status, 429);
});

test('guesses from one address for many names are limited', async (t) => {
  const { guess } = await startSignIns(t);
  const places = usualRateLimits.failuresPerPlace.burst;
  for (let n = 0; n < places; n++) assert.equal((await guess('10.9.9.9', `n${n}@x.example`)).status, 401);
  assert.equal((await guess('10.9.9.9', 'another@x.example')).status, 429);
  assert.equal((await guess('10.9.9.8', 'another@x.example')).status, 401, 'others are not limited');
});

test('concurrent guesses are all counted', async (t) => {
  const { accounts, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const email = await ours.user('ada');
  const { burst } = usualRateLimits.failuresPerNameAtPlace;
  const guesses = Array.from({ length: burst * 3 }, (_, n) =>
    call('sign_in', { body: { email, password: `guess number ${n}` } }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length <= burst);
});

test('a program with an unknown key does not lock out others at its address', async (t) => {
  const { accounts, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const good = { 'service-api-key': await ours.key('app', appGrant(ours.a.id)) };
  assert.equal((await call('get_context', { headers: good })).status, 200);
  let last = 401;
  for (let n = 0; n <= usualRateLimits.unknownKeysPerPlace.burst && last === 401; n++)
    last = (await call('get_context', { headers: { 'service-api-key': unknownKey(n) } })).status;
  assert.equal(last, 429);
  assert.equal((await call('get_context', { headers: good })).status, 200);
});

test('calls of one key are limited', async (t) => {
  const { accounts, deps, call } = await startTestApi(t, {
    rateLimits: { ...usualRateLimits, callsPerCaller: { burst: 3, perSecond: 1 } },
  });
  const ours = await makeAccount(accounts, 'Ours');
  const headers = { 'service-api-key': await ours.key('a', appGrant(ours.a.id)) };
  const other = { 'service-api-key': await ours.key('b', appGrant(ours.a.id)) };
  for (let n = 0; n < 3; n++) assert.equal((await call('get_context', { headers })).status, 200);
  const refused = await call('get_context', { headers });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
  assert.equal((await call('get_context', { headers: other })).status, 200);
  deps.clock.advance(1000);
  assert.equal((await call('get_context', { headers })).status, 200);
});

test('in any interval a bucket gives at most its burst plus the refill', () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 3000 }), isTaken: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const clock = new HandClock();
      const buckets = new TokenBuckets({ burst: 5, perSecond: 2 }, clock);
      let taken = 0;
      let passedMs = 0;
      for (const { waitMs, isTaken } of steps) {
        clock.advance(waitMs);
        passedMs += waitMs;
        if (isTaken && buckets.take('one') === 0) taken++;
      }
      assert.ok(taken <= 5 + (passedMs / 1000) * 2 + 1e-6);
    }),
  );
});

test('memory is bounded for any number of callers', () => {
  const buckets = new TokenBuckets({ burst: 1, perSecond: 1 }, new HandClock());
  for (let n = 0; n < controlPlaneLimits.apiCountedCallersMax + 1000; n++) buckets.take(`caller ${n}`);
  assert.equal(buckets.size, controlPlaneLimits.apiCountedCallersMax);
});

test('which addresses count as one', () => {
  const cases: [address: string, place: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ];
  for (const [address, place] of cases) assert.equal(placeOf(address), place, address);
});
