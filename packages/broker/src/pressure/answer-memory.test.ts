import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import fc from 'fast-check';
import { AnswerMemory, type AnswerRoom } from './answer-memory.ts';

const forever = new AbortController().signal;

test('an answer gets what it wants, up to its share of the free memory', async () => {
  // used, wanted, granted, in MiB, of 64
  const cases: [used: number, wanted: number, granted: number][] = [
    [0, 1, 1],
    [0, 16, 16],
    [0, 256, 16],
    [32, 256, 8],
    [60, 256, 1],
    [63, 256, 1],
    [63.5, 0.25, 0.25],
  ];
  for (const [used, wanted, granted] of cases) {
    const memory = new AnswerMemory(64 * MiB, new HandClock());
    memory.change(used * MiB);
    const room = await memory.room(wanted * MiB, { waitMs: 1000, closed: forever });
    assert.equal(room!.bytes, granted * MiB, `${used} used, ${wanted} wanted`);
    assert.equal(memory.bytes, (used + granted) * MiB);
    room!.release();
    assert.equal(memory.bytes, used * MiB);
  }
});

test('an answer without room waits in order of arrival, up to its time limit', async () => {
  const clock = new HandClock();
  const memory = new AnswerMemory(8 * MiB, clock);
  memory.change(8 * MiB);
  const got: string[] = [];
  const gone = new AbortController();
  const ask = async (name: string, closed = forever) => {
    const room = await memory.room(MiB, { waitMs: 1000, closed });
    got.push(`${name} ${room === undefined ? 'nothing' : room.bytes / MiB}`);
  };
  for (const name of ['first', 'second']) void ask(name);
  void ask('gone', gone.signal);
  await settle();
  assert.deepEqual(got, []);
  gone.abort();
  memory.change(-MiB);
  await settle();
  assert.deepEqual(got, ['gone nothing', 'first 1']);
  clock.advance(1000);
  await settle();
  assert.deepEqual(got, ['gone nothing', 'first 1', 'second nothing']);
  assert.equal(clock.waiting, 0);
});

test('held connections are called once, when there is room again', () => {
  const memory = new AnswerMemory(100, new HandClock());
  let called = 0;
  const resume = () => called++;
  memory.change(150);
  assert.ok(memory.isFull);
  memory.whenFree(resume);
  memory.whenFree(resume);
  memory.change(-50);
  assert.equal(called, 0);
  memory.change(-1);
  assert.equal(called, 1);
  memory.change(10);
  memory.whenFree(resume);
  memory.forget(resume);
  memory.change(-10);
  assert.equal(called, 1);
});

test('granted rooms never exceed the limit together, and all are returned', async () => {
  const requests = fc.array(fc.tuple(fc.integer({ min: 1, max: 64 * MiB }), fc.boolean()), { maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(requests, async (some) => {
      const clock = new HandClock();
      const memory = new AnswerMemory(16 * MiB, clock);
      const rooms: AnswerRoom[] = [];
      for (const [wanted, releases] of some) {
        void memory.room(wanted, { waitMs: 10, closed: forever }).then((room) => room && rooms.push(room));
        await settle();
        assert.ok(memory.bytes <= 16 * MiB);
        if (releases) rooms.shift()?.release();
        await settle();
      }
      clock.advance(10);
      await settle();
      for (const room of rooms) room.release();
      assert.equal(memory.bytes, 0);
    }),
  );
});
