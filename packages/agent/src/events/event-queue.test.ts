import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypeNames } from '@weir/events';
import fc from 'fast-check';
import { type EventCut, EventQueue } from './event-queue.ts';

const limits = { eventBytesMax: 40, bytesMax: 200, countMax: 12 };

type Step =
  | { readonly offer: [type: number, text: string] }
  | { readonly take: true }
  | { readonly settle: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        offer: fc.tuple(fc.nat({ max: 6 }), fc.string({ unit: 'grapheme', maxLength: 50 })),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ take: true as const }) },
    { weight: 2, arbitrary: fc.record({ settle: fc.nat() }) },
  ),
  { maxLength: 80 },
);

test('whatever happens, no more is held than is allowed, and what was taken on comes out once and in order', () => {
  fc.assert(
    fc.property(steps, (all: readonly Step[]) => {
      const queue = new EventQueue(limits);
      const expected = new Map<string, string[]>();
      const seen = new Map<string, string[]>();
      const open: EventCut[] = [];
      let held: number[] = [];
      for (const step of all) {
        if ('offer' in step) {
          const [at, text] = step.offer;
          const type = eventTypeNames[at]!;
          const bytes = Buffer.byteLength(text);
          const heldBytes = held.reduce((sum, one) => sum + one, 0);
          const outcome = queue.offer(type, text, 1);
          if (bytes > limits.eventBytesMax) assert.equal(outcome, 'tooLarge');
          else if (held.length === limits.countMax || heldBytes + bytes > limits.bytesMax)
            assert.equal(outcome, 'full');
          else {
            assert.equal(outcome, bytes);
            held.push(bytes);
            expected.set(type, [...(expected.get(type) ?? []), text]);
          }
        } else if ('take' in step) {
          for (const cut of queue.take()) {
            open.push(cut);
            seen.set(cut.type, [...(seen.get(cut.type) ?? []), ...cut.events.map(({ text }) => text)]);
          }
          assert.equal(queue.waitingBytes, 0);
          assert.deepEqual(seen, expected);
        } else if (open.length > 0) {
          const [cut] = open.splice(step.settle % open.length, 1);
          queue.settle(cut!);
          held = without(
            held,
            cut!.events.map(({ bytes }) => bytes),
          );
        }
        assert.equal(queue.heldCount, held.length);
        assert.equal(
          queue.heldBytes,
          held.reduce((sum, one) => sum + one, 0),
        );
        assert.ok(queue.heldBytes <= limits.bytesMax && queue.heldCount <= limits.countMax);
      }
    }),
  );
});

function without(held: readonly number[], gone: readonly number[]): number[] {
  const left = [...held];
  for (const bytes of gone) left.splice(left.indexOf(bytes), 1);
  return left;
}
