import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type Client, type ErrorCode } from '@weir/api';
import { type Clock, seededRandom } from '@weir/core';
import { patientClient, pauseMs } from './patient-client.ts';

/** A clock on which pauses end at once and deadlines never expire. */
function quickClock(): Clock & { readonly pausesMs: number[] } {
  const pausesMs: number[] = [];
  return {
    pausesMs,
    nowMs: () => 0,
    monotonicMs: () => 0,
    after(delayMs, run) {
      let isCancelled = false;
      if (delayMs === 30_000) return () => {};
      pausesMs.push(delayMs);
      queueMicrotask(() => isCancelled || run());
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** Fails with these errors in order, then succeeds. */
function failing(...errors: readonly ApiError[]): Client & { calls: number } {
  const client = {
    calls: 0,
    async call() {
      const error = errors[client.calls++];
      if (error !== undefined) throw error;
      return {};
    },
  };
  return client as Client & { calls: number };
}

const never = new AbortController().signal;

const cases: readonly [codes: readonly ErrorCode[], calls: number, end: ErrorCode | 'ok'][] = [
  [[], 1, 'ok'],
  [['unavailable'], 2, 'ok'],
  [['rate_limited', 'context_canceled', 'unavailable'], 4, 'ok'],
  [Array<ErrorCode>(5).fill('unavailable'), 6, 'ok'],
  [Array<ErrorCode>(9).fill('unavailable'), 6, 'unavailable'],
  [['forbidden'], 1, 'forbidden'],
  [['unavailable', 'conflict'], 2, 'conflict'],
  [['internal'], 1, 'internal'],
];

test('a retriable error is retried up to five times', async () => {
  for (const [codes, calls, end] of cases) {
    const flaky = failing(...codes.map((code) => new ApiError(code)));
    const client = patientClient(flaky, { clock: quickClock(), random: seededRandom(1), stop: never });
    const ended = await client.call('list_workspaces', {}).then(
      () => 'ok',
      (error: ApiError) => error.code,
    );
    assert.deepEqual([flaky.calls, ended], [calls, end], codes.join(', '));
  }
});

test('pauses grow, are at least as long as the answer asks for, and are bounded', () => {
  const random = seededRandom(1);
  const plain = new ApiError('unavailable');
  for (const [retries, fullMs] of [200, 400, 800, 1600, 3200].entries()) {
    const found = pauseMs(retries, plain, random);
    assert.ok(found >= fullMs / 2 && found <= fullMs, `${retries}: ${found}`);
  }
  assert.equal(pauseMs(0, new ApiError('rate_limited', '', { retryAfterSeconds: 7 }), random), 7000);
  assert.equal(pauseMs(0, new ApiError('rate_limited', '', { retryAfterSeconds: 1e6 }), random), 60_000);
});

test('stopping ends the wait for a retry', async () => {
  const stop = new AbortController();
  const clock: Clock = { nowMs: () => 0, monotonicMs: () => 0, after: () => () => {} };
  const flaky = failing(new ApiError('unavailable'));
  const call = patientClient(flaky, { clock, random: seededRandom(1), stop: stop.signal }).call(
    'list_workspaces',
    {},
  );
  stop.abort();
  await assert.rejects(call);
  assert.equal(flaky.calls, 1);
});

test('stopping aborts a call that reads and waits for a call that writes', async () => {
  const stop = new AbortController();
  stop.abort();
  const aborted = new Map<string, boolean>();
  const client = {
    async call(name: string, _input: unknown, { signal }: { signal: AbortSignal }) {
      aborted.set(name, signal.aborted);
      return {};
    },
  } as unknown as Client;
  const patient = patientClient(client, { clock: quickClock(), random: seededRandom(1), stop: stop.signal });
  await patient.call('list_workspaces', {});
  await patient.call('delete_api_key', { api_key_id: 'aki_x' });
  assert.deepEqual(Object.fromEntries(aborted), { list_workspaces: true, delete_api_key: false });
});

test('a call without an answer is retried', async () => {
  let calls = 0;
  const client = {
    call: (_name: string, _input: unknown, { signal }: { signal: AbortSignal }) => {
      if (++calls > 1) return Promise.resolve({});
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  } as unknown as Client;
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    after(_delayMs, run) {
      queueMicrotask(run);
      return () => {};
    },
  };
  await patientClient(client, { clock, random: seededRandom(1), stop: never }).call('list_workspaces', {});
  assert.equal(calls, 2);
});
