import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypeNames } from '@weir/events';
import { batchRecords, RecordBatchView, textValue } from '@weir/wire';
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

test('limits always hold, and accepted events come out once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all: readonly Step[]) => {
      const queue = new EventQueue(limits);
      const expected = new Map<string, string[]>();
      const seen = new Map<string, string[]>();
      const open: { readonly cut: EventCut; readonly texts: readonly string[] }[] = [];
      let held: number[] = [];
      for (const step of all) {
        if ('offer' in step) {
          const [at, text] = step.offer;
          const type = eventTypeNames[at]!;
          const bytes = Buffer.byteLength(text);
          const heldBytes = held.reduce((sum, one) => sum + one, 0);
          const outcome = queue.offer(type, textValue(text), 1);
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
            const texts = await textsOf(cut);
            open.push({ cut, texts });
            seen.set(cut.type, [...(seen.get(cut.type) ?? []), ...texts]);
          }
          assert.equal(queue.waitingBytes, 0);
          assert.deepEqual(seen, expected);
        } else if (open.length > 0) {
          const [taken] = open.splice(step.settle % open.length, 1);
          queue.settle(taken!.cut);
          held = without(
            held,
            taken!.texts.map((text) => Buffer.byteLength(text)),
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

async function textsOf({ draft }: EventCut): Promise<string[]> {
  const { bytes } = await draft.finish();
  return Array.from(batchRecords(new RecordBatchView(bytes)), ({ value }) => value!.toString());
}

function without(held: readonly number[], gone: readonly number[]): number[] {
  const left = [...held];
  for (const bytes of gone) left.splice(left.indexOf(bytes), 1);
  return left;
}
