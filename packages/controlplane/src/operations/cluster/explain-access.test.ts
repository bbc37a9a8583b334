import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

type Rule = CallOf<'virtual_clusters/acls/create'>['acl'];
type Question = Omit<CallOf<'explain_access'>, 'virtual_cluster_id'>;
type Access = NonNullable<OutputOf<'explain_access'>['who']>[number];

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

/** `User:shop allowed by ALLOW User:shop WRITE TOPIC orders`, with what is special about it. */
function line({ principal, is_allowed, is_superuser, deciding_rule, other_hosts }: Access): string {
  const { permission_type, principal: named } = deciding_rule ?? {};
  const by = is_superuser ? ' as superuser' : deciding_rule === null ? '' : ` by ${permission_type} ${named}`;
  const hosts = other_hosts.length === 0 ? '' : `, otherwise from ${other_hosts.join(' ')}`;
  return `${principal} ${is_allowed ? 'allowed' : 'denied'}${by}${hosts}`;
}

async function testApiWith(t: Parameters<typeof openTestClusterApi>[0], rules: readonly string[]) {
  const testApi = await openTestClusterApi(t);
  for (const text of rules) await testApi.call('virtual_clusters/acls/create', { acl: rule(text) });
  await setMode(testApi, 'enforced');
  return testApi;
}

