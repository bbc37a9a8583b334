import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Access } from '@weir/api';
import fc from 'fast-check';
import type { KeyGrant, RoleGrant } from './grants.ts';
import {
  type Actor,
  grantIn,
  isAllowed,
  mayConnectAgents,
  mayManageKey,
  mayReadAudit,
  type Need,
} from './permissions.ts';

const accountId = 'ti_1';
const user = (...grants: RoleGrant[]): Actor => ({ kind: 'user', id: 'ui_1', accountId, grants });
const key = (...grants: KeyGrant[]): Actor => ({ kind: 'api_key', id: 'aki_1', accountId, grants });
const app = (principalKind: 'app' | 'app_r', workspaceId: string): KeyGrant => {
  return { principalKind, resourceKind: '*', resourceId: '*', workspaceId };
};
const agent = (principalKind: 'agent' | 'agent_r', resourceId: string, workspaceId: string): KeyGrant => {
  return { principalKind, resourceKind: 'virtual_cluster', resourceId, workspaceId };
};
const accountKey: KeyGrant = { principalKind: '*', resourceKind: '*', resourceId: '*', workspaceId: '*' };

const actors: Record<string, Actor> = {
  anonymous: { kind: 'anonymous' },
  'user without roles': user(),
  'admin of a': user({ workspaceId: 'wi_a', managedGrantName: 'admin' }),
  'reader of a': user({ workspaceId: 'wi_a', managedGrantName: 'read_only' }),
  'records reader of a': user({ workspaceId: 'wi_a', managedGrantName: 'read_records' }),
  'admin of all': user({ workspaceId: '*', managedGrantName: 'admin' }),
  'reader of all': user({ workspaceId: '*', managedGrantName: 'read_only' }),
  'records reader of all': user({ workspaceId: '*', managedGrantName: 'read_records' }),
  'reader of all, records reader of a': user(
    { workspaceId: '*', managedGrantName: 'read_only' },
    { workspaceId: 'wi_a', managedGrantName: 'read_records' },
  ),
  'reader of all, admin of a': user(
    { workspaceId: '*', managedGrantName: 'read_only' },
    { workspaceId: 'wi_a', managedGrantName: 'admin' },
  ),
  'app key of a': key(app('app', 'wi_a')),
  'app_r key of a': key(app('app_r', 'wi_a')),
  'app_r key of a with records': key({ ...app('app_r', 'wi_a'), managedGrantName: 'read_records' }),
  'app_r key of a with the audit log': key({ ...app('app_r', 'wi_a'), managedGrantName: 'read_audit_log' }),
  'agent key of a1': key(agent('agent', 'vci_a1', 'wi_a')),
  'agent_r key of a1': key(agent('agent_r', 'vci_a1', 'wi_a')),
  'account key': key(accountKey),
};

/** In the order of the columns below: account, workspaces a and b, clusters a1 and a2 of a, and b1 of b. */
const things: Need[] = [
  { scope: 'account', access: 'read', accountId },
  { scope: 'workspace', access: 'read', accountId, workspaceId: 'wi_a' },
  { scope: 'workspace', access: 'read', accountId, workspaceId: 'wi_b' },
  { scope: 'cluster', access: 'read', accountId, workspaceId: 'wi_a', clusterId: 'vci_a1' },
  { scope: 'cluster', access: 'read', accountId, workspaceId: 'wi_a', clusterId: 'vci_a2' },
  { scope: 'cluster', access: 'read', accountId, workspaceId: 'wi_b', clusterId: 'vci_b1' },
];

/** `w` may write, and so read everything; `d` may read records; `r` may read the rest; `-` neither. */
// biome-ignore format: a table
const table: [who: string, may: string][] = [
  //                                     account  a  b  a1 a2 b1
  ['anonymous',                          '-       -  -  -  -  -'],
  ['user without roles',                 '-       -  -  -  -  -'],
  ['admin of a',                         '-       w  -  w  w  -'],
  ['reader of a',                        '-       r  -  r  r  -'],
  ['records reader of a',                '-       d  -  d  d  -'],
  ['admin of all',                       'w       w  w  w  w  w'],
  ['reader of all',                      'r       r  r  r  r  r'],
  ['records reader of all',              'd       d  d  d  d  d'],
  ['reader of all, records reader of a', 'r       d  r  d  d  r'],
  ['reader of all, admin of a',          'r       w  r  w  w  r'],
  ['app key of a',                       '-       w  -  w  w  -'],
  ['app_r key of a',                     '-       r  -  r  r  -'],
  ['app_r key of a with records',        '-       d  -  d  d  -'],
  ['app_r key of a with the audit log',  '-       r  -  r  r  -'],
  ['agent key of a1',                    '-       -  -  r  -  -'],
  ['agent_r key of a1',                  '-       -  -  r  -  -'],
  ['account key',                        'w       -  -  -  -  -'],
];

