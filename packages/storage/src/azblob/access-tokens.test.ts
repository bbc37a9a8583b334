import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { AccessTokens } from './access-tokens.ts';

/** Tokens of an hour, named by number. While `fails` is set, requests fail; while `holds` is set, they hang. */
function numberedTokens() {
  const clock = new HandClock();
  const state = { requests: 0, fails: false, holds: false };
  const tokens = new AccessTokens({
    clock,
    async request(signal) {
      const number = ++state.requests;
      if (state.holds)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      if (state.fails) throw new Error('refused');
      return { token: `token ${number}`, expiresMs: clock.nowMs() + 3_600_000 };
    },
  });
  return { clock, state, tokens };
}

test('a token serves all calls until shortly before it expires', async () => {
  const { clock, state, tokens } = numberedTokens();
  const first = await Promise.all([tokens.get(undefined), tokens.get(undefined)]);
  assert.deepEqual(first, ['token 1', 'token 1']);
  clock.advance(3_299_000);
  assert.equal(await tokens.get(undefined), 'token 1');
  assert.equal(state.requests, 1);
  clock.advance(2_000);
  // It is still good, and the next one is on its way.
  assert.equal(await tokens.get(undefined), 'token 1');
  await settle();
  assert.equal(await tokens.get(undefined), 'token 2');
  assert.equal(state.requests, 2);
});

test('a refresh that fails is tried again, not at every call, and is an error when the token has expired', async () => {
  const { clock, state, tokens } = numberedTokens();
  await tokens.get(undefined);
  state.fails = true;
  clock.advance(3_400_000);
  for (let call = 0; call < 5; call++) {
    assert.equal(await tokens.get(undefined), 'token 1');
    await settle();
  }
  assert.equal(state.requests, 2);
  clock.advance(31_000);
  assert.equal(await tokens.get(undefined), 'token 1');
  await settle();
  assert.equal(state.requests, 3);
  clock.advance(200_000);
  await assert.rejects(tokens.get(undefined), { message: 'refused' });
  state.fails = false;
  assert.equal(await tokens.get(undefined), 'token 5');
});

test('a token that the service refused is not used again', async () => {
  const { tokens } = numberedTokens();
  assert.equal(await tokens.get(undefined), 'token 1');
  tokens.forget('another one');
  assert.equal(await tokens.get(undefined), 'token 1');
  tokens.forget('token 1');
  assert.equal(await tokens.get(undefined), 'token 2');
});

test('an abort ends the wait of one call, a hanging request ends in time, and closing ends it at once', async () => {
  const { clock, state, tokens } = numberedTokens();
  state.holds = true;
  const abort = new AbortController();
  const aborted = tokens.get(abort.signal);
  const waiting = tokens.get(undefined);
  abort.abort(new Error('no longer wanted'));
  await assert.rejects(aborted, { message: 'no longer wanted' });
  const late = assert.rejects(waiting, { message: 'no response within 10000 ms' });
  clock.advance(10_000);
  await late;
  assert.equal(state.requests, 1);
  const closed = assert.rejects(tokens.get(undefined), { message: 'the store was closed' });
  await settle();
  tokens.close();
  await closed;
  assert.equal(clock.waiting, 0);
});
