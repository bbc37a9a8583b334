import assert from 'node:assert/strict';
import { cluster, outcomes, refused, type Stage } from './stage.ts';

const by = 'ada@example.com';

/** Named secrets. */
export function secretsContract({ inhabited }: Stage): void {
  inhabited('a secret is made, rotated, used and deleted', async (scene, { accountId, workspaceId }) => {
    const { secrets, pipelines, virtualClusters, deps } = scene;
    const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, cluster);
    const place = { accountId, clusterId };
    const made = await secrets.create(place, { name: 'pw', value: 'line one\nline ü' }, by);
    assert.match(made.id, /^sci_[0-9a-f]{8}_/);
    const createdMs = deps.clock.nowMs();
    deps.clock.advance(5);
    const changed = await secrets.change(place, 'pw', { value: 'two' }, 'bob@example.com');
    assert.deepEqual(changed, {
      id: made.id,
      name: 'pw',
      version: 2,
      allowsExporters: false,
      createdMs,
      createdBy: by,
      updatedMs: createdMs + 5,
      updatedBy: 'bob@example.com',
    });
    assert.deepEqual(await secrets.list(place), [changed]);
    assert.deepEqual(await secrets.open(place, ['pw', 'other']), { pw: 'two' });

    const { id: pipelineId } = await pipelines.create(accountId, clusterId, 'p', 'bento');
    const pipeline = { ...place, pipelineId };
    const yaml = 'input: {}';
    await refused(
      pipelines.addConfiguration(pipeline, { yaml, secretNames: ['other'] }),
      'invalid_pipeline_configuration',
    );
    const { id } = await pipelines.addConfiguration(pipeline, { yaml, secretNames: ['pw'] });
    assert.deepEqual(await secrets.uses(place), [{ pipelineName: 'p', version: 1, secretNames: ['pw'] }]);
    await pipelines.change(pipeline, { deployedConfigurationId: id });
    const { id: plain } = await pipelines.addConfiguration(pipeline, { yaml });
    await refused(secrets.delete(place, 'pw'), 'secret_in_use');
    await pipelines.change(pipeline, { deployedConfigurationId: plain });
    assert.deepEqual(await secrets.uses(place), []);
    await secrets.delete(place, 'pw');
    await refused(secrets.delete(place, 'pw'), 'not_found');
    await refused(
      pipelines.change(pipeline, { deployedConfigurationId: id }),
      'invalid_pipeline_configuration',
    );
  });

  inhabited('of a deletion and a use at the same time, one succeeds', async (scene, first) => {
    const { accountId, workspaceId } = first;
    const { id: clusterId } = await scene.virtualClusters.create(accountId, workspaceId, cluster);
    const place = { accountId, clusterId };
    const other = await scene.another();
    const { id: pipelineId } = await scene.pipelines.create(accountId, clusterId, 'p', 'bento');
    await scene.secrets.create(place, { name: 'pw', value: 'x' }, by);
    const found = await outcomes([
      scene.secrets.delete(place, 'pw'),
      other.pipelines.addConfiguration({ ...place, pipelineId }, { yaml: 'a: 1', secretNames: ['pw'] }),
    ]);
    const isDeleted = found[0] === 'ok';
    assert.deepEqual(found, isDeleted ? ['ok', 'invalid_pipeline_configuration'] : ['secret_in_use', 'ok']);
    const works = ['a', 'a', 'a'].map((name, at) =>
      (at % 2 === 0 ? scene : other).secrets.create(place, { name, value: 'x' }, by),
    );
    assert.deepEqual((await outcomes(works)).sort(), ['duplicate_name', 'duplicate_name', 'ok']);
  });
}
