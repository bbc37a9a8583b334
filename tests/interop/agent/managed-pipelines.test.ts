import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runLine } from '../../../packages/cli/testing/command-run.ts';
import {
  deployPipeline,
  generating,
  startLocalCluster,
  untilPipeline,
} from '../../../packages/cli/testing/local-pipelines.ts';

const bounded = { timeout: 180_000 };

/** One cluster for all tests: each has a pipeline of its own. */
const local = await startLocalCluster({ after });

test('a pipeline runs, gets another configuration, goes back, and pauses', bounded, async () => {
  const { call, found, on } = local;
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'clean',
  });
  const target = { ...on, pipeline_id };
  const first = await deployPipeline(
    local,
    pipeline_id,
    `${generating('root.n = 1')}service: {cluster_concurrency_target: 2}\n`,
  );
  const { run } = await untilPipeline(
    local,
    pipeline_id,
    ({ run: seen }) =>
      seen?.instances?.length === 2 && seen.instances.every(({ message_count }) => message_count > 0),
  );
  assert.equal(run!.status, 'running');
  assert.deepEqual(
    run!.instances!.map(({ instance, status, failed_count }) => [instance, status, failed_count]),
    [
      [0, 'running', 0],
      [1, 'running', 0],
    ],
  );
  const metrics = await (await fetch(`http://127.0.0.1:${found(/HTTP\s+\S*?:(\d+)/)}/metrics`)).text();
  assert.match(
    metrics,
    new RegExp(`agent_active_pipeline_instances\\{[^}]*pipeline_id="${pipeline_id}"[^}]*\\} 2`),
  );
  assert.match(metrics, /bento_output_sent(?:_total)?\{[^}]*\} [1-9]/);

  // One that ends by itself has done its work; the old instances end before it starts.
  await deployPipeline(local, pipeline_id, generating('root.n = 2', ', count: 3'));
  const done = await untilPipeline(local, pipeline_id, ({ run: seen }) => seen?.status === 'synced');
  assert.deepEqual([done.run!.message, done.run!.instances!.length], ['the input ended after 3 messages', 1]);

  await call('change_pipeline_state', { ...target, deployed_configuration_id: first });
  await untilPipeline(
    local,
    pipeline_id,
    ({ run: seen }) => seen?.instances?.filter(({ status }) => status === 'running').length === 2,
  );

  await call('change_pipeline_state', { ...target, desired_state: 'paused' });
  const paused = await untilPipeline(local, pipeline_id, ({ run: seen }) => seen === undefined);
  assert.equal(paused.state, 'paused');
});

test('a pipeline that cannot run says why, and one that fails is tried again', bounded, async () => {
  const { call, on } = local;
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'p',
  });
  await deployPipeline(local, pipeline_id, generating('root.n = 1', `, count: "\${WEIR_PIPELINE_NOT_SET}"`));
  const { run } = await untilPipeline(local, pipeline_id, ({ run: seen }) => seen?.status === 'error');
  assert.match(run!.message, /^line 1, column \d+: the variable WEIR_PIPELINE_NOT_SET is not set/);
  assert.equal(run!.instances![0]!.restart_count, 1);
  // Another configuration starts at once.
  await deployPipeline(local, pipeline_id, generating('root.n = 1'));
  await untilPipeline(local, pipeline_id, ({ run: seen }) => (seen?.instances?.[0]?.message_count ?? 0) > 0);
});

test('a pipeline reads and writes its own cluster, also where ACLs are enforced', bounded, async () => {
  const { call, found, on } = local;
  const port = found(/Kafka +localhost:(\d+)/);
  for (const line of [
    'create-topic -topic raw',
    'create-topic -topic clean',
    'produce -topic raw -records {"n":1},,{"n":2}',
  ]) {
    const { status, err } = await runLine(`cli ${line} -bootstrap-port ${port}`);
    assert.equal(status, 0, err);
  }
  const virtual_cluster_configuration = { are_acls_enabled: true };
  await call('update_virtual_cluster_configuration', { ...on, virtual_cluster_configuration });
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'copies',
  });
  await deployPipeline(
    local,
    pipeline_id,
    `input: {kafka_franz_service: {topics: [raw], consumer_group: cleaner}}
pipeline: {processors: [{mapping: 'root.n = this.n * 10'}]}
output: {kafka_franz_service: {topic: clean}}
`,
  );
  await untilPipeline(local, pipeline_id, ({ run }) => (run?.instances?.[0]?.message_count ?? 0) >= 2);
  const { records } = await call<{ records: { value: { text: string } }[] }>('read_records', {
    ...on,
    topic_name: 'clean',
  });
  assert.deepEqual(records.map(({ value }) => value.text).toSorted(), ['{"n":10}', '{"n":20}']);
});
