import assert from 'node:assert/strict';
import type { NewVirtualCluster } from '../../src/accounts/workspaces/virtual-clusters.ts';
import { cluster, dayMs, refused, type Stage } from './stage.ts';

/** The registry of clusters. */
export function clustersContract({ inhabited }: Stage): void {
  inhabited('virtual clusters are made, changed, deleted and brought back', async (scene, first) => {
    const { virtualClusters, workspaces, deps } = scene;
    const { accountId, workspaceId } = first;
    const make = (change: Partial<NewVirtualCluster>) =>
      virtualClusters.create(accountId, workspaceId, { ...cluster, ...change });
    const orders = await make({ tags: { team: 'shop' } });
    assert.match(orders.id, /^vci_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}$/);
    const registry = await make({ type: 'byoc_schema_registry', place: { regionGroup: 'eu' } });
    const lake = await make({ type: 'byoc_data_lake', name: 'vcn_dl_lake' });
    assert.deepEqual(
      [registry, lake].map(({ id, name, place }) => [id.slice(0, 7), name, place]),
      [
        ['vci_sr_', 'vcn_sr_orders', { regionGroup: 'eu' }],
        ['vci_dl_', 'vcn_dl_lake', { region: 'us-east-1' }],
      ],
    );
    await refused(make({}), 'duplicate_name');
    await refused(make({ name: 'vcn_orders' }), 'duplicate_name');
    for (const name of ['', 'ab', 'a-b', 'vcn_ab', 'x'.repeat(129)])
      await refused(make({ name }), 'invalid_request');
    const { id: shop } = await workspaces.create(accountId, 'Shop');
    await virtualClusters.create(accountId, shop, { ...cluster, id: 'vci_given' });
    await refused(make({ name: 'given', id: 'vci_given' }), 'conflict');

    const changed = await virtualClusters.change(accountId, orders.id, {
      name: 'purchases',
      tier: 'enterprise',
      tags: { b: '2', a: '1' },
      isDeletionProtected: true,
    });
    assert.deepEqual(changed, {
      ...orders,
      name: 'vcn_purchases',
      tier: 'enterprise',
      tags: { a: '1', b: '2' },
      isDeletionProtected: true,
    });
    assert.deepEqual(await virtualClusters.get(accountId, orders.id), changed);
    await refused(
      virtualClusters.change(accountId, orders.id, {
        tags: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`t${n}`, ''])),
      }),
      'invalid_request',
    );
    await make({});
    await refused(virtualClusters.change(accountId, orders.id, { name: 'orders' }), 'duplicate_name');

    await refused(virtualClusters.delete(accountId, orders.id), 'deletion_protected');
    await virtualClusters.change(accountId, orders.id, { isDeletionProtected: false });
    await virtualClusters.delete(accountId, orders.id);
    await refused(virtualClusters.delete(accountId, orders.id), 'not_found');
    assert.equal(await virtualClusters.find(orders.id), undefined);
    assert.deepEqual(
      (await virtualClusters.listDeleted(accountId)).map(({ id, deletedMs }) => [id, deletedMs]),
      [[orders.id, deps.clock.nowMs()]],
    );
    await make({ name: 'purchases' });
    await refused(virtualClusters.restore(accountId, orders.id), 'duplicate_name');
    assert.equal((await virtualClusters.restore(accountId, orders.id, 'old')).name, 'vcn_old');
    await refused(virtualClusters.restore(accountId, orders.id), 'not_found');
    await virtualClusters.delete(accountId, orders.id);
    deps.clock.advance(30 * dayMs);
    assert.deepEqual(await virtualClusters.listDeleted(accountId), []);
    await refused(virtualClusters.restore(accountId, orders.id), 'not_found');
  });
}
