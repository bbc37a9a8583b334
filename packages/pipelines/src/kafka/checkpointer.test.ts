import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Checkpointer } from './checkpointer.ts';

test('an offset is released when all messages before it are settled, in whatever order that happens', () => {
  const batches = fc.array(fc.record({ count: fc.integer({ min: 1, max: 5 }), gap: fc.nat(3) }), {
    minLength: 1,
    maxLength: 300,
  });
  fc.assert(
    fc.property(batches, fc.infiniteStream(fc.nat()), (sizes, choices) => {
      const checkpointer = new Checkpointer();
      const open: { readonly from: number; readonly count: number; settle(): void }[] = [];
      const settled = new Set<number>();
      const gaps = new Set<number>();
      let end = 0;
      const check = () => {
        let expected = 0;
        while (settled.has(expected) || gaps.has(expected)) expected++;
        assert.ok((checkpointer.released ?? 0) <= expected);
        // It is the highest such offset at which a batch ends.
        for (const { from, count } of open)
          assert.ok((checkpointer.released ?? 0) <= from, `${from} of ${count}`);
        if (open.length === 0) assert.equal(checkpointer.released, end);
        assert.equal(
          checkpointer.pendingCount,
          open.reduce((sum, { count }) => sum + count, 0),
        );
      };
      const settleOne = () => {
        const [chosen] = open.splice(choices.next().value! % open.length, 1);
        chosen!.settle();
        chosen!.settle();
        for (let offset = chosen!.from; offset < chosen!.from + chosen!.count; offset++) settled.add(offset);
        check();
      };
      for (const { count, gap } of sizes) {
        for (let skipped = 0; skipped < gap; skipped++) gaps.add(end + skipped);
        if (gap > 0) checkpointer.skipTo(end + gap);
        const from = end + gap;
        end = from + count;
        open.push({ from, count, settle: checkpointer.track(count, end) });
        check();
        while (open.length > 0 && choices.next().value! % 2 === 0) settleOne();
      }
      while (open.length > 0) settleOne();
    }),
  );
});
