import assert from 'node:assert/strict';
import { openDatabase } from '../../src/accounts/database/open-database.ts';
import { agentGrant, appGrant, cluster, note, outcomes, password, proof, type Stage } from './stage.ts';

/** Isolation between accounts. */
export function bordersContract({ inhabited }: Stage): void {
  inhabited(
    'nothing of another account is found or changed',
    async (scene, { accountId, workspaceId, userId }) => {
      const { users, roles, invitations, workspaces, keys, virtualClusters, accounts, auditLog } = scene;
      const [role] = await roles.list(accountId);
      const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, cluster);
      const deleted = await virtualClusters.create(accountId, workspaceId, { ...cluster, name: 'deleted' });
      await virtualClusters.delete(accountId, deleted.id);
      const grants = [appGrant(workspaceId)];
      const { key } = await keys.create(accountId, { name: 'key', grants, createdBy: userId });
      const [invited] = await invitations.create(accountId, [{ email: 'x@y.z', roleId: role!.id }], userId);
      const { account } = await accounts.create('Eve');
      const eve = account.id;
      const attempts: Record<string, Promise<unknown>> = {
        'delete a user': users.delete(eve, userId),
        'rename a user': users.rename(eve, userId, 'x'),
        'set a password': users.setPassword(eve, userId, password),
        'link an identity': users.linkIdentity(eve, userId, { issuer: 'i', subject: 's' }),
        'update a role': roles.update(eve, role!.id, 'xyz', []),
        'delete a role': roles.delete(eve, role!.id),
        'give a role': users.create(eve, { email: 'e@e.e', name: '', proof, roleIds: [role!.id] }),
        'give a role to a user': roles.changeOfUser(eve, userId, { assigned: [role!.id] }),
        'invite to a role': invitations.create(eve, [{ email: 'e@e.e', roleId: role!.id }], userId),
        'revoke an invitation': invitations.revoke(eve, invited!.invitation.id),
        'rename a workspace': workspaces.rename(eve, workspaceId, 'xyz'),
        'delete a workspace': workspaces.delete(eve, workspaceId),
        'make a cluster': virtualClusters.create(eve, workspaceId, { ...cluster, name: 'mine' }),
        'change a cluster': virtualClusters.change(eve, clusterId, { tier: 'dev' }),
        'delete a cluster': virtualClusters.delete(eve, clusterId),
        'restore a cluster': virtualClusters.restore(eve, deleted.id),
        'revoke a key': keys.revoke(eve, key.id),
        'make a key': keys.create(eve, { name: 'key', grants, createdBy: userId }),
        'make an agent key': keys.create(eve, {
          name: 'key',
          grants: [agentGrant(clusterId)],
          createdBy: userId,
        }),
      };
      const found = await outcomes(Object.values(attempts));
      assert.deepEqual(
        Object.keys(attempts).map((what, n) => `${what}: ${found[n]}`),
        Object.keys(attempts).map((what) => `${what}: not_found`),
      );
      assert.equal(await users.get(eve, userId), undefined);
      assert.equal(await workspaces.get(eve, workspaceId), undefined);
      assert.equal(await virtualClusters.get(eve, clusterId), undefined);
      assert.equal(await keys.get(eve, key.id), undefined);
      await auditLog.append([{ ...note, accountId }]);
      assert.deepEqual(
        [
          await users.list(eve),
          await invitations.list(eve),
          await keys.list(eve),
          await virtualClusters.list(eve),
          await virtualClusters.listDeleted(eve),
          (await auditLog.search({ accountId: eve })).entries,
        ],
        Array(6).fill([]),
      );
    },
  );

  inhabited('no secret is stored as it is', async (scene, { accountId, workspaceId, userId }) => {
    const { sessions, keys, invitations, roles, url, deps } = scene;
    const [role] = await roles.list(accountId);
    const grants = [appGrant(workspaceId)];
    const { secret } = await keys.create(accountId, { name: 'key', grants, createdBy: userId });
    const [invited] = await invitations.create(accountId, [{ email: 'x@y.z', roleId: role!.id }], userId);
    const { token } = await sessions.begin({ userId, remoteAddress: '', userAgent: '' });
    const { database, close } = await openDatabase(url, deps);
    const stored = JSON.stringify([
      await database.selectFrom('weir_users').selectAll().execute(),
      await database.selectFrom('weir_api_keys').selectAll().execute(),
      await database.selectFrom('weir_invitations').selectAll().execute(),
      await database.selectFrom('weir_sessions').selectAll().execute(),
    ]);
    await close();
    for (const shown of [password, secret, secret.slice(4), token, invited!.token])
      assert.equal(stored.includes(shown), false);
  });
}
