import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { firstAnswer } from './first-answer.ts';

const nextAfterMs = 2_000;

/** Addresses that answer when the test says so, and when each was asked. */
function stage(count: number) {
  const clock = new HandClock();
  const stop = new AbortController();
  const asked: { readonly atMs: number; readonly signal: AbortSignal }[] = [];
  const answers = Array.from({ length: count }, () => Promise.withResolvers<string>());
  const asks = answers.map(({ promise }) => (signal: AbortSignal) => {
    asked.push({ atMs: clock.monotonicMs(), signal });
    return Promise.race([
      promise,
      new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped'))),
      ),
    ]);
  });
  const answer = firstAnswer(asks, { clock, nextAfterMs, stop: stop.signal });
  return {
    clock,
    stop,
    answers,
    answer,
    asked,
    times: () => asked.map(({ atMs }) => atMs),
    ended: () => asked.map(({ signal }) => signal.aborted),
  };
}

test('addresses that are silent delay the next by a fixed time, and the first answer ends the others', async () => {
  const { clock, answers, answer, times, ended } = stage(4);
  await clock.pass(4_500);
  assert.deepEqual(times(), [0, 2_000, 4_000]);
  assert.deepEqual(ended(), [false, false, false]);
  answers[1]!.resolve('second');
  assert.equal(await answer, 'second');
  assert.deepEqual(ended(), [true, true, true]);
  assert.equal(clock.waiting, 0);
  await clock.pass(60_000);
  assert.equal(times().length, 3, 'no other address is asked');
});

test('an address that fails makes room for the next at once', async () => {
  const { clock, answers, answer, times } = stage(3);
  await clock.pass(500);
  answers[0]!.reject(new Error('refused'));
  await settle();
  assert.deepEqual(times(), [0, 500]);
  await clock.pass(1_999);
  assert.equal(times().length, 2, 'the next has the whole time');
  await clock.pass(1);
  assert.deepEqual(times(), [0, 500, 2_500]);
  answers[0]!.reject(new Error('again'));
  answers[2]!.resolve('third');
  assert.equal(await answer, 'third');
});

test('the reasons of all are in their order', async () => {
  const { clock, answers, answer } = stage(3);
  const failed = assert.rejects(answer, { message: 'one; two; three' });
  await clock.pass(4_000);
  for (const [place, text] of [
    [1, 'two'],
    [2, 'three'],
    [0, 'one'],
  ] as const) {
    answers[place]!.reject(new Error(text));
    await settle();
  }
  await failed;
  assert.equal(clock.waiting, 0);
});

test('after a stop no other address is asked', async () => {
  const { clock, stop, answer, times } = stage(3);
  const failed = assert.rejects(answer, /stopped/);
  await clock.pass(100);
  stop.abort();
  await failed;
  await clock.pass(60_000);
  assert.deepEqual(times(), [0]);
});

test('without addresses there is no answer', async () => {
  await assert.rejects(stage(0).answer, /no address/);
});
