import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyEventAndFilter } from '../../testing/any-filter.ts';
import { matches } from '../../testing/evaluate.ts';
import { type NeededBytes, neededBytes } from './bytes.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';

test('every event that passes contains the needed bytes', () => {
  let passed = 0;
  let checked = 0;
  fc.assert(
    fc.property(anyEventAndFilter, fc.constantFrom(0, 2), ({ event, filter }, indent) => {
      const json = JSON.stringify(event, null, indent);
      // A lone surrogate does not survive UTF-8, but JSON escapes it.
      const found = JSON.parse(Buffer.from(json).toString()) as unknown;
      if (!matches(filter, found)) return;
      passed++;
      const needed = neededBytes(filter);
      if (needed.length > 0) checked++;
      assert.ok(hasAll(Buffer.from(json), needed), `${printFilter(filter)} passes ${json}`);
    }),
    { numRuns: 10_000 },
  );
  assert.ok(passed > 500 && checked > 100, `${passed} events passed, and bytes were known of ${checked}`);
});

function hasAll(json: Buffer, needed: NeededBytes): boolean {
  return needed.every((clause) => clause.some((bytes) => json.includes(Buffer.from(bytes))));
}

test('needed bytes per kind of condition', () => {
  // Spaces separate clauses and | separates alternatives.
  const cases: [filter: string, needed: string][] = [
    ['', ''],
    ['data.a == "CREATE"', '"CREATE"'],
    ['data.a == "say \\"é\\"\\n"', '"say·\\"é\\"\\n"'],
    ['data.a == ""', '""'],
    ['data.a == 1234', '1234'],
    ['data.a == 1e21', '"a":'],
    ['data.a == true', 'true'],
    ['data.a == null', ''],
    ['data.a != "CREATE"', '"a":'],
    ['data.a != null', '"a":'],
    ['data.a < 5', '"a":'],
    ['time > "2026"', ''],
    ['data.a::str == "12"', '12'],
    ['data.a::int == 12', '"a":'],
    ['data.a like "%abc%"', 'abc'],
    ['data.a like "abc%"', '"abc'],
    ['data.a like "%abc"', 'abc"'],
    ['data.a like "abc"', '"abc"'],
    ['data.a like "abcd%ef%"', '"abcd ef'],
    ['data.a like "%100\\\\%%"', '100%'],
    ['data.a like "%"', '"a":'],
    ['data.a like "%\\ud83d%"', '"a":'],
    ['data.a::str like "1%"', '1'],
    ['data.a not like "abc"', '"a":'],
    ['data.a in ["x", 5]', '"x"|5'],
    ['data.a in ["x", null]', ''],
    ['data.a not in ["x"]', '"a":'],
    ['data.a not in ["x", null]', '"a":'],
    ['data.a == "x" and data.b == "longer"', '"longer" "x"'],
    ['data.a == "x" | data.b == "longer"', '"longer" "x"'],
    ['data.a == "x" or data.b == "y"', '"x"|"y"'],
    ['data.a == "x" or data.b != "y"', '"b":|"x"'],
    ['data.a == "x" or data.b == null', ''],
    ['type == "x" or type != "y"', ''],
    ['data.a == "x" and data.b == "longer" or data.c == "y"', '"longer"|"y"'],
    ['data.a == "x" and data.b == "x"', '"x"'],
    [`data.a in [${Array.from({ length: 17 }, (_, n) => n).join(', ')}]`, '"a":'],
  ];
  for (const [text, needed] of cases) {
    const { filter } = parseFilter(text);
    const shown = neededBytes(filter!)
      .map((clause) => clause.map((bytes) => Buffer.from(bytes).toString().replaceAll(' ', '·')).join('|'))
      .join(' ');
    assert.equal(shown, needed, text);
  }
});
