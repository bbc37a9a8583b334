import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from './decode-error.ts';
import { FrameSplitter } from './frame-splitter.ts';

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

test('frames are returned unchanged, however the stream is split', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 });
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(), { maxLength: 40 }), (frames, cuts) => {
      const stream = Buffer.concat(frames.map(framed));
      const positions = [0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length].sort(
        (a, b) => a - b,
      );
      const splitter = new FrameSplitter(1000);
      const received: Buffer[] = [];
      for (let i = 1; i < positions.length; i++) {
        received.push(...splitter.push(stream.subarray(positions[i - 1], positions[i])));
      }
      assert.deepEqual(
        received.map((frame) => [...frame]),
        frames.map((frame) => [...frame]),
      );
      assert.equal(splitter.pendingBytes, 0);
    }),
  );
});

test('a frame within one chunk is a view of it', () => {
  const chunk = Buffer.concat([framed(Buffer.from('one')), framed(Buffer.from('two'))]);
  const frames = [...new FrameSplitter(100).push(chunk)];
  assert.deepEqual(frames.map(String), ['one', 'two']);
  for (const frame of frames) assert.equal(frame.buffer, chunk.buffer);
});

test('a frame that spans chunks leaves the chunks unchanged', () => {
  const stream = framed(Buffer.from('spans'));
  const splitter = new FrameSplitter(100);
  const first = Buffer.from(stream.subarray(0, 6));
  assert.deepEqual([...splitter.push(first)], []);
  first.fill(0);
  assert.deepEqual([...splitter.push(stream.subarray(6))].map(String), ['spans']);
});

test('a length beyond the limit, or below zero, is a decode error', () => {
  // length prefix, expected problem
  const cases = [
    ['00000065', 'frame: length at byte 0: 101 bytes exceed the limit of 100'],
    ['ffffffff', 'frame: length at byte 0: negative length -1'],
  ] as const;
  for (const [hex, message] of cases) {
    assert.throws(
      () => [...new FrameSplitter(100).push(Buffer.from(hex, 'hex'))],
      (thrown) => thrown instanceof DecodeError && thrown.message === message,
    );
  }
});

test('a claimed length is not allocated before the bytes arrive', () => {
  const splitter = new FrameSplitter(2 ** 30);
  const claim = Buffer.alloc(4);
  claim.writeInt32BE(2 ** 30);
  const before = process.memoryUsage().arrayBuffers;
  assert.deepEqual([...splitter.push(claim)], []);
  assert.deepEqual([...splitter.push(Buffer.from('a'))], []);
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 2 ** 20);
});

test('a large frame that arrives in many pieces is complete', () => {
  const body = Buffer.alloc(5 * 2 ** 20, 'weir');
  const stream = framed(body);
  const splitter = new FrameSplitter(2 ** 30);
  const received: Buffer[] = [];
  for (let at = 0; at < stream.length; at += 65_000) {
    received.push(...splitter.push(stream.subarray(at, at + 65_000)));
  }
  assert.equal(received.length, 1);
  assert.ok(received[0]!.equals(body));
});
