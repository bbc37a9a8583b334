import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { StoreError } from '../store/store-error.ts';
import { type Expiring, Renewed } from './renewed.ts';

/** Tokens that expire after an hour. Requests wait until the test answers them. */
function heldTokens() {
  const clock = new HandClock();
  const requests: { readonly signal: AbortSignal; answer(): void; fail(): void }[] = [];
  const tokens = new Renewed({
    clock,
    subject: 'gs://bucket',
    renewAheadMs: 225_000,
    renew: (signal) =>
      new Promise<Expiring & { readonly token: string }>((resolve, reject) => {
        const token = `token ${requests.length}`;
        signal.addEventListener('abort', () => reject(signal.reason));
        requests.push({
          signal,
          answer: () => resolve({ token, expiresMs: clock.nowMs() + 3_600_000 }),
          fail: () => reject(new StoreError('unavailable', 'https://tokens', 'busy')),
        });
      }),
  });
  return { clock, requests, tokens };
}

test('callers share a request, and use its token until it expires', async () => {
  const { clock, requests, tokens } = heldTokens();
  const both = Promise.all([tokens.get(undefined), tokens.get(undefined)]);
  requests[0]!.answer();
  assert.deepEqual(
    (await both).map(({ token }) => token),
    ['token 0', 'token 0'],
  );
  await clock.pass(3_300_000);
  assert.equal((await tokens.get(undefined)).token, 'token 0');
  assert.equal(requests.length, 1);
});

test('a token is renewed while it is still used', async () => {
  const { clock, requests, tokens } = heldTokens();
  const first = tokens.get(undefined);
  requests[0]!.answer();
  await first;
  await clock.pass(3_600_000 - 200_000);
  assert.equal((await tokens.get(undefined)).token, 'token 0');
  assert.equal((await tokens.get(undefined)).token, 'token 0');
  assert.equal(requests.length, 2);
  requests[1]!.fail();
  await clock.pass(1_000);
  assert.equal((await tokens.get(undefined)).token, 'token 0');
  assert.equal(requests.length, 2, 'a failure is not repeated at once');
  await clock.pass(10_000);
  await tokens.get(undefined);
  requests[2]!.answer();
  await clock.pass(0);
  assert.equal((await tokens.get(undefined)).token, 'token 2');
});

test('an expired token is not used, and the failure of its renewal is that of the request', async () => {
  const { clock, requests, tokens } = heldTokens();
  const first = tokens.get(undefined);
  requests[0]!.answer();
  await first;
  await clock.pass(3_600_000 - 4_000);
  const next = tokens.get(undefined);
  requests[1]!.fail();
  await assert.rejects(next, { kind: 'unavailable' });
});

test('a refused token is requested again, once for all callers', async () => {
  const { requests, tokens } = heldTokens();
  const first = tokens.get(undefined);
  requests[0]!.answer();
  const token = await first;
  tokens.drop(token);
  const next = tokens.get(undefined);
  requests[1]!.answer();
  assert.equal((await next).token, 'token 1');
  tokens.drop(token);
  assert.equal((await tokens.get(undefined)).token, 'token 1');
});

test('an abort ends the wait of one caller, not the request of all', async () => {
  const { requests, tokens } = heldTokens();
  const controller = new AbortController();
  const aborted = tokens.get(controller.signal);
  const other = tokens.get(undefined);
  controller.abort(new Error('no longer wanted'));
  await assert.rejects(aborted, /no longer wanted/);
  requests[0]!.answer();
  assert.equal((await other).token, 'token 0');
  await assert.rejects(tokens.get(AbortSignal.abort(new Error('before'))), /before/);
});

test('a request that takes too long, or whose store is closed, ends', async () => {
  const { clock, requests, tokens } = heldTokens();
  const slow = tokens.get(undefined);
  slow.catch(() => undefined);
  await clock.pass(10_000);
  await assert.rejects(slow, { kind: 'timeout' });
  const closed = tokens.get(undefined);
  closed.catch(() => undefined);
  tokens.close();
  await assert.rejects(closed, { kind: 'unavailable' });
  assert.equal(requests.length, 2);
  assert.equal(clock.waiting, 0, 'no timer is left');
});
