import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Frame, FramePool } from './frame-pool.ts';

const slabBytes = 100;

test('memory is reused, but never while a frame is in use', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('take' as const), bytes: fc.nat(150) }),
      fc.record({ kind: fc.constant('release' as const), which: fc.nat() }),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (run) => {
      const pool = new FramePool({ slabBytes, bytesMax: 3 * slabBytes });
      const held: { frame: Frame; mark: number }[] = [];
      let marks = 0;
      for (const step of run) {
        if (step.kind === 'take') {
          const mark = ++marks % 251;
          const frame = pool.take(step.bytes, true);
          assert.equal(frame.bytes.length, step.bytes);
          frame.bytes.fill(mark);
          held.push({ frame, mark });
        } else if (held.length > 0) {
          const [{ frame, mark }] = held.splice(step.which % held.length, 1) as [(typeof held)[0]];
          assert.ok(frame.bytes.every((byte) => byte === mark));
          frame.release();
        }
        assert.ok(pool.bytes <= 3 * slabBytes);
      }
      for (const { frame, mark } of held) assert.ok(frame.bytes.every((byte) => byte === mark));
    }),
  );
});

test('one slab is enough for frames that come and go, if they fit', () => {
  const pool = new FramePool({ slabBytes, bytesMax: 10 * slabBytes });
  const memory = pool.take(40, true).bytes.buffer;
  for (let count = 0; count < 100; count++) {
    const frames = [pool.take(20, true), pool.take(20, true)];
    for (const frame of frames) frame.release();
  }
  assert.ok(pool.bytes <= 2 * slabBytes, 'the first frame keeps one slab, the others share another');
  assert.notEqual(pool.take(20, true).bytes.buffer, memory, 'a slab that holds a frame is not reused');
});

test('a frame that does not fit gets memory of its own', () => {
  const pool = new FramePool({ slabBytes, bytesMax: 2 * slabBytes });
  const pinned = [pool.take(100, true), pool.take(100, true)];
  const beyond = pool.take(60, true);
  const large = pool.take(101, true);
  assert.equal(pool.bytes, 2 * slabBytes);
  for (const frame of [beyond, large]) {
    assert.ok(pinned.every(({ bytes }) => bytes.buffer !== frame.bytes.buffer));
    frame.release();
  }
  pinned[0]!.release();
  assert.equal(pool.take(60, true).bytes.buffer, pinned[0]!.bytes.buffer, 'the released slab is reused');
});

test('releasing twice counts once', () => {
  const pool = new FramePool({ slabBytes, bytesMax: slabBytes });
  const [first, second] = [pool.take(50, true), pool.take(50, true)];
  second.bytes.fill(2);
  first.release();
  first.release();
  pool.take(50, true).bytes.fill(3);
  assert.ok(second.bytes.every((byte) => byte === 2));
});
