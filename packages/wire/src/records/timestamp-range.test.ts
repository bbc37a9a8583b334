import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TimestampRange } from './timestamp-range.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const nearLimits = fc.oneof(
  int64,
  fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n - 2n ** 53n, 1_700_000_000_000n),
);
/** As `readVarint64Compact` returns them. */
const delta = fc
  .oneof(
    int64,
    fc.bigInt({ min: -5n, max: 5n }),
    fc.constantFrom(2n ** 53n - 1n, -(2n ** 53n) + 1n, 2n ** 53n),
  )
  .map((exact) => (Number.isSafeInteger(Number(exact)) ? Number(exact) : exact));

test('the range is that of the times, whose sums wrap at 64 bits', () => {
  fc.assert(
    fc.property(nearLimits, fc.array(delta, { minLength: 1, maxLength: 6 }), (base, deltas) => {
      const range = new TimestampRange(base);
      for (const one of deltas) range.add(one);
      const times = deltas.map((one) => BigInt.asIntN(64, base + BigInt(one)));
      const sorted = times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      assert.deepEqual([range.min, range.max], [sorted[0], sorted.at(-1)]);
    }),
  );
});

test('a range without times is empty', () => {
  const { min, max } = new TimestampRange(5n);
  assert.deepEqual([min, max], [undefined, undefined]);
});
