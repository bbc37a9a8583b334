import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from '@weir/wire';
import fc from 'fast-check';
import { type AnswerMemory, AnswerReader } from './answer-reader.ts';

/** An answer with a correlation id, and its length before it. */
function framed(correlationId: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + body.length);
  head.writeInt32BE(correlationId, 4);
  return Buffer.concat([head, body]);
}

/** Feeds a stream as a socket does, in reads of at most so many bytes each, in turn. */
function read(
  stream: Buffer,
  readBytes: readonly number[],
  memoryFor: (id: number) => AnswerMemory | undefined,
) {
  const answers: Buffer[] = [];
  const reader = new AnswerReader({ memoryFor, onAnswer: (frame) => void answers.push(frame) });
  for (let at = 0, turn = 0; at < stream.length; turn++) {
    const place = reader.place;
    const bytes = Math.min(stream.length - at, place.length, readBytes[turn % readBytes.length]!);
    stream.copy(place, 0, at, at + bytes);
    at += bytes;
    reader.received(bytes);
  }
  return answers;
}

const noMemory = () => undefined;

test('answers are whole, however they arrive', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 });
  const reads = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(bodies, reads, (found, readBytes) => {
      const frames = found.map((body, id) => framed(id, body));
      const answers = read(Buffer.concat(frames), readBytes, noMemory);
      assert.deepEqual(
        answers.map((answer) => answer.toString('hex')),
        frames.map((frame) => frame.subarray(4).toString('hex')),
      );
    }),
  );
});

test('large answers are whole, in memory of their own or of their requests', () => {
  const sizes = [3_000_000, 10, 200_000, 70_000];
  const frames = sizes.map((size, id) => framed(id, Buffer.alloc(size, `${id} of them `)));
  const brought = sizes.map((size) => Buffer.alloc(size + 100));
  for (const readBytes of [[65_536], [100_000, 7], [1_000_000]]) {
    // The third request brought none.
    const answers = read(Buffer.concat(frames), readBytes, (id) =>
      id === 2 ? undefined : (bytes) => brought[id]!.subarray(0, bytes),
    );
    for (const [id, answer] of answers.entries()) {
      assert.ok(answer.equals(frames[id]!.subarray(4)));
      assert.equal(answer.buffer === brought[id]!.buffer, id !== 2);
    }
    assert.equal(answers.length, sizes.length);
  }
});

test('a request may leave its answer to ordinary memory', () => {
  const frame = framed(1, Buffer.alloc(100_000, 'x'));
  const [answer] = read(frame, [65_536], () => () => undefined);
  assert.ok(answer!.equals(frame.subarray(4)));
});

test('an answer that is shorter than a correlation id is handed on, for what reads it to say so', () => {
  const answers = read(Buffer.from('000000020102' + '00000000', 'hex'), [64], noMemory);
  assert.deepEqual(
    answers.map((answer) => answer.toString('hex')),
    ['0102', ''],
  );
});

test('a length beyond the limit, or below zero, is a decode error', () => {
  for (const hex of ['7fffffff00000000', 'ffffffff00000000'])
    assert.throws(() => read(Buffer.from(hex, 'hex'), [64], noMemory), DecodeError);
});