for (const [who, may] of table) {
  test(`permissions: ${who}`, () => {
    const found = things.map((thing) => {
      if (isAllowed(actors[who]!, { ...thing, access: 'write' } as Need)) return 'w';
      if (isAllowed(actors[who]!, { ...thing, access: 'records' } as Need)) return 'd';
      return isAllowed(actors[who]!, thing) ? 'r' : '-';
    });
    assert.equal(found.join(' '), may.replaceAll(/ +/g, ' '));
  });
}

test('permissions: administrators of a workspace and keys with the grant read its audit log', () => {
  const readers = Object.keys(actors).filter((who) => mayReadAudit(actors[who]!, accountId, 'wi_a'));
  assert.deepEqual(readers, [
    'admin of a',
    'admin of all',
    'reader of all, admin of a',
    'app key of a',
    'app_r key of a with the audit log',
  ]);
});

test('permissions: any caller may use public operations, and any authenticated caller those on itself', () => {
  for (const [who, actor] of Object.entries(actors)) {
    assert.equal(isAllowed(actor, { scope: 'public' }), true);
    assert.equal(isAllowed(actor, { scope: 'user' }), who !== 'anonymous', who);
  }
});

test('permissions: agents connect with an agent key of their cluster that is not read-only', () => {
  const connecting = Object.keys(actors).filter((who) => mayConnectAgents(actors[who]!, accountId, 'vci_a1'));
  assert.deepEqual(connecting, ['agent key of a1']);
  assert.equal(mayConnectAgents(actors['agent key of a1']!, accountId, 'vci_a2'), false);
  assert.equal(mayConnectAgents(actors['agent key of a1']!, 'ti_2', 'vci_a1'), false);
});

test('permissions: which actor may create which keys', () => {
  // biome-ignore format: a table
  const makers: [grant: KeyGrant, who: string[]][] = [
    [app('app', 'wi_a'),                 ['admin of a', 'admin of all', 'reader of all, admin of a', 'account key']],
    [app('app_r', 'wi_a'),               ['admin of a', 'admin of all', 'reader of all, admin of a', 'app key of a', 'account key']],
    [app('app_r', 'wi_b'),               ['admin of all', 'account key']],
    [agent('agent', 'vci_a1', 'wi_a'),   ['admin of a', 'admin of all', 'reader of all, admin of a', 'app key of a']],
    [agent('agent_r', 'vci_b1', 'wi_b'), ['admin of all']],
    [accountKey,                         ['admin of all']],
  ];
  for (const [grant, who] of makers) {
    const found = Object.keys(actors).filter((name) => mayManageKey(actors[name]!, accountId, grant));
    assert.deepEqual(found, who, JSON.stringify(grant));
  }
});

const workspaceIds = ['wi_a', 'wi_b', 'wi_c'] as const;
const clusterIds = ['vci_1', 'vci_2', 'vci_3'] as const;
const access = fc.constantFrom('read' as const, 'records' as const, 'write' as const);
const anyAccount = fc.constantFrom('ti_1', 'ti_2');
const workspace = fc.constantFrom(...workspaceIds);

