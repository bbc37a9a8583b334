import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearestNames } from './nearest-names.ts';

test('the names that were probably meant, nearest first', () => {
  const names = [
    'data.operation',
    'data.principal',
    'data.resource_name',
    'data.resource_type',
    'data.type',
    'type',
  ];
  const cases: [typed: string, meant: string[]][] = [
    ['data.operation', ['data.operation']],
    ['data.oepration', ['data.operation']],
    ['Data.Operation', ['data.operation']],
    ['data.operatoin', ['data.operation']],
    ['dat.operation', ['data.operation']],
    ['data.principals', ['data.principal']],
    ['operation', ['data.operation']],
    ['data.resource_tame', ['data.resource_name', 'data.resource_type']],
    ['tpye', ['type']],
    ['tape', ['type']],
    ['xyz', []],
    ['', []],
    [`data.${'x'.repeat(100)}`, []],
  ];
  for (const [typed, meant] of cases) assert.deepEqual(nearestNames(typed, names), meant, typed);
  assert.deepEqual(nearestNames('a', ['ab', 'ac', 'ad', 'ae']), ['ab', 'ac', 'ad']);
  assert.deepEqual(nearestNames('a', ['ab', 'ac'], 1), ['ab']);
});

test('names are as near as the whole table of edits says', () => {
  const letter = fc.constantFrom('a', 'b', 'c');
  const word = fc.array(letter, { minLength: 1, maxLength: 14 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(word, word, (typed, name) => {
      const editsMax = Math.min(4, Math.max(1, Math.floor(typed.length / 3)));
      const isNear = wholeTableEdits(typed, name) <= editsMax;
      assert.deepEqual(nearestNames(typed, [name]), isNear ? [name] : []);
    }),
    { numRuns: 2_000 },
  );
});

/** Without any limit: every field of the table. */
function wholeTableEdits(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, i) => [i]);
  for (let j = 1; j <= other.length; j++) table[0]![j] = j;
  for (let i = 1; i <= one.length; i++) {
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let edits = Math.min(
        table[i - 1]![j - 1]! + (isSame ? 0 : 1),
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
      );
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) edits = Math.min(edits, table[i - 2]![j - 2]! + 1);
      table[i]![j] = edits;
    }
  }
  return table[one.length]![other.length]!;
}
