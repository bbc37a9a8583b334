import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputOf } from '@weir/api/client';
import type { Rule } from './acl-rule.ts';
import { isAboutTopic, topicPrincipals } from './topic-access.ts';

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

type Explained = OutputOf<'explain_access'>;

/** An explanation as the server gives it: `a yes`, `b no@10.0.0.1` for a host that differs, `c superuser`. */
function explained(...texts: readonly string[]): Explained {
  const who = texts.map((text) => {
    const [name, answer = ''] = text.split(' ');
    const [verdict, ...hosts] = answer.split('@');
    return {
      principal: `User:${name}`,
      is_allowed: true,
      do_rules_allow: verdict === 'yes',
      is_superuser: verdict === 'superuser',
      deciding_rule: null,
      other_hosts: hosts,
    };
  });
  return { who } as unknown as Explained;
}

test('who may read and write is what the server decides', () => {
  const rows = topicPrincipals(
    explained('* no', 'root superuser', 'partner yes', 'b no@10.0.0.1'),
    explained('* yes', 'root superuser', 'writer yes@10.0.0.2'),
  );
  assert.deepEqual(
    rows.map(({ principal, isSuperuser, read, write }) => [principal, isSuperuser, read, write]),
    [
      ['User:root', true, 'yes', 'yes'],
      ['User:partner', false, 'yes', 'yes'],
      ['User:b', false, 'partly', 'yes'],
      ['User:writer', false, 'no', 'partly'],
      ['User:*', false, 'no', 'yes'],
    ],
  );
});
