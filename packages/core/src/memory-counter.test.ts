import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemoryCounter } from './memory-counter.ts';

test('waiting callers are called once, when it is no longer full', () => {
  const memory = new MemoryCounter(100);
  const calls: string[] = [];
  const first = () => calls.push('first');
  memory.change(100);
  assert.ok(memory.isFull);
  memory.whenFree(first);
  memory.whenFree(first);
  memory.whenFree(() => calls.push('second'));
  const forgotten = () => calls.push('forgotten');
  memory.whenFree(forgotten);
  memory.forget(forgotten);
  memory.change(50);
  memory.change(-50);
  assert.deepEqual(calls, []);
  memory.change(-1);
  assert.deepEqual(calls, ['first', 'second']);
  memory.change(1);
  memory.change(-1);
  assert.deepEqual(calls, ['first', 'second']);
});

test('a callback may reserve memory again, and wait again', () => {
  const memory = new MemoryCounter(10);
  let calls = 0;
  const again = () => {
    calls++;
    memory.change(10);
    memory.whenFree(again);
  };
  memory.change(10);
  memory.whenFree(again);
  memory.change(-10);
  assert.deepEqual([calls, memory.bytes], [1, 10]);
  memory.change(-10);
  assert.deepEqual([calls, memory.bytes], [2, 10]);
});

test('it counts the sum of all changes, and reports each', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 50 })), (changes) => {
      const reported: number[] = [];
      const memory = new MemoryCounter(100, (bytes, byBytes) => reported.push(bytes, byBytes));
      let sum = 0;
      const expected: number[] = [];
      for (const change of changes) {
        sum += change;
        expected.push(sum, change);
        memory.change(change);
        assert.deepEqual([memory.bytes, memory.isFull], [sum, sum >= 100]);
      }
      assert.deepEqual(reported, expected);
    }),
  );
});
