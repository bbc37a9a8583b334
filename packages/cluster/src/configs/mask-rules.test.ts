import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMaskRule, maskedFieldsOf, matchesWildcard } from './mask-rules.ts';

test('a rule names topics and a field', () => {
  for (const rule of ['orders:value.card.number', '*:email', 'a-*:key', 'x.y:headers.trace', 'a:*_token'])
    assert.equal(isMaskRule(rule), true, rule);
  for (const rule of ['orders', ':email', 'orders:', 'a b:c', 'a:b c', 'a:b:c', 'a:b..c', 'a:.b', 'ä:b'])
    assert.equal(isMaskRule(rule), false, rule);
});

test('a topic has the fields of the rules that match it', () => {
  const rules = ['orders:value.card', '*:email', 'ord*:email', 'other:key'];
  assert.deepEqual(maskedFieldsOf('orders', rules), ['value.card', 'email']);
  assert.deepEqual(maskedFieldsOf('billing', rules), ['email']);
  assert.deepEqual(maskedFieldsOf('billing', []), []);
});

test('an asterisk stands for any characters', () => {
  // biome-ignore format: a table
  const cases: [pattern: string, text: string, matches: boolean][] = [
    ['a',     'a',      true],
    ['a',     'ab',     false],
    ['*',     '',       true],
    ['a*',    'abc',    true],
    ['*c',    'abc',    true],
    ['a*c',   'ac',     true],
    ['ab*bc', 'abc',    false],
    ['a*b*c', 'axbxc',  true],
    ['a*b*c', 'acb',    false],
    ['**',    'x',      true],
  ];
  for (const [pattern, text, matches] of cases)
    assert.equal(matchesWildcard(pattern, text), matches, `${pattern} ${text}`);
  assert.equal(matchesWildcard('a*'.repeat(100), `${'a'.repeat(100_000)}b`), true);
});
