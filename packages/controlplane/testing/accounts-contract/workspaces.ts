import assert from 'node:assert/strict';
import { cluster, outcomes, refused, type Stage } from './stage.ts';

export function workspacesContract({ inhabited }: Stage): void {
  inhabited(
    'workspaces have names, and go when they are empty',
    async (scene, { accountId, workspaceId }) => {
      const { workspaces, virtualClusters, deps } = scene;
      deps.clock.advance(1);
      const shop = await workspaces.create(accountId, 'Shop');
      await refused(workspaces.create(accountId, 'Shop'), 'duplicate_name');
      await refused(workspaces.rename(accountId, shop.id, 'Default'), 'duplicate_name');
      await workspaces.rename(accountId, shop.id, 'Shop');
      await workspaces.rename(accountId, shop.id, 'Shop 2');
      assert.deepEqual(await workspaces.get(accountId, shop.id), { ...shop, name: 'Shop 2' });
      // biome-ignore format: a table
      const names: [name: string, isOne: boolean][] = [
      ['abc', true], ['A b_c-1', true], ['x'.repeat(128), true],
      ['ab', false], ['x'.repeat(129), false], ['a.b', false], ['größe', false], ['abc\n', false],
    ];
      for (const [name, isOne] of names) {
        const making = workspaces.create(accountId, name);
        if (isOne) await making;
        else await refused(making, 'invalid_request');
      }

      const { id } = await virtualClusters.create(accountId, shop.id, cluster);
      await refused(workspaces.delete(accountId, shop.id), 'workspace_not_empty');
      await virtualClusters.delete(accountId, id);
      await workspaces.delete(accountId, shop.id);
      await refused(workspaces.delete(accountId, shop.id), 'not_found');
      await refused(workspaces.rename(accountId, shop.id, 'Gone'), 'not_found');
      await refused(virtualClusters.create(accountId, shop.id, cluster), 'not_found');
      await refused(virtualClusters.restore(accountId, id), 'not_found');
      await workspaces.create(accountId, 'Shop 2');
      assert.equal((await workspaces.list(accountId))[0]!.id, workspaceId);
    },
  );

  inhabited('a workspace is not deleted while a cluster is made in it', async (scene, { accountId }) => {
    const { workspaces, virtualClusters, another } = scene;
    const other = await another();
    for (let round = 0; round < 8; round++) {
      const { id } = await workspaces.create(accountId, `Round ${round}`);
      const found = await outcomes([
        workspaces.delete(accountId, id),
        other.virtualClusters.create(accountId, id, cluster),
      ]);
      assert.ok(['ok not_found', 'workspace_not_empty ok'].includes(found.join(' ')), found.join(' '));
      const isThere = (await workspaces.get(accountId, id)) !== undefined;
      assert.equal((await virtualClusters.list(accountId, id)).length, isThere ? 1 : 0);
    }
  });
}
