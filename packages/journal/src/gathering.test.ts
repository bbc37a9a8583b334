import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { Gathering } from './gathering.ts';
import { journalLimits } from './limits.ts';

/** A database that answers when the test calls `answer`, with each question in capitals. */
function database() {
  const clock = new HandClock();
  const calls: { questions: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const gathering = new Gathering<string, string>(
    clock,
    (questions) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(questions.map((question) => question.toUpperCase()));
        calls.push({ questions, answer, fail: reject });
      }),
  );
  const sent = () => calls.map(({ questions }) => questions.join(''));
  return { clock, calls, gathering, sent };
}

test('concurrent questions share a call, and later ones share the next', async () => {
  const { calls, gathering, sent } = database();
  const first = ['a', 'b'].map((question) => gathering.ask(question));
  await settle();
  const next = ['c', 'd', 'a'].map((question) => gathering.ask(question));
  await settle();
  assert.deepEqual(sent(), ['ab'], 'a question never joins a call that was sent');
  calls[0]!.answer();
  assert.deepEqual(await Promise.all(first), ['A', 'B']);
  assert.deepEqual(sent(), ['ab', 'cda']);
  calls[1]!.answer();
  assert.deepEqual(await Promise.all(next), ['C', 'D', 'A']);
  const alone = gathering.ask('e');
  await settle();
  calls[2]!.answer();
  assert.equal(await alone, 'E');
});

test('a failed call fails only its own questions', async () => {
  const { calls, gathering } = database();
  const first = ['a', 'b'].map((question) => gathering.ask(question));
  await settle();
  const next = gathering.ask('c');
  calls[0]!.fail(new Error('no connection'));
  for (const one of first) await assert.rejects(one, /no connection/);
  calls[1]!.answer();
  assert.equal(await next, 'C');
});

test('a call without an answer does not block others for long', async () => {
  const { clock, calls, gathering, sent } = database();
  const late = gathering.ask('a');
  await settle();
  const next = gathering.ask('b');
  await clock.pass(200);
  assert.deepEqual(sent(), ['a']);
  await clock.pass(100);
  assert.deepEqual(sent(), ['a', 'b']);
  calls[1]!.answer();
  assert.equal(await next, 'B');
  calls[0]!.answer();
  assert.equal(await late, 'A');
});

test('the size of one call is limited', async () => {
  const { calls, gathering } = database();
  const all = Array.from({ length: 2 * journalLimits.gatheredLeasesMax + 1 }, (_, number) =>
    gathering.ask(`q${number}`),
  );
  for (let call = 0; call < 3; call++) {
    await settle();
    calls[call]!.answer();
  }
  assert.equal((await Promise.all(all)).at(-1), `Q${2 * journalLimits.gatheredLeasesMax}`);
  assert.deepEqual(
    calls.map(({ questions }) => questions.length),
    [journalLimits.gatheredLeasesMax, journalLimits.gatheredLeasesMax, 1],
  );
});
