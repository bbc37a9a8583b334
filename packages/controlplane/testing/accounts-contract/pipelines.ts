import assert from 'node:assert/strict';
import { apiLimits } from '@weir/api/limits';
import type { PipelineChange, PipelinePlace } from '../../src/accounts/workspaces/pipelines.ts';
import { cluster, dayMs, type First, outcomes, refused, type Scene, type Stage } from './stage.ts';

async function makeCluster({ virtualClusters }: Scene, { accountId, workspaceId }: First) {
  return virtualClusters.create(accountId, workspaceId, cluster);
}

export function pipelinesContract({ inhabited }: Stage): void {
  inhabited('a pipeline is made paused, configured, deployed, and taken back', async (scene, first) => {
    const { pipelines, deps } = scene;
    const { accountId } = first;
    const { id: clusterId } = await makeCluster(scene, first);
    const made = await pipelines.create(accountId, clusterId, 'clean orders', 'bento');
    assert.match(made.id, /^pi_[0-9a-f]{8}_/);
    assert.deepEqual(made, {
      id: made.id,
      clusterId,
      name: 'clean orders',
      type: 'bento',
      state: 'paused',
      deployed: undefined,
      createdMs: deps.clock.nowMs(),
    });
    const place: PipelinePlace = { accountId, clusterId, pipelineId: made.id };
    assert.deepEqual(await pipelines.get(place), made);
    assert.deepEqual(await pipelines.configurations(place), []);

    const parts = [{ name: 'globals', yaml: 'a: 1' }];
    const one = await pipelines.addConfiguration(place, { yaml: 'input: {}\n# ü\n' });
    const two = await pipelines.addConfiguration(place, { yaml: 'a: 1', parts });
    assert.match(one.id, /^pci_[0-9a-f]{8}_/);
    assert.deepEqual([one.version, two.version], [1, 2]);
    assert.deepEqual(await pipelines.configurations(place), [one, two]);
    assert.deepEqual([one.yaml, one.parts, two.parts], ['input: {}\n# ü\n', undefined, parts]);
    assert.equal((await pipelines.get(place)).deployed, undefined, 'a stored configuration is not deployed');

    const step = async (change: PipelineChange) => {
      await pipelines.change(place, change);
      const { state, deployed } = await pipelines.get(place);
      return [state, deployed?.version];
    };
    await refused(step({ state: 'running' }), 'conflict');
    assert.deepEqual(await step({ state: 'paused' }), ['paused', undefined]);
    assert.deepEqual(await step({ deployedConfigurationId: two.id }), ['paused', 2]);
    assert.deepEqual(await step({ state: 'running' }), ['running', 2]);
    assert.deepEqual(await step({ deployedConfigurationId: one.id }), ['running', 1]);
    const missing = 'pci_00000000_0000_4000_8000_000000000000';
    await refused(step({ state: 'paused', deployedConfigurationId: missing }), 'not_found');
    assert.deepEqual(await step({}), ['running', 1], 'a refused change has no effect');
    assert.deepEqual(await step({ state: 'paused', deployedConfigurationId: two.id }), ['paused', 2]);

    await pipelines.delete(place);
    await refused(pipelines.get(place), 'not_found');
    await refused(pipelines.configurations(place), 'not_found');
    await refused(pipelines.delete(place), 'not_found');
    const again = await pipelines.create(accountId, clusterId, 'clean orders', 'bento');
    assert.deepEqual(await pipelines.configurations({ ...place, pipelineId: again.id }), []);
  });

  inhabited('names are unique in a cluster, types fit it, and some are there once', async (scene, first) => {
    const { pipelines, virtualClusters } = scene;
    const { accountId, workspaceId } = first;
    const make = async (type: 'byoc' | 'byoc_schema_registry' | 'byoc_data_lake') =>
      (await virtualClusters.create(accountId, workspaceId, { ...cluster, type })).id;
    const [kafka, registry, lake] = [
      await make('byoc'),
      await make('byoc_schema_registry'),
      await make('byoc_data_lake'),
    ];
    // biome-ignore format: a table
    const attempts = [
      [kafka,    'b',  'bento',          'ok'],
      [kafka,    'b',  'bento',          'duplicate_name'],
      [kafka,    'b',  'orbit',          'duplicate_name'],
      [kafka,    'a',  'bento',          'ok'],
      [kafka,    'o',  'orbit',          'ok'],
      [kafka,    'o2', 'orbit',          'limit_exceeded'],
      [kafka,    's',  'schema_linking', 'unsupported_cluster_type'],
      [kafka,    'd',  'data_lake',      'unsupported_cluster_type'],
      [registry, 'b',  'schema_linking', 'ok'],
      [registry, 's2', 'schema_linking', 'limit_exceeded'],
      [registry, 'x',  'bento',          'unsupported_cluster_type'],
      [lake,     'b',  'data_lake',      'ok'],
      [lake,     'd2', 'data_lake',      'ok'],
      [lake,     'o',  'orbit',          'unsupported_cluster_type'],
      [kafka,    '',   'bento',          'invalid_request'],
      [kafka,    ' a', 'bento',          'invalid_request'],
      [kafka,    'a/', 'bento',          'invalid_request'],
    ] as const;
    const found: string[] = [];
    for (const [clusterId, name, type] of attempts)
      found.push(...(await outcomes([pipelines.create(accountId, clusterId, name, type)])));
    assert.deepEqual(
      found,
      attempts.map(([, , , outcome]) => outcome),
    );
    assert.deepEqual(
      (await pipelines.list(accountId, kafka)).map(({ name, type }) => [name, type]),
      [
        ['a', 'bento'],
        ['b', 'bento'],
        ['o', 'orbit'],
      ],
    );
  });

  inhabited('of many that are made at once, one orbit pipeline is there', async (scene, first) => {
    const { id: clusterId } = await makeCluster(scene, first);
    const other = await scene.another();
    const works = ['a', 'b', 'c', 'd'].map((name, n) =>
      (n % 2 === 0 ? scene : other).pipelines.create(first.accountId, clusterId, name, 'orbit'),
    );
    assert.deepEqual((await outcomes(works)).sort(), [...Array(3).fill('limit_exceeded'), 'ok']);
  });

  inhabited('old configurations give way, the deployed one never does', async (scene, first) => {
    const { pipelines } = scene;
    const { accountId } = first;
    const { id: clusterId } = await makeCluster(scene, first);
    const { id: pipelineId } = await pipelines.create(accountId, clusterId, 'busy', 'bento');
    const place = { accountId, clusterId, pipelineId };
    const versions = async () => (await pipelines.configurations(place)).map(({ version }) => version);
    const storedMax = apiLimits.pipelineConfigurationsMax;
    const add = () => pipelines.addConfiguration(place, { yaml: 'input: {}' });
    const deployed = await add();
    await pipelines.change(place, { deployedConfigurationId: deployed.id });
    for (let n = 0; n < storedMax + 2; n++) await add();
    const last = storedMax + 3;
    const lastOnes = Array.from({ length: storedMax }, (_, n) => last - storedMax + 1 + n);
    assert.deepEqual(await versions(), [1, ...lastOnes]);
    const newest = (await pipelines.configurations(place)).at(-1)!;
    await pipelines.change(place, { deployedConfigurationId: newest.id });
    await add();
    assert.deepEqual(await versions(), [...lastOnes.slice(1), last + 1]);
    await refused(pipelines.change(place, { deployedConfigurationId: deployed.id }), 'not_found');
  });

  inhabited('a cluster has at most so many', async (scene, first) => {
    const { pipelines } = scene;
    const { id: clusterId } = await makeCluster(scene, first);
    for (let n = 0; n < apiLimits.pipelinesPerClusterMax; n++)
      await pipelines.create(first.accountId, clusterId, `p${n}`, 'bento');
    await refused(pipelines.create(first.accountId, clusterId, 'more', 'bento'), 'limit_exceeded');
  });

  inhabited('pipelines of others are not found, nor through another cluster', async (scene, first) => {
    const { pipelines, virtualClusters, accounts } = scene;
    const { accountId, workspaceId } = first;
    const { id: clusterId } = await makeCluster(scene, first);
    const beside = await virtualClusters.create(accountId, workspaceId, { ...cluster, name: 'beside' });
    const { id: pipelineId } = await pipelines.create(accountId, clusterId, 'mine', 'bento');
    const place = { accountId, clusterId, pipelineId };
    const { id: configurationId } = await pipelines.addConfiguration(place, { yaml: 'input: {}' });
    const sibling = await pipelines.create(accountId, clusterId, 'sibling', 'bento');
    const { account } = await accounts.create('Eve');
    const deploy = { deployedConfigurationId: configurationId };
    const strangers = [
      { ...place, accountId: account.id },
      { ...place, clusterId: beside.id },
      { ...place, clusterId: 'vci_missing' },
    ];
    for (const stranger of strangers) {
      const found = await outcomes([
        pipelines.get(stranger),
        pipelines.configurations(stranger),
        pipelines.addConfiguration(stranger, { yaml: '' }),
        pipelines.change(stranger, { state: 'paused' }),
        pipelines.change(stranger, deploy),
        pipelines.delete(stranger),
      ]);
      assert.deepEqual(found, Array(6).fill('not_found'));
    }
    await refused(pipelines.change({ ...place, pipelineId: sibling.id }, deploy), 'not_found');
    await refused(pipelines.create(account.id, clusterId, 'eve', 'bento'), 'not_found');
    assert.deepEqual(await pipelines.list(account.id, clusterId), []);
    assert.equal((await pipelines.configurations(place)).length, 1);
  });

  inhabited('pipelines go when their cluster is gone for good, and not before', async (scene, first) => {
    const { pipelines, virtualClusters, deps } = scene;
    const { accountId } = first;
    const { id: clusterId } = await makeCluster(scene, first);
    const { id: pipelineId } = await pipelines.create(accountId, clusterId, 'mine', 'bento');
    const place = { accountId, clusterId, pipelineId };
    await pipelines.addConfiguration(place, { yaml: 'input: {}' });
    await virtualClusters.delete(accountId, clusterId);
    await refused(pipelines.create(accountId, clusterId, 'late', 'bento'), 'not_found');
    await virtualClusters.restore(accountId, clusterId);
    assert.equal((await pipelines.configurations(place)).length, 1);
    await virtualClusters.delete(accountId, clusterId);
    deps.clock.advance(30 * dayMs);
    const [forgotten] = await virtualClusters.listForgotten();
    await virtualClusters.forget(forgotten!);
    await refused(pipelines.get(place), 'not_found');
    assert.deepEqual(await pipelines.list(accountId, clusterId), []);
  });
}
