import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallSlots } from './call-slots.ts';

/** A call that ends when the test says so. */
function heldCall() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let isStarted = false;
  return {
    call: () => {
      isStarted = true;
      return promise;
    },
    isStarted: () => isStarted,
    resolve,
    reject,
  };
}

const turn = () => new Promise<void>((resolve) => process.nextTick(resolve));

test('as many calls run as there are slots, in order', async () => {
  const slots = new CallSlots(2);
  const calls = [heldCall(), heldCall(), heldCall(), heldCall()];
  const results = calls.map(({ call }) => slots.run(call));
  const started = () => calls.map(({ isStarted }) => isStarted());
  assert.deepEqual(started(), [true, true, false, false]);
  calls[1]!.resolve('b');
  assert.equal(await results[1], 'b');
  await turn();
  assert.deepEqual(started(), [true, true, true, false]);
  const failed = assert.rejects(results[0]!, /lost/);
  calls[0]!.reject(new Error('lost'));
  await failed;
  await turn();
  assert.deepEqual(started(), [true, true, true, true]);
  calls[2]!.resolve('c');
  calls[3]!.resolve('d');
  assert.deepEqual(await Promise.all(results.slice(2)), ['c', 'd']);
});

test('a call that is aborted while it waits never starts, and a running one has its slot until it ends', async () => {
  const slots = new CallSlots(1);
  const running = heldCall();
  const waiting = heldCall();
  const last = heldCall();
  const abort = new AbortController();
  const results = [slots.run(running.call, abort.signal), slots.run(waiting.call, abort.signal)];
  const behind = slots.run(last.call);
  const rejected = results.map((result) => assert.rejects(result, /enough/));
  abort.abort(new Error('enough'));
  await Promise.all(rejected);
  await turn();
  assert.deepEqual([waiting.isStarted(), last.isStarted()], [false, false]);
  running.resolve('a result without a reader');
  await turn();
  await turn();
  assert.deepEqual([waiting.isStarted(), last.isStarted()], [false, true]);
  last.resolve('done');
  assert.equal(await behind, 'done');
  await assert.rejects(slots.run(heldCall().call, abort.signal), /enough/);
});
