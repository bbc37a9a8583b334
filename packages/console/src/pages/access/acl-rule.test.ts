import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { changeOf, keyOfRule, type Rule, ruleInWords, rulesFromJson } from './acl-rule.ts';

const rule: Rule = catalogue['virtual_clusters/acls/list'].example.output.acls[0]!;
const { virtual_cluster_id: _, ...question } = catalogue.explain_access.example.input;
const allowed = catalogue.explain_access.example.output;
const denied = { ...allowed, is_allowed: false, do_rules_allow: false, deciding_rule: null };

test('a rule in words', () => {
  assert.equal(ruleInWords(rule), 'User:shop may WRITE topic orders');
  const other: Rule = { ...rule, permission_type: 'DENY', pattern_type: 'PREFIXED', host: '10.0.0.1' };
  assert.equal(ruleInWords(other), 'User:shop may not WRITE topic orders… from 10.0.0.1');
  assert.notEqual(keyOfRule(rule), keyOfRule(other));
});

test('the change that turns an answer round', () => {
  assert.deepEqual(changeOf(question, denied), { kind: 'create', rule });
  assert.deepEqual(changeOf({ ...question, principal: 'ccn_shop' }, denied), { kind: 'create', rule });
  const deny: Rule = { ...rule, permission_type: 'DENY' };
  assert.deepEqual(changeOf(question, { ...denied, deciding_rule: deny }), { kind: 'delete', rule: deny });
  assert.deepEqual(changeOf(question, allowed), { kind: 'delete', rule });
  assert.equal(changeOf(question, { ...denied, is_superuser: true }), undefined);
  assert.equal(changeOf(question, { ...denied, mode: 'off' }), undefined);
  assert.equal(changeOf({ ...question, principal: undefined }, denied), undefined);
});

test('rules are read from what an export wrote, and a mistake is named with its place', () => {
  assert.deepEqual(rulesFromJson(JSON.stringify({ acls: [rule] })), [rule]);
  const { host, pattern_type, permission_type, ...short } = rule;
  assert.deepEqual(rulesFromJson(JSON.stringify([short])), [rule]);
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{', /Not valid JSON/],
    ['{"rules":[]}', /Expected a list/],
    ['[1]', /Rule 1 is not an object/],
    [JSON.stringify([rule, { ...rule, principal: '' }]), /Rule 2: principal is missing/],
    [JSON.stringify([{ ...rule, operation: 'ANY' }]), /Rule 1: operation is ANY/],
    [JSON.stringify([{ ...rule, colour: 'red' }]), /unknown field colour/],
  ];
  for (const [text, message] of cases) assert.throws(() => rulesFromJson(text), message);
});
