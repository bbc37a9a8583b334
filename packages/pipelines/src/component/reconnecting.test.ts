import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Reconnecting } from './reconnecting.ts';

const never = new AbortController().signal;

test('a connection is shared, made again after it broke, and pauses between attempts grow', async () => {
  const clock = new HandClock();
  const attemptsMs: number[] = [];
  const closed: string[] = [];
  const changes: string[] = [];
  let isUp = false;
  let broke: ((error: Error) => void) | undefined;
  const client = new Reconnecting(
    async (onClosed) => {
      attemptsMs.push(clock.monotonicMs());
      broke = onClosed;
      if (!isUp) throw new Error('refused');
      return {
        close: (error: Error) => {
          closed.push(error.message);
          broke?.(error);
        },
      };
    },
    clock,
    (change) => changes.push(change),
  );
  const settled = <Result>(promise: Promise<Result>) => clock.until(promise.catch(() => undefined));
  for (let n = 0; n < 10; n++) await settled(client.get(never));
  assert.deepEqual(changes.splice(0), Array(10).fill('failed'));
  const pausesMs = attemptsMs.slice(1).map((attemptMs, at) => attemptMs - attemptsMs[at]!);
  assert.deepEqual(pausesMs, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);

  isUp = true;
  const [one, other] = (await settled(Promise.all([client.get(never), client.get(never)])))!;
  assert.equal(one, other);
  assert.equal(client.current, one);
  // It broke at once, which is as bad as a refusal.
  broke?.(new Error('broken'));
  assert.equal(client.current, undefined);
  await settled(client.get(never));
  assert.equal(attemptsMs.at(-1)! - attemptsMs.at(-2)!, 10_000);
  // It lasted.
  clock.advance(60_000);
  broke?.(new Error('broken'));
  const brokenMs = clock.monotonicMs();
  await settled(client.get(never));
  assert.equal(attemptsMs.at(-1)! - brokenMs, 100);

  await client.close();
  assert.deepEqual(closed, ['the component was closed']);
  await assert.rejects(client.get(never), /the component was closed/);
  // The last one did not break.
  assert.deepEqual(changes, ['up', 'lost', 'up', 'lost', 'up']);
});

test('who is stopped does not wait for a connection', async () => {
  const client = new Reconnecting<{ close(): void }>(() => new Promise(() => {}), new HandClock());
  const stop = new AbortController();
  const waiting = client.get(stop.signal);
  stop.abort();
  await assert.rejects(waiting, /stopped/);
});
