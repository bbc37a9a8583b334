import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { clusterLimits } from '../limits.ts';
import {
  compilePattern,
  compileRewrite,
  compileSearch,
  matchInSlices,
  restorePattern,
  type UsablePattern,
} from './pattern.ts';

test('patterns match whole texts', () => {
  const rows: [pattern: string, text: string, isMatch: boolean][] = [
    ['orders', 'orders', true],
    ['orders', 'orders-eu', false],
    ['orders.*', 'orders-eu', true],
    ['orders-(eu|us)', 'orders-us', true],
    ['(?i)ORDERS', 'orders', true],
    ['[a-z]{2,3}\\d+', 'ab12', true],
    ['', 'a', false],
  ];
  for (const [expression, text, isMatch] of rows) {
    const pattern = compilePattern(expression);
    assert.equal(pattern.problem, undefined, expression);
    assert.equal(pattern.problem === undefined && pattern.matches(text), isMatch, `${expression} ${text}`);
  }
});

test('searches find a pattern of JavaScript anywhere in a text', () => {
  const rows: [pattern: string, text: string, isFound: boolean][] = [
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^a.c$', 'abc', true],
    ['^\\u0041\\/$', 'A/', true],
    ['^(?<year>\\d{4})-', '2026-11', true],
    ['^[^]$', '\n', true],
    ['^🐲*$', '🐲🐲', true],
    ['^(a+)+$', `${'a'.repeat(10_000)}b`, false],
  ];
  for (const [expression, text, isFound] of rows) {
    const search = compileSearch(expression);
    assert.equal(search.problem === undefined && search.finds(text), isFound, `${expression} ${text}`);
  }
  for (const expression of ['a(?=b)', '(?<!a)b', '(a)\\1', '[', `a{9999}`, '(a{100}){100}', 'a'.repeat(5000)])
    assert.notEqual(compileSearch(expression).problem, undefined, expression.slice(0, 20));
});

test('an invalid pattern has a problem', () => {
  for (const expression of [
    '(',
    'a{2,1}',
    '(?=lookahead)',
    '\\1',
    'a'.repeat(clusterLimits.patternCharsMax + 1),
  ]) {
    assert.notEqual(compilePattern(expression).problem, undefined, expression.slice(0, 20));
  }
});

test('a pattern that is exponential in backtracking engines is matched', () => {
  const pattern = compilePattern('(a+)+b');
  assert.equal(pattern.problem === undefined && pattern.matches('a'.repeat(5_000)), false);
});

test('a pattern whose program would be too large is refused before compilation', (t) => {
  const compiled = t.mock.method(RE2JS, 'compile');
  const attack = '.{0,999}'.repeat(455);
  for (const { problem } of [compilePattern(attack), restorePattern(attack), compileRewrite(attack, '')]) {
    assert.match(problem ?? '', /^the pattern repeats too much: it costs \d+, and 8192 is allowed/);
  }
  assert.equal(compiled.mock.callCount(), 0);
});

test('a restored pattern is compiled once, on first use', (t) => {
  const compiled = t.mock.method(RE2JS, 'compile');
  const pattern = restorePattern('orders.*once');
  assert.equal(compiled.mock.callCount(), 0);
  assert.equal(pattern.problem === undefined && pattern.matches('orders-once'), true);
  assert.equal(pattern.problem === undefined && pattern.matches('other'), false);
  assert.equal(compiled.mock.callCount(), 1);
  const broken = restorePattern('(');
  assert.equal(broken.problem === undefined && broken.matches('('), false);
});

test('a text beyond the limit matches nothing', () => {
  const pattern = compilePattern('a*');
  assert.equal(
    pattern.problem === undefined && pattern.matches('a'.repeat(clusterLimits.patternTextCharsMax)),
    true,
  );
  assert.equal(
    pattern.problem === undefined && pattern.matches('a'.repeat(clusterLimits.patternTextCharsMax + 1)),
    false,
  );
});

test('many texts are matched in slices, and too many not at all', async () => {
  const texts = Array.from({ length: 1_000 }, (_, number) => `${number}`.padStart(10, '0'));
  let matched = 0;
  let turns = 0;
  let longest = 0;
  let before = 0;
  const pattern = (cost: number): UsablePattern => ({
    problem: undefined,
    cost,
    matches(text) {
      matched++;
      return text.endsWith('7');
    },
  });
  const inSlices = (cost: number, items: readonly string[]) =>
    matchInSlices(pattern(cost), items, (text) => text, {
      after(_delayMs, run) {
        turns++;
        longest = Math.max(longest, matched - before);
        before = matched;
        queueMicrotask(run);
        return () => {};
      },
    });
  const found = await inSlices(8_000, texts);
  assert.equal(found?.length, 100);
  assert.equal(longest, Math.ceil(clusterLimits.patternStepsPerTurn / (8_000 * 11)));
  assert.equal(turns, Math.floor(1_000 / longest));
  matched = 0;
  const tooMany = Array.from({ length: 20 }, () => texts).flat();
  assert.equal(await inSlices(8_000, tooMany), undefined);
  assert.equal(matched, 0);
});
