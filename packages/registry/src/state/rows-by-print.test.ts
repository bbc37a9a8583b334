import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RowsByPrint } from './rows-by-print.ts';

test('rows are found by fingerprint, in the order of contexts and ids', () => {
  const row = fc.record({
    context: fc.constantFrom('.', '.a', '.b'),
    id: fc.nat({ max: 20 }),
    print: fc.constantFrom('one', 'two'),
  });
  const step = fc.record({ row, isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const index = new RowsByPrint();
      const rows = new Map<string, (typeof steps)[number]['row']>();
      for (const { row, isAdded } of steps) {
        const name = `${row.context}/${row.id}`;
        const known = rows.get(name);
        if (isAdded && known === undefined) {
          rows.set(name, row);
          index.add(row);
        } else if (!isAdded && known !== undefined) {
          rows.delete(name);
          index.remove(known);
        }
      }
      const sorted = [...rows.values()].sort((a, b) =>
        a.context === b.context ? a.id - b.id : a.context < b.context ? -1 : 1,
      );
      for (const print of ['one', 'two', 'three']) {
        const expected = sorted.filter((row) => row.print === print);
        assert.deepEqual(index.all(print), expected);
        for (const context of ['.', '.a', '.c'])
          assert.deepEqual(
            index.inContext(print, context),
            expected.filter((row) => row.context === context),
          );
      }
    }),
  );
});
