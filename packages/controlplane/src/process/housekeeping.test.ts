import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { openAccounts } from '../accounts/open.ts';
import { restorableMs } from '../accounts/workspaces/virtual-clusters.ts';
import { Housekeeping } from './housekeeping.ts';

test('clusters that cannot be restored lose their data, and then their name', async (t) => {
  const deps = accountsDeps();
  const { clock } = deps;
  const accounts = await openAccounts(`memory://${randomUUID()}`, deps);
  t.after(() => accounts.close());
  const { account, workspaceId } = await accounts.accounts.create('Example');
  const make = (name: string) =>
    accounts.virtualClusters.create(account.id, workspaceId, {
      name,
      type: 'byoc',
      tier: 'pro',
      cloudProvider: 'aws',
      place: { region: 'us-east-1' },
    });
  const [old, late] = [await make('old'), await make('late')];
  await accounts.virtualClusters.delete(account.id, old.id);
  clock.advance(restorableMs / 2);
  await accounts.virtualClusters.delete(account.id, late.id);
  clock.advance(restorableMs / 2);

  const removed: string[] = [];
  let fails = true;
  const housekeeping = new Housekeeping({
    accounts,
    removeCluster: async ({ id }) => {
      if (fails) throw new Error('the database is away');
      removed.push(id);
    },
    clock,
    log: silentLog,
  });
  await housekeeping.tidy();
  assert.equal(
    (await accounts.virtualClusters.listForgotten()).length,
    1,
    'a cluster that could not be removed stays on the list',
  );
  fails = false;
  await housekeeping.tidy();
  assert.deepEqual(removed, [old.id]);
  assert.deepEqual(await accounts.virtualClusters.listForgotten(), []);
  const restorable = await accounts.virtualClusters.listDeleted(account.id);
  assert.deepEqual(
    restorable.map(({ id }) => id),
    [late.id],
  );
});
