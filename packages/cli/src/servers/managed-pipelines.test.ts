import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deployPipeline,
  generating,
  startLocalCluster,
  untilPipeline,
} from '../../testing/local-pipelines.ts';

const bounded = { timeout: 180_000 };

test('without an agent that runs pipelines, that is said', bounded, async (t) => {
  const local = await startLocalCluster(t, '-enableManagedPipelines=false');
  const { call, on } = local;
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'p',
  });
  await deployPipeline(local, pipeline_id, generating('root.n = 1'));
  const { run } = await untilPipeline(local, pipeline_id, ({ run: seen }) => seen !== undefined);
  assert.deepEqual([run!.status, run!.message.split(';')[0]], ['waiting', 'no agent runs pipelines']);
});
