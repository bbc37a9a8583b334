import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOf } from '@weir/api';
import { type ClusterDesk, openClusterDesk } from '../../../testing/cluster-desk.ts';

type Rule = CallOf<'virtual_clusters/acls/create'>['acl'];
type Question = Omit<CallOf<'explain_access'>, 'virtual_cluster_id'>;

/** `ALLOW User:a READ TOPIC orders`, and `PREFIXED` or an address where they matter. */
function rule(text: string): Rule {
  const [permission, principal, operation, resourceType, resourceName, ...rest] = text.split(' ');
  return {
    permission_type: permission as Rule['permission_type'],
    principal: principal!,
    operation: operation as Rule['operation'],
    resource_type: resourceType as Rule['resource_type'],
    resource_name: resourceName!,
    pattern_type: rest.includes('PREFIXED') ? 'PREFIXED' : 'LITERAL',
    host: rest.find((word) => word !== 'PREFIXED') ?? '*',
  };
}

function question(text: string): Question {
  const [principal, operation, resourceType, resourceName, host] = text.split(' ');
  return {
    principal: principal!,
    operation: operation as Question['operation'],
    resource_type: resourceType as Question['resource_type'],
    resource_name: resourceName!,
    ...(host === undefined ? {} : { host }),
  };
}

async function deskWith(t: Parameters<typeof openClusterDesk>[0], rules: readonly string[]) {
  const desk = await openClusterDesk(t);
  for (const text of rules) await desk.call('virtual_clusters/acls/create', { acl: rule(text) });
  await setMode(desk, 'enforced');
  return desk;
}

function setMode(desk: ClusterDesk, mode: 'off' | 'shadow' | 'enforced') {
  return desk.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: {
      are_acls_enabled: mode === 'enforced',
      acl_shadowing_enabled: mode === 'shadow',
    },
  });
}

const rules = [
  'ALLOW User:shop WRITE TOPIC orders',
  'ALLOW User:shop READ TOPIC order PREFIXED',
  'DENY User:* READ TOPIC order.secret',
  'ALLOW User:remote READ TOPIC orders 10.0.0.7',
];

const table: [asked: string, isAllowed: boolean, decidedBy: string | undefined, near: string[]][] = [
  ['User:shop WRITE TOPIC orders', true, rules[0], ['operation']],
  ['shop WRITE TOPIC orders', true, rules[0], ['operation']],
  ['User:shop READ TOPIC order.secret', false, rules[2], ['permission']],
  ['User:shop DESCRIBE TOPIC orders', true, rules[0], []],
  ['User:shop WRITE TOPIC refunds', false, undefined, ['resource']],
  ['User:other WRITE TOPIC orders', false, undefined, ['principal']],
  ['User:remote READ TOPIC orders', false, undefined, ['host', 'principal']],
  ['User:remote READ TOPIC orders 10.0.0.7', true, rules[3], ['principal']],
];

for (const [asked, isAllowed, decidedBy, near] of table) {
  test(`${asked}: ${isAllowed ? 'allowed' : 'denied'} by ${decidedBy ?? 'no rule'}`, async (t) => {
    const desk = await deskWith(t, rules);
    const told = await desk.call('explain_access', question(asked));
    assert.equal(told.is_allowed, isAllowed);
    assert.deepEqual(told.deciding_rule, decidedBy === undefined ? null : rule(decidedBy));
    for (const one of near)
      assert.ok(
        told.near_rules.some(({ differs_in }) => differs_in === one),
        `${one}: ${JSON.stringify(told.near_rules)}`,
      );
  });
}

test('what becomes of rules decides with them', async (t) => {
  const desk = await deskWith(t, []);
  const asked = question('User:shop WRITE TOPIC orders');
  const modes: ['off' | 'shadow' | 'enforced', boolean, RegExp][] = [
    ['off', true, /ACLs are off/],
    ['shadow', true, /only tried out/],
    ['enforced', false, /what no rule allows is denied/],
  ];
  for (const [mode, isAllowed, reason] of modes) {
    await setMode(desk, mode);
    const told = await desk.call('explain_access', asked);
    assert.deepEqual([told.mode, told.is_allowed, told.do_rules_allow], [mode, isAllowed, false]);
    assert.match(told.reason, reason);
  }
});

test('a credential is the same one by all its names, and a superuser is bound by no rule', async (t) => {
  const desk = await deskWith(t, [
    'DENY User:boss WRITE TOPIC orders',
    'ALLOW User:ccn_shop READ TOPIC orders',
  ]);
  const { username } = await desk.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
  await desk.call('create_virtual_cluster_credentials', {
    credentials_name: 'boss',
    is_cluster_superuser: true,
  });
  for (const name of [`User:${username}`, 'User:ccn_shop', 'shop']) {
    const told = await desk.call('explain_access', question(`${name} READ TOPIC orders`));
    assert.equal(told.is_allowed, true, name);
    assert.deepEqual(told.principals, [`User:${username}`, 'User:ccn_shop', 'User:shop']);
  }
  const boss = await desk.call('explain_access', question('boss WRITE TOPIC orders'));
  assert.deepEqual([boss.is_allowed, boss.do_rules_allow, boss.is_superuser], [true, false, true]);
});
