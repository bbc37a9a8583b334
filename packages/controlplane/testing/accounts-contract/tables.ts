import assert from 'node:assert/strict';
import { coreLimits } from '@weir/core';
import type { ConfiguredTable } from '../../src/accounts/workspaces/tables.ts';
import { cluster, type First, outcomes, refused, type Scene, type Stage } from './stage.ts';

async function lakeOf({ virtualClusters }: Scene, { accountId, workspaceId }: First) {
  const given = { ...cluster, type: 'byoc_data_lake' } as const;
  const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, given);
  return { accountId, clusterId };
}

const tableOf = (topic: string, pipelineId = 'pi_1', bucketUrl?: string): ConfiguredTable => {
  return { pipelineId, name: `k__${topic}`, sourceCluster: 'k', topic, bucketUrl };
};

export function tablesContract({ inhabited }: Stage): void {
  inhabited('tables are made when a configuration names them, and keep their ids', async (scene, first) => {
    const { tables, deps } = scene;
    const place = await lakeOf(scene, first);
    assert.deepEqual(await tables.list(place), []);
    assert.deepEqual(await tables.ensure(place, []), []);
    const made = await tables.ensure(place, [tableOf('b', 'pi_1', 's3://other?region=eu'), tableOf('a')]);
    assert.match(made[0]!.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    const { uuid } = made[1]!;
    assert.deepEqual(made[1], { ...tableOf('a'), uuid, createdMs: deps.clock.nowMs() });
    deps.clock.advance(1_000);
    assert.deepEqual(
      await tables.ensure(place, [tableOf('b', 'pi_1', 's3://other?region=eu'), tableOf('a')]),
      made,
    );
    assert.deepEqual(
      (await tables.list(place)).map(({ name, bucketUrl }) => [name, bucketUrl]),
      [
        ['k__a', undefined],
        ['k__b', 's3://other?region=eu'],
      ],
    );
    // A configuration without a table leaves it as it is.
    const [only] = await tables.ensure(place, [tableOf('b', 'pi_1', 's3://new')]);
    assert.deepEqual(only, { ...made[0], bucketUrl: 's3://new' });
    assert.deepEqual(await tables.get(place, made[0]!.uuid), only);
    assert.deepEqual(await tables.getByName(place, 'k__a'), made[1]);
    await refused(tables.getByName(place, 'k__c'), 'not_found');
  });

  inhabited('of pipelines that name the same table, the one that has it keeps it', async (scene, first) => {
    const { tables } = scene;
    const place = await lakeOf(scene, first);
    const ownerOf = async (...pipelineIds: string[]) =>
      (
        await tables.ensure(
          place,
          pipelineIds.map((id) => tableOf('a', id)),
        )
      ).map((one) => one.pipelineId);
    assert.deepEqual(await ownerOf('pi_2', 'pi_1'), ['pi_2']);
    assert.deepEqual(await ownerOf('pi_1', 'pi_2'), ['pi_2']);
    assert.deepEqual(await ownerOf('pi_1'), ['pi_1'], 'the other one does not name it any more');
    assert.deepEqual(await ownerOf('pi_1', 'pi_2'), ['pi_1']);
    const alike = { ...tableOf('a__b'), name: 'k__a__b' };
    const other = { ...alike, sourceCluster: 'k__a', topic: 'b' };
    assert.equal((await tables.ensure(place, [alike, other])).length, 1);
    assert.deepEqual(await tables.ensure(place, [other]), [], 'the name is that of another topic');
  });

  inhabited('a deleted table is made again with another id, until it is forgotten', async (scene, first) => {
    const { tables, deps } = scene;
    const place = await lakeOf(scene, first);
    const [one] = await tables.ensure(place, [tableOf('a')]);
    deps.clock.advance(5);
    await tables.delete(place, one!.uuid);
    await refused(tables.get(place, one!.uuid), 'not_found');
    await refused(tables.delete(place, one!.uuid), 'not_found');
    const deleted = { ...one!, deletedMs: deps.clock.nowMs() };
    assert.deepEqual(await tables.deleted(place), [deleted]);
    const [again] = await tables.ensure(place, [tableOf('a')]);
    assert.notEqual(again!.uuid, one!.uuid);
    await tables.forget(place, again!.uuid);
    assert.deepEqual(await tables.list(place), [again], 'only deleted tables are forgotten');
    await tables.forget({ ...place, accountId: 'ti_x' }, one!.uuid);
    assert.deepEqual(await tables.deleted(place), [deleted]);
    await tables.forget(place, one!.uuid);
    assert.deepEqual(await tables.deleted(place), []);
  });

  inhabited('a replay that was asked for is there until it has ended', async (scene, first) => {
    const { tables, deps } = scene;
    const place = await lakeOf(scene, first);
    const [one] = await tables.ensure(place, [tableOf('a')]);
    const { uuid } = one!;
    const requestedMs = async () => (await tables.get(place, uuid)).replayRequestedMs;
    assert.equal(await requestedMs(), undefined);
    const firstMs = (await tables.requestReplay(place, uuid)).replayRequestedMs!;
    assert.equal(firstMs, deps.clock.nowMs());
    const [ensured] = await tables.ensure(place, [tableOf('a')]);
    assert.equal(ensured!.replayRequestedMs, firstMs);
    const secondMs = (await tables.requestReplay(place, uuid)).replayRequestedMs!;
    assert.ok(secondMs > firstMs, 'another one');
    await tables.endReplay(place, uuid, firstMs);
    assert.equal(await requestedMs(), secondMs, 'the first one has ended, and the second has not');
    await tables.endReplay({ ...place, accountId: 'ti_x' }, uuid, secondMs);
    assert.equal(await requestedMs(), secondMs);
    await tables.endReplay(place, uuid, secondMs);
    assert.equal(await requestedMs(), undefined);
    await refused(tables.requestReplay({ ...place, clusterId: 'vci_dl_other' }, uuid), 'not_found');
    await tables.delete(place, uuid);
    await refused(tables.requestReplay(place, uuid), 'not_found');
  });

  inhabited('processes that look at once make a table once', async (scene, first) => {
    const place = await lakeOf(scene, first);
    const other = await scene.another();
    const works = [0, 1, 2, 3].map((n) => (n % 2 === 0 ? scene : other).tables.ensure(place, [tableOf('a')]));
    assert.deepEqual(await outcomes(works), ['ok', 'ok', 'ok', 'ok']);
    assert.equal(new Set((await Promise.all(works)).map(([table]) => table!.uuid)).size, 1);
  });

  inhabited('tables are bounded, and belong to an account and a cluster', async (scene, first) => {
    const { tables, accounts } = scene;
    const place = await lakeOf(scene, first);
    const { tablesPerClusterMax } = coreLimits;
    const many = Array.from({ length: tablesPerClusterMax + 5 }, (_, n) => tableOf(`t${n}`));
    const made = await tables.ensure(place, many);
    assert.equal(made.length, tablesPerClusterMax);
    assert.equal((await tables.ensure(place, many)).length, tablesPerClusterMax);
    const eve = { ...place, accountId: (await accounts.create('Eve')).account.id };
    assert.deepEqual(await tables.list(eve), []);
    await refused(tables.get(eve, made[0]!.uuid), 'not_found');
    await refused(tables.delete(eve, made[0]!.uuid), 'not_found');
    await refused(tables.ensure(eve, [tableOf('a')]), 'not_found');
    await refused(tables.get({ ...place, clusterId: 'vci_dl_other' }, made[0]!.uuid), 'not_found');
  });
}
