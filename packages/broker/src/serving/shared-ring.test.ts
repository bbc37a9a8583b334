import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RingReader, RingWriter, ringMemory, ringRecordWordsMax } from './shared-ring.ts';

type Step =
  | { readonly kind: 'write'; readonly words: number }
  | { readonly kind: 'flush' | 'publish' | 'read' | 'sleep' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), words: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('flush' as const, 'read', 'sleep') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish' as const) }) },
);

test('records are read once and in order, also when there is no room for a while', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const memory = ringMemory(64);
      let wakes = 0;
      const writer = new RingWriter(memory, () => wakes++, false);
      const reader = new RingReader(memory);
      let written = 0;
      let read = 0;
      let sleeps = true;
      const readAll = () => {
        const end = reader.visible();
        while (reader.next(end)) {
          const words = reader.word();
          for (let at = 0; at < words; at++) assert.equal(reader.word(), read * 31 + at);
          read++;
        }
      };
      for (const one of steps) {
        if (one.kind === 'write') {
          writer.write([one.words, ...Array.from({ length: one.words }, (_, at) => written * 31 + at)]);
          written++;
        } else if (one.kind === 'flush') {
          const before = wakes;
          writer.flush();
          assert.ok(wakes - before <= (sleeps ? 1 : 0), 'a reader that is awake is not woken');
          if (wakes > before) sleeps = false;
        } else if (one.kind === 'publish') {
          const before = wakes;
          writer.publish();
          assert.equal(wakes, before);
        } else if (one.kind === 'read') {
          readAll();
        } else {
          sleeps = reader.sleep();
        }
      }
      while (!writer.flush()) readAll();
      readAll();
      assert.equal(read, written);
    }),
    { numRuns: 300 },
  );
});

test('a reader that has seen everything and sleeps is woken by the next record, once', () => {
  const memory = ringMemory(64);
  let wakes = 0;
  const writer = new RingWriter(memory, () => wakes++, false);
  const reader = new RingReader(memory);
  writer.write([1]);
  writer.flush();
  assert.equal(wakes, 1, 'it has not started');
  assert.equal(reader.sleep(), false, 'there is more');
  while (reader.next(reader.visible())) reader.word();
  assert.equal(reader.sleep(), true);
  writer.flush();
  assert.equal(wakes, 1, 'nothing is new');
  writer.write([2]);
  writer.publish();
  assert.equal(wakes, 1);
  writer.flush();
  writer.flush();
  assert.equal(wakes, 2);
});

test('a record that no ring takes is refused', () => {
  const writer = new RingWriter(ringMemory(64), () => {}, false);
  assert.throws(() => writer.write(new Array(ringRecordWordsMax + 1).fill(0)), RangeError);
});
