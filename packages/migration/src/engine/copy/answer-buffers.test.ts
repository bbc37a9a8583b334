import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { AnswerBuffers } from './answer-buffers.ts';

const open = () => new AnswerBuffers({ answerBytesMax: 32 * MiB, freeBytesMax: 16 * MiB });

test('memory is used again once it is released, and not before', () => {
  const buffers = open();
  const [first, second] = [buffers.next(), buffers.next()];
  const one = first.memory(5 * MiB)!;
  const other = second.memory(5 * MiB)!;
  assert.ok(one.length >= 5 * MiB && one.buffer !== other.buffer);
  first.release();
  first.release();
  assert.equal(buffers.freeBytes, one.length);
  assert.equal(buffers.next().memory(6 * MiB)!.buffer, one.buffer);
  assert.notEqual(buffers.next().memory(6 * MiB)!.buffer, one.buffer);
});

test('small answers, and those that are larger than any that was asked for, have ordinary memory', () => {
  const buffers = open();
  for (const bytes of [100, 33 * MiB]) {
    const answer = buffers.next();
    assert.equal(answer.memory(bytes), undefined);
    answer.release();
  }
  assert.equal(buffers.freeBytes, 0);
});

test('what is kept has a limit, and goes back to the system when it is cleared', () => {
  const buffers = open();
  const taken = [4, 12, 8].map((mebibytes) => {
    const answer = buffers.next();
    answer.memory(mebibytes * MiB);
    return answer;
  });
  for (const answer of taken) answer.release();
  // The largest one fits every answer.
  assert.equal(buffers.freeBytes, 12 * MiB);
  buffers.clear();
  assert.equal(buffers.freeBytes, 0);
});
