import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { conciseText } from './concise-text.ts';
import { cursorText, placeIn, questionOf } from './cursor.ts';
import { fitted } from './fit.ts';
import { charsPerToken } from './tokens.ts';

const texts: [what: string, fields: Record<string, unknown>, text: string][] = [
  ['a field', { name: 'orders', partitions: 12 }, 'name: orders\npartitions: 12'],
  ['nothing', { name: null, hint: undefined }, ''],
  ['an empty list', { rows: [] }, 'rows: '],
  ['a list of words', { roles: ['proxy', 'jobs'] }, 'roles: proxy,jobs'],
  ['fields in a field', { events: { enabled: true } }, 'events.enabled: true'],
  [
    'a table',
    {
      rows: [
        { a: 1, b: 'x' },
        { a: 2, c: [1, 2] },
      ],
    },
    'rows (2):\na\tb\tc\n1\tx\t\n2\t\t1,2',
  ],
  ['an object in a table', { rows: [{ a: { b: 1 } }] }, 'rows (1):\na\n{"b":1}'],
  ['tabs and lines in a name', { rows: [{ a: 'x\ty\nz' }] }, 'rows (1):\na\nx\\ty\\nz'],
];

for (const [what, fields, text] of texts) {
  test(`${what} as text`, () => assert.equal(conciseText(fields), text));
}

test('a table takes less than half of the tokens of the same as JSON', () => {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    agent_id: `agent-${index}`,
    release: 'v830',
    zone: 'us-east-1a',
    last_seen_at: '2026-01-31T12:00:00Z',
  }));
  assert.ok(conciseText({ rows }).length * 2 < JSON.stringify({ rows }).length);
});

const anyAnswer = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 10 }),
  fc.oneof(
    fc.array(fc.record({ name: fc.string({ maxLength: 40 }), lag: fc.nat() }), { maxLength: 60 }),
    fc.string({ maxLength: 3000 }),
    fc.nat(),
  ),
  { maxKeys: 5 },
);

test('an answer is cut to fit, and unchanged if it fits', () => {
  fc.assert(
    fc.property(anyAnswer, fc.integer({ min: 300, max: 2000 }), (answer, tokensMax) => {
      const isSmall = JSON.stringify(answer).length <= tokensMax * charsPerToken;
      const { answer: found, isCut } = fitted(answer, tokensMax);
      assert.equal(isCut, !isSmall);
      assert.deepEqual(Object.keys(found), Object.keys(answer));
      assert.ok(JSON.stringify(found).length <= tokensMax * charsPerToken);
      if (isSmall) assert.equal(found, answer);
    }),
  );
});

test('a cursor continues at its place, for its own query only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (place, one, other) => {
      const question = questionOf('tool', { one });
      assert.equal(placeIn(cursorText(question, place), question), place);
      if (one !== other)
        assert.throws(
          () => placeIn(cursorText(question, place), questionOf('tool', { one: other })),
          /other arguments/,
        );
    }),
  );
});

test('any invalid cursor is refused with a message', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.throws(() => placeIn(text, 'question'), { name: 'ToolProblem', code: 'invalid_cursor' });
    }),
  );
});