function setMode(testApi: TestClusterApi, mode: 'off' | 'shadow' | 'enforced') {
  return testApi.call('update_virtual_cluster_configuration', {
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

const table: [access: string, isAllowed: boolean, decidedBy: string | undefined, near: string[]][] = [
  ['User:shop WRITE TOPIC orders', true, rules[0], ['operation']],
  ['shop WRITE TOPIC orders', true, rules[0], ['operation']],
  ['User:shop READ TOPIC order.secret', false, rules[2], ['permission']],
  ['User:shop DESCRIBE TOPIC orders', true, rules[0], []],
  ['User:shop WRITE TOPIC refunds', false, undefined, ['resource']],
  ['User:other WRITE TOPIC orders', false, undefined, ['principal']],
  ['User:remote READ TOPIC orders', false, undefined, ['host', 'principal']],
  ['User:remote READ TOPIC orders 10.0.0.7', true, rules[3], ['principal']],
];

for (const [access, isAllowed, decidedBy, near] of table) {
  test(`${access}: ${isAllowed ? 'allowed' : 'denied'} by ${decidedBy ?? 'no rule'}`, async (t) => {
    const testApi = await testApiWith(t, rules);
    const explained = await testApi.call('explain_access', question(access));
    assert.equal(explained.is_allowed, isAllowed);
    assert.deepEqual(explained.deciding_rule, decidedBy === undefined ? null : rule(decidedBy));
    for (const one of near)
      assert.ok(
        explained.near_rules.some(({ differs_in }) => differs_in === one),
        `${one}: ${JSON.stringify(explained.near_rules)}`,
      );
  });
}

test('the mode of ACL enforcement is part of the decision', async (t) => {
  const testApi = await testApiWith(t, []);
  const request = question('User:shop WRITE TOPIC orders');
  const modes: ['off' | 'shadow' | 'enforced', boolean, RegExp][] = [
    ['off', true, /ACLs are off/],
    ['shadow', true, /shadow mode/],
    ['enforced', false, /requests that no rule allows are denied/],
  ];
  for (const [mode, isAllowed, reason] of modes) {
    await setMode(testApi, mode);
    const explained = await testApi.call('explain_access', request);
    assert.deepEqual(
      [explained.mode, explained.is_allowed, explained.do_rules_allow],
      [mode, isAllowed, false],
    );
    assert.match(explained.reason, reason);
  }
});

test('a credential is the same principal by all its names, and a superuser bypasses all rules', async (t) => {
  const testApi = await testApiWith(t, [
    'DENY User:boss WRITE TOPIC orders',
    'ALLOW User:ccn_shop READ TOPIC orders',
  ]);
  const { username } = await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
  await testApi.call('create_virtual_cluster_credentials', {
    credentials_name: 'boss',
    is_cluster_superuser: true,
  });
  for (const name of [`User:${username}`, 'User:ccn_shop', 'shop']) {
    const explained = await testApi.call('explain_access', question(`${name} READ TOPIC orders`));
    assert.equal(explained.is_allowed, true, name);
    assert.deepEqual(explained.principals, ['User:shop', 'User:ccn_shop', `User:${username}`]);
  }
  const boss = await testApi.call('explain_access', question('boss WRITE TOPIC orders'));
  assert.deepEqual([boss.is_allowed, boss.do_rules_allow, boss.is_superuser], [true, false, true]);
});

const everyRule = [
  'ALLOW User:writer WRITE TOPIC orders',
  'ALLOW User:ccn_shop ALL TOPIC ord PREFIXED',
  'ALLOW User:local WRITE TOPIC orders 10.0.0.7',
  'ALLOW User:banned WRITE TOPIC *',
  'DENY User:banned WRITE TOPIC orders',
  'ALLOW User:* READ TOPIC orders',
  'DENY User:* READ TOPIC orders 10.6.6.6',
  'DENY User:ccn_boss READ TOPIC orders',
  'ALLOW User:spiffe://shop.example/* READ TOPIC secrets',
  'DENY User:spiffe://shop.example/* READ TOPIC secrets 10.9.9.9',
  'ALLOW User:spiffe://shop.example/till READ TOPIC secrets',
  'ALLOW User:elsewhere WRITE TOPIC other',
  'ALLOW User:groups ALL GROUP orders',
];

const whoTable: [access: string, who: string[]][] = [
  [
    'WRITE TOPIC orders',
    [
      'User:* denied',
      'User:boss allowed as superuser',
      'User:shop allowed by ALLOW User:ccn_shop',
      'User:writer allowed by ALLOW User:writer',
      'User:local denied, otherwise from 10.0.0.7',
      'User:banned denied by DENY User:banned',
    ],
  ],
  [
    'READ TOPIC orders',
    [
      'User:* allowed by ALLOW User:*, otherwise from 10.6.6.6',
      'User:boss allowed as superuser',
      'User:shop allowed by ALLOW User:ccn_shop, otherwise from 10.6.6.6',
    ],
  ],
  [
    'READ TOPIC secrets',
    [
      'User:* denied',
      'User:boss allowed as superuser',
      'User:spiffe://shop.example/* allowed by ALLOW User:spiffe://shop.example/*, otherwise from 10.9.9.9',
      'User:spiffe://shop.example/till allowed by ALLOW User:spiffe://shop.example/till, otherwise from 10.9.9.9',
    ],
  ],
  ['DESCRIBE CLUSTER kafka-cluster', ['User:* denied', 'User:boss allowed as superuser']],
];

for (const [access, who] of whoTable) {
  test(`who may ${access}: ${who.length - 1} by name`, async (t) => {
    const testApi = await testApiWith(t, everyRule);
    await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
    await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'idle' });
    await testApi.call('create_virtual_cluster_credentials', {
      credentials_name: 'boss',
      is_cluster_superuser: true,
    });
    const { principal: _, ...everybody } = question(`nobody ${access}`);
    const explained = await testApi.call('explain_access', everybody);
    assert.deepEqual(explained.who?.map(line), who);
    assert.equal(explained.who_total, who.length);
    assert.deepEqual(explained.principals, ['User:*']);
    // The result for each equals the result when only it is requested.
    for (const one of explained.who!.slice(1)) {
      const alone = await testApi.call('explain_access', { ...everybody, principal: one.principal });
      assert.deepEqual(
        [alone.is_allowed, alone.do_rules_allow, alone.is_superuser, alone.deciding_rule],
        [one.is_allowed, one.do_rules_allow, one.is_superuser, one.deciding_rule],
        one.principal,
      );
    }
  });
}

test('principals are listed while ACLs are off, and for a given address', async (t) => {
  const testApi = await testApiWith(t, everyRule);
  const { principal: _, ...everybody } = question('nobody WRITE TOPIC orders 10.0.0.7');
  const there = await testApi.call('explain_access', everybody);
  assert.ok(there.who!.map(line).includes('User:local allowed by ALLOW User:local'));
  await setMode(testApi, 'off');
  const { who, reason } = await testApi.call('explain_access', everybody);
  assert.ok(who!.every(({ is_allowed }) => is_allowed));
  assert.match(reason, /ACLs are off/);
});

test('of many allowed principals, the first are listed and all are counted', async (t) => {
  const testApi = await testApiWith(t, []);
  const rows = apiLimits.explainedPrincipalsMax + 5;
  await testApi.node.createAcls(
    Array.from({ length: rows }, (_, n) => ({
      resourceType: 'TOPIC' as const,
      resourceName: 'orders',
      patternType: 'LITERAL' as const,
      principal: `User:u${String(n).padStart(4, '0')}`,
      host: '*',
      operation: 'WRITE' as const,
      permission: n < 5 ? ('DENY' as const) : ('ALLOW' as const),
    })),
  );
  const { principal: _, ...everybody } = question('nobody WRITE TOPIC orders');
  const { who, who_total } = await testApi.call('explain_access', everybody);
  assert.deepEqual([who!.length, who_total], [apiLimits.explainedPrincipalsMax + 1, rows + 1]);
  assert.ok(
    who!.slice(1).every(({ is_allowed }) => is_allowed),
    'those who may come first',
  );
});
