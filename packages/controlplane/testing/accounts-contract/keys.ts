import assert from 'node:assert/strict';
import type { ErrorCode } from '@weir/api';
import type { KeyGrant } from '../../src/accounts/access/grants.ts';
import { controlPlaneLimits } from '../../src/limits.ts';
import { agentGrant, appGrant, cluster, dayMs, refused, type Stage } from './stage.ts';

export function keysContract({ inhabited }: Stage): void {
  inhabited('a key has a name and grants', async (scene, { accountId, workspaceId, userId }) => {
    const { keys, virtualClusters, accounts } = scene;
    const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, cluster);
    const foreign = await accounts.create('Foreign');
    const all = { resourceKind: '*', resourceId: '*', workspaceId: '*' } as const;
    // biome-ignore format: a table
    const grants: [grants: KeyGrant[], becomes: string][] = [
      [[appGrant(workspaceId)],                                                       'application'],
      [[{ ...appGrant(workspaceId), principalKind: 'app_r' }],                        'application read-only'],
      [[agentGrant(clusterId)],                                                       'agent'],
      [[{ ...agentGrant(clusterId), principalKind: 'agent_r' }],                      'agent read-only'],
      [[{ ...all, principalKind: '*' }],                                              'account'],
      [[],                                                                            'invalid_request'],
      [[appGrant(workspaceId), agentGrant(clusterId)],                                'invalid_request'],
      [[appGrant(workspaceId), { ...appGrant(workspaceId), principalKind: 'app_r' }], 'invalid_request'],
      [[{ ...appGrant(workspaceId), resourceId: clusterId }],                         'invalid_request'],
      [[{ ...agentGrant(clusterId), resourceKind: '*' }],                             'invalid_request'],
      [[{ ...all, principalKind: '*', workspaceId }],                                 'invalid_request'],
      [[{ ...all, principalKind: 'app' }],                                            'not_found'],
      [[appGrant(foreign.workspaceId)],                                               'not_found'],
      [[agentGrant('vci_unknown')],                                                   'not_found'],
    ];
    for (const [n, [list, becomes]] of grants.entries()) {
      const making = keys.create(accountId, { name: `key_${n}`, grants: list, createdBy: userId });
      if (becomes.includes('_')) {
        await refused(making, becomes as ErrorCode);
        continue;
      }
      const { key, secret } = await making;
      assert.equal(`${key.kind}${key.isReadOnly ? ' read-only' : ''}`, becomes);
      assert.match(secret, /^aks_[0-9a-f]{64}$/);
      assert.equal(key.secretTail, secret.slice(-4));
      assert.equal(key.name, `akn_key_${n}`);
      assert.deepEqual(await keys.get(accountId, key.id), key);
      assert.equal(key.grants[0]!.workspaceId, key.kind === 'account' ? '*' : workspaceId);
    }
    assert.equal((await keys.list(accountId)).length, 5);

    const again = (name: string) =>
      keys.create(accountId, { name, grants: [appGrant(workspaceId)], createdBy: userId });
    await refused(again('key_0'), 'duplicate_api_key_name');
    await refused(again('akn_key_0'), 'duplicate_api_key_name');
    for (const name of ['', 'a-b', 'a b', 'akn_', 'x'.repeat(129)])
      await refused(again(name), 'invalid_request');
    const elsewhere = { name: 'key_0', grants: [appGrant(foreign.workspaceId)], createdBy: userId };
    await keys.create(foreign.account.id, elsewhere);
  });

  inhabited('keys that are revoked while they are listed are there or not', async (scene, first) => {
    const { keys } = scene;
    const { accountId, workspaceId, userId } = first;
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        keys.create(accountId, { name: `key_${n}`, grants: [appGrant(workspaceId)], createdBy: userId }),
      ),
    );
    const [lists] = await Promise.all([
      Promise.all(made.flatMap(({ key }) => [keys.list(accountId), keys.get(accountId, key.id)])),
      Promise.all(made.map(({ key }) => keys.revoke(accountId, key.id))),
    ]);
    for (const key of lists.flat()) if (key !== undefined) assert.ok(key.grants.length > 0, key.name);
    assert.deepEqual(await keys.list(accountId), []);
  });

  inhabited('keys that a key has made to read go with it, and others stay', async (scene, first) => {
    const { keys, virtualClusters } = scene;
    const { accountId, workspaceId, userId } = first;
    const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, cluster);
    const reading = { ...appGrant(workspaceId), principalKind: 'app_r' } as const;
    const ofAccount = { principalKind: '*', resourceKind: '*', resourceId: '*', workspaceId: '*' } as const;
    const make = async (name: string, grant: KeyGrant, createdBy: string, boundTo?: string) =>
      (await keys.create(accountId, { name, grants: [grant], createdBy, boundTo })).key;
    const account = await make('account', ofAccount, userId);
    const app = await make('app', appGrant(workspaceId), account.id);
    const other = await make('other', appGrant(workspaceId), userId);
    const names = async () => (await keys.list(accountId)).map(({ name }) => name.slice(4)).sort();
    await make('made', reading, app.id, app.id);
    await make('made_too', reading, app.id, app.id);
    await make('made_by_other', reading, other.id, other.id);
    await make('made_by_user', reading, userId);
    await make('made_by_account', reading, account.id);
    await make('agent', agentGrant(clusterId), app.id);
    const stay = ['agent', 'made_by_account', 'made_by_other', 'made_by_user', 'other'];
    await keys.revoke(accountId, app.id);
    assert.deepEqual(await names(), ['account', ...stay].sort());
    // A call of the key that was in flight creates nothing that would outlive it.
    await refused(make('late', reading, app.id, app.id), 'forbidden');
    await keys.revoke(accountId, account.id);
    assert.deepEqual(await names(), stay);
  });

  inhabited('an application key makes only so many keys', async (scene, first) => {
    const { keys } = scene;
    const { accountId, workspaceId, userId } = first;
    const reading = { ...appGrant(workspaceId), principalKind: 'app_r' } as const;
    const { key: maker } = await keys.create(accountId, {
      name: 'maker',
      grants: [appGrant(workspaceId)],
      createdBy: userId,
    });
    const make = (n: number) =>
      keys.create(accountId, {
        name: `made_${n}`,
        grants: [reading],
        createdBy: maker.id,
        boundTo: maker.id,
      });
    for (let n = 0; n < controlPlaneLimits.keysPerKeyMax; n++) await make(n);
    await refused(make(controlPlaneLimits.keysPerKeyMax), 'limit_exceeded');
    const made = (await keys.list(accountId)).find(({ createdBy }) => createdBy === maker.id)!;
    await keys.revoke(accountId, made.id);
    await make(controlPlaneLimits.keysPerKeyMax);
  });

  inhabited('a key opens until it is revoked, and a second later nowhere', async (scene, first) => {
    const { keys, keyVerifier, deps, another } = scene;
    const { accountId, workspaceId, userId } = first;
    const make = (name: string) =>
      keys.create(accountId, { name, grants: [appGrant(workspaceId)], createdBy: userId });
    const [valid, revoked] = [await make('valid'), await make('revoked')];
    const elsewhere = (await another()).keyVerifier;
    for (const verifier of [keyVerifier, elsewhere])
      for (const { key, secret } of [valid, revoked])
        assert.deepEqual({ ...(await verifier.verify(secret)), lastUsedMs: undefined }, key);
    for (const wrong of [
      '',
      valid.key.name,
      valid.secret.toUpperCase(),
      `aks_${'0'.repeat(64)}`,
      `${valid.secret} `,
    ])
      assert.equal(await keyVerifier.verify(wrong), undefined);

    await keys.revoke(accountId, revoked.key.id);
    await refused(keys.revoke(accountId, revoked.key.id), 'not_found');
    deps.clock.advance(1_001);
    for (const verifier of [keyVerifier, elsewhere]) {
      assert.equal(await verifier.verify(revoked.secret), undefined);
      assert.equal((await verifier.verify(valid.secret))?.id, valid.key.id);
    }
    await make('revoked');
  });

  inhabited('the use of a key is noted to the minute', async (scene, { accountId, workspaceId, userId }) => {
    const { keys, keyVerifier, deps } = scene;
    const grants = [appGrant(workspaceId)];
    const { key, secret } = await keys.create(accountId, { name: 'used', grants, createdBy: userId });
    const notedMs = async () => {
      await keyVerifier.close();
      return (await keys.get(accountId, key.id))?.lastUsedMs;
    };
    const firstMs = deps.clock.nowMs();
    assert.equal(await notedMs(), undefined);
    await keyVerifier.verify(secret);
    assert.equal(await notedMs(), firstMs);
    deps.clock.advance(59_999);
    await keyVerifier.verify(secret);
    assert.equal(await notedMs(), firstMs);
    deps.clock.advance(1);
    await keyVerifier.verify(secret);
    assert.equal(await notedMs(), firstMs + 60_000);
  });

  inhabited('keys go with their workspace, and with their cluster for good', async (scene, first) => {
    const { keys, keyVerifier, workspaces, virtualClusters, deps } = scene;
    const { accountId, workspaceId, userId: createdBy } = first;
    const { id: shop } = await workspaces.create(accountId, 'Shop');
    const both = { name: 'both', grants: [appGrant(workspaceId), appGrant(shop)], createdBy };
    const [twice, once] = [
      await keys.create(accountId, both),
      await keys.create(accountId, { name: 'once', grants: [appGrant(shop)], createdBy }),
    ];
    assert.equal((await keyVerifier.verify(twice.secret))?.grants.length, 2);
    await workspaces.delete(accountId, shop);
    deps.clock.advance(1_001);
    assert.equal(await keyVerifier.verify(once.secret), undefined);
    assert.deepEqual((await keyVerifier.verify(twice.secret))?.grants, [appGrant(workspaceId)]);

    const made = await virtualClusters.create(accountId, workspaceId, cluster);
    const agent = await keys.create(accountId, { name: 'agent', grants: [agentGrant(made.id)], createdBy });
    await virtualClusters.delete(accountId, made.id);
    assert.deepEqual(await virtualClusters.listForgotten(), []);
    await virtualClusters.forget(made);
    assert.equal((await virtualClusters.listDeleted(accountId)).length, 1);
    deps.clock.advance(30 * dayMs);
    const forgotten = await virtualClusters.listForgotten();
    assert.deepEqual(
      forgotten.map(({ id }) => id),
      [made.id],
    );
    assert.notEqual(await keyVerifier.verify(agent.secret), undefined);
    await virtualClusters.forget(forgotten[0]!);
    deps.clock.advance(1_001);
    assert.equal(await keyVerifier.verify(agent.secret), undefined);
    assert.deepEqual(await virtualClusters.listForgotten(), []);
  });
}
