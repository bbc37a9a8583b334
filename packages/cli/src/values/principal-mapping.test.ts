import assert from 'node:assert/strict';
import { test } from 'node:test';
import { principalMappingRules } from './principal-mapping.ts';

const fallback = { kind: 'default' };

test('mapping rules are read as Kafka writes them', () => {
  const cases: readonly [text: string, rules: readonly unknown[]][] = [
    ['DEFAULT', [fallback]],
    [
      'RULE:^CN=(.*?),.*$/$1/L, DEFAULT',
      [{ kind: 'rule', pattern: '^CN=(.*?),.*$', replacement: '$1', letterCase: 'L' }, fallback],
    ],
    ['RULE:a\\/b/c/', [{ kind: 'rule', pattern: 'a\\/b', replacement: 'c', letterCase: '' }]],
    ['RULE:x//U', [{ kind: 'rule', pattern: 'x', replacement: '', letterCase: 'U' }]],
  ];
  for (const [text, rules] of cases)
    assert.deepEqual(principalMappingRules().parse(text), { value: rules }, text);
});

test('an invalid rule is rejected with its position', async () => {
  const cases: readonly [text: string, problem: RegExp][] = [
    ['default', /rule 1 is neither$/],
    ['DEFAULT,RULE:a/b', /rule 2 is neither$/],
    ['RULE:a/b/X', /rule 1 is neither$/],
    ['RULE:(/b/', /^rule 1 is invalid: .*missing closing \)/],
    ['RULE:(?=a)/b/', /^rule 1 is invalid: .*unsupported/],
    ['DEFAULT,RULE:(a)/$2/', /^rule 2 is invalid: the replacement names the group 2/],
  ];
  for (const [text, problem] of cases) {
    const type = principalMappingRules();
    const parsed = type.parse(text);
    const found = 'problem' in parsed ? parsed.problem : await type.check!(parsed.value);
    assert.match(found ?? '', problem, text);
  }
});
