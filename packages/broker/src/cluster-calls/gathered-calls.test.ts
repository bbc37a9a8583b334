import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredCalls } from './gathered-calls.ts';

/** Calls that the test answers one by one. */
function heldCalls(weightMax = 100) {
  const calls: { asks: readonly string[]; answer: () => void; fail: () => void }[] = [];
  const gathered = new GatheredCalls<string, string>({
    call: (asks) =>
      new Promise((resolve, reject) => {
        calls.push({
          asks,
          answer: () => resolve(asks.map((ask) => `${ask}!`)),
          fail: () => reject(new Error('no')),
        });
      }),
    weigh: (ask) => ask.length,
    weightMax,
  });
  return { calls, gathered };
}

test('the first goes at once, and later ones go together', async () => {
  const { calls, gathered } = heldCalls();
  const answers = ['a', 'b', 'c'].map((ask) => gathered.ask(ask));
  assert.deepEqual(
    calls.map(({ asks }) => asks),
    [['a']],
  );
  calls[0]!.answer();
  assert.equal(await answers[0], 'a!');
  assert.deepEqual(calls[1]?.asks, ['b', 'c']);
  calls[1]!.answer();
  assert.deepEqual(await Promise.all(answers), ['a!', 'b!', 'c!']);
});

test('a call is limited in weight, except for a single heavier entry', async () => {
  const { calls, gathered } = heldCalls(5);
  const answers = ['first', 'abc', 'de', 'f', 'very long', 'g'].map((ask) => gathered.ask(ask));
  for (const [index, expected] of [['first'], ['abc', 'de'], ['f'], ['very long'], ['g']].entries()) {
    assert.deepEqual(calls[index]!.asks, expected);
    calls[index]!.answer();
    await answers.find((_, at) => ['first', 'abc', 'de', 'f', 'very long', 'g'][at] === expected.at(-1));
    await Promise.resolve();
  }
  assert.equal(calls.length, 5);
});

test('a failed call fails only its own entries', async () => {
  const { calls, gathered } = heldCalls();
  const first = gathered.ask('a');
  const second = gathered.ask('b');
  calls[0]!.fail();
  await assert.rejects(first, /no/);
  calls[1]!.answer();
  assert.equal(await second, 'b!');
});
