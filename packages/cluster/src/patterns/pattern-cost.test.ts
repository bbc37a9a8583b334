import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { clusterLimits } from '../limits.ts';
import { patternCost } from './pattern-cost.ts';

/** Number of instructions of the library's program. */
const instructionsOf = (expression: string): number =>
  (RE2JS.compile(expression).re2() as unknown as { numberOfInstructions(): number }).numberOfInstructions();

const ranges = [
  'a',
  'é',
  '.',
  '\\d',
  '\\W',
  '\\pL',
  '\\P{Greek}',
  '\\x{1F600}',
  '\\x41',
  '\\012',
  '\\.',
  '^',
  '$',
  '\\b',
];
const classes = [
  '[abc]',
  '[^]a]',
  '[]-]',
  '[[:alpha:]x]',
  '[a\\]b-z]',
  '[\\pN\\d]',
  '[\\x{100}-\\x{200}]',
  '[:a]',
];
const atom = fc.constantFrom(
  ...ranges,
  ...classes,
  '\\Q(a[{2\\E',
  '\\Q\\E',
  '(?i)k',
  '{',
  '{,2}',
  'a{1',
  '{x}',
  '()',
);
const times = fc.oneof(
  fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '??'),
  fc.nat(12).map((count) => `{${count}}`),
  fc.nat(12).map((count) => `{${count},}`),
  fc.tuple(fc.nat(9), fc.nat(9)).map(([least, more]) => `{${least},${least + more}}?`),
);
const { expression } = fc.letrec<{ expression: string; group: string; part: string }>((tie) => ({
  group: fc
    .tuple(fc.constantFrom('(', '(?:', '(?P<n>', '(?<m>', '(?i:', '(?s-i:'), tie('expression'))
    .map(([open, inside]) => `${open}${inside})`),
  part: fc.tuple(fc.oneof({ maxDepth: 3 }, atom, tie('group')), times).map((parts) => parts.join('')),
  expression: fc
    .array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((branches) => branches.map((parts) => parts.join('')).join('|')),
}));

test('a program has no more instructions than the cost of its expression', () => {
  fc.assert(
    fc.property(expression, (text) => {
      let count = 0;
      try {
        count = instructionsOf(text);
      } catch {
        // Duplicate group names and leading repetitions.
      }
      assert.ok(count <= patternCost(text), `${text}: ${count} of ${patternCost(text)}`);
    }),
    { numRuns: 500 },
  );
});

test('realistic expressions are far below the limit', () => {
  const names = Array.from({ length: 300 }, (_, number) => `team-${number}\\.v1`).join('|');
  for (const text of [
    '.*',
    'orders-(eu|us)\\.v[0-9]+',
    '(?i)^(prod|staging)[._-][a-z0-9]+(-[a-z0-9]+)*$',
    '[a-zA-Z0-9._-]{1,249}',
    '.{0,255}-\\pL{1,20}',
    'CN=(.*?), *OU=(.*?), *O=(.*?), *L=(.*?), *ST=(.*?), *C=(.*?)',
    names,
    'x'.repeat(clusterLimits.patternCharsMax),
  ]) {
    assert.ok(patternCost(text) <= clusterLimits.patternCostMax, text.slice(0, 40));
  }
});

/** Expressions that take the library seconds to minutes to compile or to match, most of them short. */
const attacks = {
  'copies side by side': '.{0,999}'.repeat(455),
  'three of them': 'a{999}'.repeat(3),
  'copies within copies': '((a{0,9}b?){0,9}c?){0,9}d{0,999}',
  'copies of a group': '(a?b?){500}',
  'copies behind a quotation': '\\Q[\\E(a?b?){500}\\Q]\\E',
  'copies behind a bracket': '[]](a?b?){500}[[]',
  'copies behind an escaped bracket': '\\[(a?b?){500}\\]',
  'loops side by side': '.*a'.repeat(1_365),
  'ranges without regard to case': `(?i)[${'B-\\x{1E930}'.repeat(370)}]`,
  'ranges of characters that are written out': `(?i)[${'B-\u{1E930}'.repeat(700)}]`,
  'classes of Unicode': `[${'\\pL'.repeat(1_300)}]`,
  'classes of Unicode, repeated': '\\pL{0,999}',
  'deep nesting': `${'('.repeat(990)}a${')'.repeat(990)}`,
} as const;

test('expressions that would take seconds exceed the limit', () => {
  for (const [name, text] of Object.entries(attacks)) {
    assert.ok(text.length <= clusterLimits.patternCharsMax, name);
    assert.ok(patternCost(text) > clusterLimits.patternCostMax, `${name}: ${patternCost(text)}`);
  }
});

test('every text has a cost', () => {
  for (const text of ['[\\', '[a-\\', '[^\\', '(?i)[\\', '\\', '[', '[a-', '(?<', '\\p{', '\\Q', 'a{']) {
    assert.ok(patternCost(text) >= 2, text);
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'()[]{}\\^$|?*+-:<>PQEpx,09ai.') }), (text) => {
      assert.ok(Number.isFinite(patternCost(text)) && patternCost(text) >= 2);
    }),
  );
});
