import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caps } from '@weir/core';
import { compilePattern } from './pattern.ts';

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

test('what is no pattern says why', () => {
  for (const expression of ['(', 'a{2,1}', '(?=lookahead)', '\\1', 'a'.repeat(caps.patternCharsMax + 1)]) {
    assert.notEqual(compilePattern(expression).problem, undefined, expression.slice(0, 20));
  }
});

test('a pattern that would blow up elsewhere is answered', () => {
  const pattern = compilePattern('(a+)+b');
  assert.equal(pattern.problem === undefined && pattern.matches('a'.repeat(5_000)), false);
});