const roleGrant: fc.Arbitrary<RoleGrant> = fc.record({
  workspaceId: fc.constantFrom(...workspaceIds, '*'),
  managedGrantName: fc.constantFrom('admin', 'read_records', 'read_only'),
});
const keyGrant: fc.Arbitrary<KeyGrant> = fc.oneof(
  fc.tuple(fc.constantFrom('app' as const, 'app_r' as const), workspace).map(([kind, id]) => app(kind, id)),
  workspace.map((id) => ({ ...app('app_r', id), managedGrantName: 'read_records' as const })),
  fc
    .tuple(fc.constantFrom('agent' as const, 'agent_r' as const), fc.constantFrom(...clusterIds), workspace)
    .map(([kind, clusterId, id]) => agent(kind, clusterId, id)),
  fc.constant(accountKey),
);
const anyActor: fc.Arbitrary<Actor> = fc.oneof(
  fc.constant<Actor>({ kind: 'anonymous' }),
  fc.record({
    kind: fc.constant('user' as const),
    id: fc.constant('ui_1'),
    accountId: anyAccount,
    grants: fc.array(roleGrant, { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('api_key' as const),
    id: fc.constant('aki_1'),
    accountId: anyAccount,
    grants: fc.array(keyGrant, { maxLength: 4 }),
  }),
);
const inWorkspace: fc.Arbitrary<Extract<Need, { scope: 'workspace' | 'cluster' }>> = fc.oneof(
  fc.record({
    scope: fc.constant('workspace' as const),
    access,
    accountId: anyAccount,
    workspaceId: workspace,
  }),
  fc.record({
    scope: fc.constant('cluster' as const),
    access,
    accountId: anyAccount,
    workspaceId: workspace,
    clusterId: fc.constantFrom(...clusterIds),
  }),
);
const anyNeed = fc.oneof(
  inWorkspace,
  fc.record({ scope: fc.constant('account' as const), access, accountId: anyAccount }),
);

test('permissions: without a grant for a workspace nothing in it is allowed', () => {
  fc.assert(
    fc.property(anyActor, inWorkspace, (actor, need) => {
      const grants: readonly { workspaceId: string }[] = actor.kind === 'anonymous' ? [] : actor.grants;
      const isAboutIt = grants.some(({ workspaceId }) => ['*', need.workspaceId].includes(workspaceId));
      const isOfAnAgent = actor.kind === 'api_key' && need.scope === 'cluster';
      const isOfItsAgent =
        isOfAnAgent && actor.grants.some(({ resourceId }) => resourceId === need.clusterId);
      if (!isAboutIt && !isOfItsAgent) assert.equal(isAllowed(actor, need), false);
    }),
  );
});

test('permissions: nothing of another account is allowed, not even to read permissions there', () => {
  fc.assert(
    fc.property(anyActor, anyNeed, keyGrant, (actor, need, grant) => {
      if (actor.kind !== 'anonymous' && actor.accountId === need.accountId) return;
      assert.equal(isAllowed(actor, need), false);
      assert.equal(mayManageKey(actor, need.accountId, grant), false);
      assert.equal(mayConnectAgents(actor, need.accountId, 'vci_1'), false);
      assert.equal(grantIn(actor, need.accountId, 'wi_a'), undefined);
    }),
  );
});

test('permissions: a read-only actor never writes, creates no keys and connects no agents', () => {
  fc.assert(
    fc.property(anyActor, anyNeed, keyGrant, (actor, need, grant) => {
      const readsOnly =
        actor.kind === 'anonymous' ||
        (actor.kind === 'user'
          ? actor.grants.every(({ managedGrantName }) => managedGrantName !== 'admin')
          : actor.grants.every(({ principalKind }) => principalKind.endsWith('_r')));
      if (!readsOnly) return;
      assert.equal(isAllowed(actor, { ...need, access: 'write' } as Need), false);
      assert.equal(mayManageKey(actor, need.accountId, grant), false);
      assert.equal(mayConnectAgents(actor, need.accountId, 'vci_1'), false);
    }),
  );
});

test('permissions: an actor that may write may read records, and one that reads records the rest', () => {
  fc.assert(
    fc.property(anyActor, anyNeed, (actor, need) => {
      const may = (access: Access) => isAllowed(actor, { ...need, access } as Need);
      if (may('write')) assert.equal(may('records'), true);
      if (may('records')) assert.equal(may('read'), true);
    }),
  );
});

test('permissions: an additional grant never removes a permission', () => {
  fc.assert(
    fc.property(fc.array(roleGrant, { maxLength: 3 }), roleGrant, anyNeed, (grants, more, need) => {
      if (isAllowed(user(...grants), need)) assert.equal(isAllowed(user(...grants, more), need), true);
    }),
  );
});

test('permissions: a key permits no more than its creator, unless an account key created it', () => {
  fc.assert(
    fc.property(anyActor, keyGrant, anyNeed, (maker, grant, need) => {
      if (maker.kind === 'anonymous' || !mayManageKey(maker, maker.accountId, grant)) return;
      const isByAccountKey =
        maker.kind === 'api_key' && maker.grants.some(({ principalKind }) => principalKind === '*');
      if (isByAccountKey) return;
      const made: Actor = { kind: 'api_key', id: 'aki_2', accountId: maker.accountId, grants: [grant] };
      // An agent key is created for a cluster in its workspace.
      if (need.scope === 'cluster' && need.workspaceId !== grant.workspaceId) return;
      if (isAllowed(made, need)) assert.equal(isAllowed(maker, need), true);
    }),
  );
});
