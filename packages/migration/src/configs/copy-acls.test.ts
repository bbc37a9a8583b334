import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AclResponse } from '@weir/client';
import { type AclRules, copyAcls } from './copy-acls.ts';

/** `ALLOW User:ann READ TOPIC orders`, and `PREFIXED` after it for a prefix. */
function acl(text: string): AclResponse {
  const [permission, principal, operation, resourceType, resourceName, patternType = 'LITERAL'] =
    text.split(' ');
  return {
    permission: permission!,
    principal: principal!,
    operation: operation!,
    resourceType: resourceType!,
    resourceName: resourceName!,
    patternType,
    host: '10.0.0.1',
  };
}

function inWords({
  permission,
  principal,
  operation,
  resourceType,
  resourceName,
  patternType,
}: AclResponse): string {
  const end = patternType === 'LITERAL' ? '' : ` ${patternType}`;
  return `${permission} ${principal} ${operation} ${resourceType} ${resourceName}${end}`;
}

const same: AclRules = {
  topics: ['orders', 'orders.eu', 'clicks'].map((name) => ({ source: name, destination: name })),
  topicPrefixes: [''],
  groupPrefix: '',
};
const moved: AclRules = {
  topics: [
    { source: 'orders', destination: 'old.orders' },
    { source: 'orders.eu', destination: 'eu.orders.eu' },
  ],
  topicPrefixes: ['old.', 'eu.'],
  groupPrefix: 'g-',
};

// biome-ignore format: a table
const cases: readonly [text: string, rules: AclRules, created: readonly string[] | string][] = [
  ['ALLOW User:ann READ TOPIC orders',             same,  ['ALLOW User:ann READ TOPIC orders']],
  ['DENY User:ann WRITE TOPIC orders',             same,  ['DENY User:ann WRITE TOPIC orders']],
  ['ALLOW User:ann READ TOPIC secret',             same,  'the topic is not copied'],
  ['ALLOW User:ann READ TOPIC ord PREFIXED',       same,  ['ALLOW User:ann READ TOPIC ord PREFIXED']],
  ['ALLOW User:ann READ TOPIC x PREFIXED',         same,  'no topic that begins so is copied'],
  ['ALLOW User:ann READ TOPIC *',                  same,  ['ALLOW User:ann READ TOPIC *']],
  ['ALLOW User:ann READ GROUP app',                same,  ['ALLOW User:ann READ GROUP app']],
  ['ALLOW User:ann WRITE TRANSACTIONAL_ID tx',     same,  ['ALLOW User:ann WRITE TRANSACTIONAL_ID tx']],
  ['ALLOW User:ann ALTER CLUSTER kafka-cluster',   same,  'rights on the cluster are given here by its operators'],
  ['DENY User:ann CREATE CLUSTER kafka-cluster',   same,  'rights on the cluster are given here by its operators'],
  ['ALLOW User:ann DESCRIBE DELEGATION_TOKEN t',   same,  'there are no rights on DELEGATION_TOKEN here'],
  ['ALLOW Group:x READ TOPIC orders',              same,  'only principals that begin with User: are known here'],
  ['ALLOW User:ann UNKNOWN(99) TOPIC orders',      same,  'it has a part that is not known here'],
  ['ALLOW User:ann READ TOPIC orders',             moved, ['ALLOW User:ann READ TOPIC old.orders']],
  ['ALLOW User:ann READ TOPIC orders PREFIXED',    moved, ['ALLOW User:ann READ TOPIC old.orders PREFIXED', 'ALLOW User:ann READ TOPIC eu.orders PREFIXED']],
  ['ALLOW User:ann READ TOPIC orders. PREFIXED',   moved, ['ALLOW User:ann READ TOPIC eu.orders. PREFIXED']],
  ['ALLOW User:ann READ TOPIC *',                  moved, ['ALLOW User:ann READ TOPIC old. PREFIXED', 'ALLOW User:ann READ TOPIC eu. PREFIXED']],
  ['ALLOW User:ann READ GROUP app',                moved, ['ALLOW User:ann READ GROUP g-app']],
  ['ALLOW User:ann READ GROUP *',                  moved, ['ALLOW User:ann READ GROUP g- PREFIXED']],
  ['ALLOW User:ann READ GROUP a PREFIXED',         moved, ['ALLOW User:ann READ GROUP g-a PREFIXED']],
];

for (const [text, rules, expected] of cases)
  test(`${text}, ${rules === same ? 'with the same names' : 'with prefixes'}`, () => {
    const [{ created, note }] = copyAcls([acl(text)], rules) as [ReturnType<typeof copyAcls>[number]];
    if (typeof expected === 'string') assert.deepEqual([created, note], [[], expected]);
    else {
      assert.deepEqual(created.map(inWords), expected);
      assert.ok(created.every(({ host }) => host === '10.0.0.1'));
    }
  });

test('a right on all topics is pointed out', () => {
  const [{ note }] = copyAcls([acl('ALLOW User:ann READ TOPIC *')], same) as [
    ReturnType<typeof copyAcls>[number],
  ];
  assert.equal(note, 'it is for everything here, not only for what is copied');
});
