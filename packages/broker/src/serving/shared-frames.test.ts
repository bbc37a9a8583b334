import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SharedFrames, slabCounts, slabFrame } from './shared-frames.ts';

const slabBytes = 100;

/** A thread's memory of frames, and the other thread, which knows it and releases them. */
function twoSides(slabsMax: number) {
  const counts = new Int32Array(slabCounts(slabsMax));
  const known = new Map<number, Buffer>();
  const frames = new SharedFrames({
    counts,
    slabBytes,
    announce: (id, memory) => known.set(id, Buffer.from(memory)),
    give: (id, memory) => known.set(id, Buffer.from(structuredClone(memory, { transfer: [memory] }))),
  });
  return {
    counts,
    frames,
    /** Fills a frame and hands it over; returns what the other side sees. */
    handOver(bytes: number, mark: number) {
      const frame = frames.take(bytes);
      frame.bytes.fill(mark);
      const { id, start } = frames.placeOf(frame);
      const seen = known.get(id)!.subarray(start, start + bytes);
      return id < slabsMax ? slabFrame(seen, counts, id) : { bytes: seen, release() {} };
    },
  };
}

test('a frame keeps its bytes until the other side releases it, and slabs are used again', () => {
  const steps = fc.array(fc.record({ bytes: fc.nat(130), releases: fc.nat(5), twice: fc.boolean() }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const { handOver, counts } = twoSides(3);
      const inUse: { readonly frame: ReturnType<typeof handOver>; readonly mark: number }[] = [];
      for (const [index, { bytes, releases, twice }] of all.entries()) {
        const mark = index % 256;
        inUse.push({ frame: handOver(bytes, mark), mark });
        for (const { frame, mark: expected } of inUse)
          assert.ok(frame.bytes.every((byte) => byte === expected));
        for (const { frame } of inUse.splice(0, releases)) {
          frame.release();
          if (twice) frame.release();
        }
      }
      for (const { frame } of inUse) frame.release();
      assert.deepEqual([...counts], [0, 0, 0]);
    }),
  );
});

test('frames of one size at a time need one slab', () => {
  const { handOver, frames } = twoSides(3);
  const first = handOver(60, 1);
  const { buffer } = first.bytes;
  first.release();
  for (let count = 0; count < 10; count++) {
    const frame = handOver(60, 2);
    assert.equal(frame.bytes.buffer, buffer);
    frame.release();
  }
  const larger = frames.take(101);
  assert.equal(larger.bytes.length, 101, 'a larger one has memory of its own');
  // V8 does not count shared memory, and would let it pile up.
  assert.ok(larger.bytes.buffer instanceof ArrayBuffer);
  assert.deepEqual(frames.placeOf(larger), { id: 4, start: 0 });
  assert.equal(larger.bytes.length, 0, 'which is given away');
});
