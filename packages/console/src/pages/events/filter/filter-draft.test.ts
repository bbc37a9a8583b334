import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Filter, parseFilter, printFilter } from '@weir/events';
import fc from 'fast-check';
import { withCondition } from './add-condition.ts';
import { type DraftGroup, draftOf, filterOf, newRow, toBuilder, toRaw, withFilter } from './filter-draft.ts';
import { literalsText, literalText, readLiteral, readLiterals } from './literal-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('42', 'true', 'null', 'a, b', '"x"', 'User:bob', ' ', '1 | x == 2'),
);
const literal = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const field = fc.record({
  path: fc.constantFrom(['type'], ['data', 'operation'], ['data', 'odd name'], ['and', 'x.y']),
});

type Expression = Filter['stages'][number];

const condition: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({
    kind: fc.constant('comparison' as const),
    field,
    operator: fc.constantFrom('==', '!='),
    value: literal,
  }),
  fc.record({ kind: fc.constant('match' as const), field, isNegated: fc.boolean(), pattern: text }),
  fc.record({
    kind: fc.constant('membership' as const),
    field,
    isNegated: fc.boolean(),
    values: fc.array(literal, { minLength: 1, maxLength: 4 }),
  }),
);
const { expression } = fc.letrec<{ expression: Expression; junction: Expression }>((tie) => ({
  expression: fc.oneof({ maxDepth: 3 }, condition, tie('junction')),
  junction: fc.record({
    kind: fc.constantFrom('and', 'or'),
    operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
  }) as fc.Arbitrary<Expression>,
}));
const filter = fc.array(expression, { maxLength: 1 }).map((stages): Filter => ({ stages }));

/** Plain data, for comparison. */
const plain = (value: unknown) => JSON.stringify(value);

test('a value is read as it was typed', () => {
  fc.assert(fc.property(literal, (value) => assert.equal(readLiteral(literalText(value)), value)));
  fc.assert(
    fc.property(fc.array(literal, { minLength: 1, maxLength: 5 }), (values) =>
      assert.deepEqual(readLiterals(literalsText(values)), values),
    ),
  );
});

test('switching to rows and back gives the same text, and edited rows the same filter', () => {
  fc.assert(
    fc.property(filter, (one) => {
      const given = ` ${printFilter(one)} `;
      const { filter: parsed } = parseFilter(given);
      fc.pre(parsed !== undefined);
      const { draft, problem } = toBuilder(draftOf(given, 'raw'));
      assert.equal(problem, undefined);
      assert.equal(toRaw(draft).text, given);
      // A copy counts as edited, so that the rows are printed.
      const edited = toRaw({ ...draft, rows: { ...draft.rows } });
      assert.equal(plain(parseFilter(edited.text).filter), plain(parsed));
    }),
  );
});

test('a change in one form replaces the filter of the other', () => {
  const { draft: rows } = toBuilder(draftOf('type == "a"', 'raw'));
  const changed = toBuilder(draftOf('type == "b"', 'raw')).draft.rows;
  const raw = toRaw({ ...rows, rows: changed });
  assert.equal(raw.text, 'type == "b"');
  const again = toBuilder({ ...raw, text: 'type == "c"' }).draft;
  assert.equal(filterOf(again).text, 'type == "c"');
  assert.equal(filterOf({ ...again, rows: { ...again.rows } }).text, 'type == "c"');
  assert.equal(filterOf(toBuilder({ ...raw, text: '' }).draft).text, '');
});

test('what rows cannot show stays as text', () => {
  for (const given of ['data.a = 1', 'type == "a" | type == "b"', 'type ==']) {
    const { draft, problem } = toBuilder(draftOf(given, 'raw'));
    assert.match(problem!, /Edit it as text/);
    assert.deepEqual([draft.mode, draft.text], ['raw', given]);
    assert.equal(draftOf(given, 'builder').mode, 'raw');
  }
});

test('an incomplete row is left out of the filter, and comes back', () => {
  const { draft } = toBuilder(draftOf('type == "a"', 'raw'));
  const rows: DraftGroup = { ...draft.rows, rows: [...draft.rows.rows, newRow('data.x')] };
  const raw = toRaw({ ...draft, rows });
  assert.equal(raw.text, 'type == "a"');
  assert.equal(filterOf({ ...draft, rows }).incomplete, 1);
  assert.equal(toBuilder(raw).draft.rows, rows);
  assert.equal(toBuilder({ ...raw, text: 'type == "b"' }).draft.rows.rows.length, 1);
});

test('another filter keeps the rows that are not complete', () => {
  const { draft } = toBuilder(draftOf('type == "a"', 'raw'));
  const waiting = newRow('data.x');
  const next = withFilter(
    { ...draft, rows: { ...draft.rows, rows: [...draft.rows.rows, waiting] } },
    'type == "b"',
  );
  assert.equal(filterOf(next).text, 'type == "b"');
  assert.equal(next.rows.rows.at(-1), waiting);
  assert.equal(withFilter(draftOf('a == 1', 'raw'), 'b == 2').text, 'b == 2');
});

test('rows with mistakes keep the filter before them, and say what is wrong', () => {
  const { draft } = toBuilder(draftOf('type == "a"', 'raw'));
  const wrong = filterOf({ ...draft, rows: { ...draft.rows, rows: [{ ...newRow('a b'), value: '1' }] } });
  assert.equal(wrong.text, 'type == "a"');
  assert.match(wrong.problem!, /a b is not a field/);
});

test('a condition joins what the filter has', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['', 'type == "x"'],
    ['a == 1', 'a == 1 and type == "x"'],
    ['a == 1 or b == 2', '(a == 1 or b == 2) and type == "x"'],
    ['a == 1 | b == 2', 'a == 1 | b == 2 | type == "x"'],
    ['a == 1 and type == "x"', 'a == 1 and type == "x"'],
    ['a =', undefined],
  ];
  for (const [before, after] of cases) assert.equal(withCondition(before, 'type', '==', 'x'), after);
});
