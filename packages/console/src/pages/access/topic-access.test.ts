import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from './acl-rule.ts';
import { isAboutTopic, principalsOf } from './topic-access.ts';

/** `ALLOW User:a READ TOPIC orders`, with a `+` behind the name for a prefix and `@host` for an address. */
function ruleOf(text: string): Rule {
  const [permission_type, principal, operation, resource_type, name, host = '@*'] = text.split(' ');
  return {
    permission_type,
    principal,
    operation,
    resource_type,
    pattern_type: name!.endsWith('+') ? 'PREFIXED' : 'LITERAL',
    resource_name: name!.replace(/\+$/, ''),
    host: host.slice(1),
  } as Rule;
}

test('rules about a topic', () => {
  for (const [text, isAbout] of [
    ['ALLOW User:a READ TOPIC orders', true],
    ['ALLOW User:a READ TOPIC orders-eu', false],
    ['ALLOW User:a READ TOPIC ord+', true],
    ['ALLOW User:a READ TOPIC orders-+', false],
    ['ALLOW User:a READ TOPIC *', true],
    ['ALLOW User:a READ TOPIC *+', false],
    ['ALLOW User:a READ GROUP orders', false],
  ] as const)
    assert.equal(isAboutTopic(ruleOf(text), 'orders'), isAbout, text);
});

test('what rules let principals do', () => {
  for (const [texts, principal, read, write] of [
    [['ALLOW User:a READ TOPIC t'], 'User:a', 'yes', 'no'],
    [['ALLOW User:a ALL TOPIC t'], 'User:a', 'yes', 'yes'],
    [['ALLOW User:a ALL TOPIC t', 'DENY User:a WRITE TOPIC *'], 'User:a', 'yes', 'no'],
    [['ALLOW User:a READ TOPIC t', 'DENY User:* ALL TOPIC t+'], 'User:a', 'no', 'no'],
    [['ALLOW User:* READ TOPIC t', 'ALLOW User:a WRITE TOPIC t'], 'User:a', 'yes', 'yes'],
    [['ALLOW User:* READ TOPIC t', 'ALLOW User:a WRITE TOPIC t'], 'User:*', 'yes', 'no'],
    [['ALLOW User:a READ TOPIC t @10.0.0.1'], 'User:a', 'partly', 'no'],
    [['ALLOW User:a READ TOPIC t', 'DENY User:a READ TOPIC t @10.0.0.1'], 'User:a', 'partly', 'no'],
    [
      ['ALLOW User:spiffe://shop/* READ TOPIC t', 'ALLOW User:spiffe://shop/cart WRITE TOPIC t'],
      'User:spiffe://shop/cart',
      'yes',
      'yes',
    ],
    [['ALLOW User:a DESCRIBE TOPIC t'], 'User:a', 'no', 'no'],
  ] as const)
    assert.deepEqual(
      principalsOf(texts.map(ruleOf)).find((found) => found.principal === principal),
      { principal, read, write },
      texts.join(', '),
    );
});
