import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOfRule, ruleInWords } from '../acl-rule.ts';
import { type RoleDraft, rulesOfDraft, withRuleReplaced, withRules } from './role-draft.ts';

const draft: RoleDraft = {
  role: 'consumer',
  principals: 'shop, User:audit, shop',
  host: '',
  inputs: { topics: 'orders.*', groups: 'shop', applicationId: 'not of this role' },
};

const rulesOf = (one: RoleDraft) => {
  const read = rulesOfDraft(one);
  assert.ok('rules' in read, JSON.stringify(read));
  return read.rules;
};

test('a draft gives each principal the rules of its role', () => {
  assert.deepEqual(rulesOf(draft).map(ruleInWords), [
    'User:shop may READ topic orders.…',
    'User:shop may DESCRIBE topic orders.…',
    'User:shop may READ group shop',
    'User:audit may READ topic orders.…',
    'User:audit may DESCRIBE topic orders.…',
    'User:audit may READ group shop',
  ]);
  assert.equal(rulesOf({ ...draft, host: ' 10.0.0.1 ' })[0]!.host, '10.0.0.1');
});

test('what a draft lacks is named', () => {
  const cases: readonly (readonly [change: Partial<RoleDraft>, problem: RegExp])[] = [
    [{ principals: ' , ' }, /^Enter a principal/],
    [{ inputs: { topics: 'a' } }, /^Consumer groups: enter a name/],
    [{ inputs: { groups: 'a', topics: ' ' } }, /^Topics: enter a name/],
    [{ role: 'prefix-admin' }, /^Prefix: enter a name/],
    [
      { inputs: { groups: 'a', topics: Array.from({ length: 300 }, (_, at) => `t${at}`).join(',') } },
      /^These are 1202 rules; create at most 500/,
    ],
  ];
  for (const [change, problem] of cases) {
    const read = rulesOfDraft({ ...draft, ...change });
    assert.match('problem' in read ? read.problem : 'none', problem);
  }
});

test('a rule is in the list once, and is replaced in its place', () => {
  const rules = rulesOf({ ...draft, principals: 'shop' });
  assert.deepEqual(withRules(rules, rules), rules);
  const [first, second] = rules as [(typeof rules)[0], (typeof rules)[0]];
  const other = { ...first, resource_name: 'other' };
  assert.deepEqual(withRuleReplaced(rules, keyOfRule(first), other)[0], other);
  assert.equal(withRuleReplaced(rules, keyOfRule(first), second).length, rules.length - 1);
});
