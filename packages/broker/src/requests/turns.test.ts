import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { brokerLimits } from '../limits.ts';
import { eachInTurns, inTurns, mappedInTurns, TurnCount } from './turns.ts';

const doubled = (length: number) =>
  mappedInTurns(
    Array.from({ length }, (_, at) => at),
    new TurnCount(),
    (one) => 2 * one,
  );

test('work of less than a turn is done at once', () => {
  const clock = new HandClock();
  for (const length of [0, 1, brokerLimits.entriesPerTurnMax - 1]) {
    const done = inTurns(doubled(length), clock);
    assert.ok(Array.isArray(done));
    assert.equal(done.length, length);
  }
});

test('longer work waits for a turn of the clock after each of its own', async () => {
  const clock = new HandClock();
  const length = 3 * brokerLimits.entriesPerTurnMax - 1;
  let result: number[] | undefined;
  const done = inTurns(doubled(length), clock);
  assert.ok(done instanceof Promise);
  void done.then((one) => {
    result = one;
  });
  clock.advance(0);
  await settle();
  assert.equal(result, undefined);
  clock.advance(0);
  await settle();
  assert.deepEqual(
    result,
    Array.from({ length }, (_, at) => 2 * at),
  );
});

test('each item of a short list is visited at once, and those of a long one in turns', async () => {
  const clock = new HandClock();
  for (const length of [0, 1, brokerLimits.entriesPerTurnMax - 1, 3 * brokerLimits.entriesPerTurnMax - 1]) {
    const items = Array.from({ length }, (_, at) => 2 * at);
    const seen: number[] = [];
    const visit = (item: number, index: number) => {
      seen[index] = item;
    };
    const done = eachInTurns(items, clock, visit, () => seen.length);
    if (length < brokerLimits.entriesPerTurnMax) assert.equal(done, length);
    else assert.equal(seen.length, brokerLimits.entriesPerTurnMax);
    while (seen.length < length) {
      clock.advance(0);
      await settle();
    }
    assert.equal(await done, length);
    assert.deepEqual(seen, items);
  }
});

test('work that fails rejects, in whichever turn', async () => {
  const clock = new HandClock();
  const items = new Array<number>(brokerLimits.entriesPerTurnMax + 1).fill(0);
  const failing = mappedInTurns(items, new TurnCount(), (_, at) => {
    if (at === items.length - 1) throw new Error('the last one');
  });
  const done = inTurns(failing, clock);
  const rejected = assert.rejects(async () => done, /the last one/);
  clock.advance(0);
  await rejected;
});
