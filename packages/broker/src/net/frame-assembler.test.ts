import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { apis, DecodeError } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import fc from 'fast-check';
import { FrameAssembler } from './frame-assembler.ts';
import { type Frame, FramePool } from './frame-pool.ts';

const frameBytesMax = 16 * MiB;

function assembling() {
  const pool = new FramePool({ slabBytes: 4 * MiB, bytesMax: 16 * MiB });
  return { pool, assembler: new FrameAssembler(frameBytesMax, pool) };
}

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Returns a frame of some API with bytes that differ from those of every other seed. */
function bodyOf(apiKey: number, bytes: number, seed: number): Buffer {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at++) body[at] = (at * 31 + seed * 7919) & 255;
  if (bytes >= 2) body.writeInt16BE(apiKey);
  return body;
}

/** Reads a stream as a socket does: into the requested memory, or into a buffer that is overwritten afterwards. */
function receive(assembler: FrameAssembler, stream: Buffer, readBytes: (read: number) => number): Frame[] {
  const frames: Frame[] = [];
  const receiveBuffer = Buffer.alloc(64 * 1024);
  let at = 0;
  for (let read = 0; at < stream.length; read++) {
    const place = assembler.place;
    const into = place ?? receiveBuffer;
    const bytes = stream.copy(into, 0, at, at + Math.min(into.length, readBytes(read)));
    at += bytes;
    if (place === undefined) {
      assembler.push(receiveBuffer.subarray(0, bytes), frames);
      receiveBuffer.fill(0xee);
    } else {
      const frame = assembler.placed(bytes);
      if (frame !== undefined) frames.push(frame);
    }
  }
  return frames;
}

test('frames come out as they went in, for any sizes of reads', () => {
  const bytes = fc.oneof(fc.nat(60), fc.integer({ min: 60_000, max: 300_000 }));
  const apiKey = fc.constantFrom(apis.Produce.key, apis.Fetch.key);
  const reads = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 200_000 })), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(apiKey, bytes), { maxLength: 8 }), reads, (requests, sizes) => {
      const { assembler } = assembling();
      const bodies = requests.map(([key, length], index) => bodyOf(key, length, index));
      // Small reads only at the beginning, to limit their number.
      const stream = Buffer.concat(bodies.map(framed));
      const frames = receive(assembler, stream, (read) =>
        read < 200 ? sizes[read % sizes.length]! : 64 * 1024,
      );
      assert.equal(frames.length, bodies.length);
      for (const [index, frame] of frames.entries()) assert.ok(frame.bytes.equals(bodies[index]!));
      assert.equal(assembler.pendingBytes, 0);
    }),
    { numRuns: 50 },
  );
});

test('frames with records use the pool, all others do not', () => {
  const { assembler, pool } = assembling();
  receive(assembler, framed(bodyOf(apis.Fetch.key, 1000, 1)), () => 1000);
  assert.equal(pool.bytes, 0);
  receive(assembler, framed(bodyOf(apis.Produce.key, 1000, 1)), () => 1000);
  assert.equal(pool.bytes, 4 * MiB);
});

test('a large frame is read straight into its memory', () => {
  const { assembler } = assembling();
  const stream = framed(bodyOf(apis.Produce.key, 500_000, 1));
  assembler.push(stream.subarray(0, 1000), []);
  assert.equal(assembler.place?.length, 500_004 - 1000);
  // The end of a frame arrives together with the beginning of the next.
  stream.copy(assembler.place!, 0, 1000, 499_000);
  assert.equal(assembler.placed(498_000), undefined);
  assert.equal(assembler.place, undefined);
});

test('memory for a large announced length is allocated only as bytes arrive', () => {
  const { assembler } = assembling();
  const body = bodyOf(apis.Produce.key, 5 * MiB + 17, 3);
  const stream = framed(body);
  const frames: Frame[] = [];
  assembler.push(stream.subarray(0, 20), frames);
  assert.ok(assembler.place!.length < wireLimits.believedFrameBytesMax);
  assert.equal(frames.length, 0);
  frames.push(...receive(assembler, stream.subarray(20), () => 300_000));
  assert.equal(frames.length, 1);
  assert.ok(frames[0]!.bytes.equals(body));
});

test('a length beyond the limit or below zero is a decode error, and frames before it are complete', () => {
  // length prefix, error message
  const cases = [
    ['01000001', 'frame: length at byte 0: 16777217 bytes exceed the limit of 16777216'],
    ['ffffffff', 'frame: length at byte 0: negative length -1'],
  ] as const;
  for (const [hex, message] of cases) {
    const { assembler } = assembling();
    const frames: Frame[] = [];
    assert.throws(
      () => assembler.push(Buffer.concat([framed(Buffer.from('before')), Buffer.from(hex, 'hex')]), frames),
      (thrown) => thrown instanceof DecodeError && thrown.message === message,
    );
    assert.deepEqual(
      frames.map(({ bytes }) => String(bytes)),
      ['before'],
    );
  }
});

test('the memory of a frame that will never be complete is released', () => {
  const pool = new FramePool({ slabBytes: 1000, bytesMax: 1000 });
  const assembler = new FrameAssembler(frameBytesMax, pool);
  assembler.push(framed(bodyOf(apis.Produce.key, 900, 1)).subarray(0, 500), []);
  assert.equal(assembler.pendingBytes, 496);
  assembler.forget();
  assert.equal(assembler.pendingBytes, 0);
  const [frame] = receive(assembler, framed(bodyOf(apis.Produce.key, 900, 2)), () => 64_000);
  assert.equal(frame!.bytes.buffer, pool.take(10, true).bytes.buffer, 'the one slab has room again');
});
