import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputOf } from '@weir/api';
import { pause } from '@weir/core/testing';
import { runLine } from '../../testing/command-run.ts';
import { runningIn, serve } from '../../testing/served-command.ts';

const bounded = { timeout: 180_000 };

type Overview = OutputOf<'describe_pipeline'>['pipeline_overview'];

async function startLocal(t: Parameters<typeof runningIn>[0], ...flags: string[]) {
  const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
  const found = await serve(runningIn(t), ['local', ...ports, ...flags], /Ctrl-C/);
  const signedIn = await fetch(found(/sign in +(\S+)/), { redirect: 'manual' });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const url = found(/control plane +(\S+)/);
  const call = async <Answer>(name: string, input: object): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin: url },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${name}: ${text}`);
    return JSON.parse(text) as Answer;
  };
  const { virtual_clusters } = await call<{ virtual_clusters: { id: string; type: string }[] }>(
    'list_virtual_clusters',
    {},
  );
  const virtual_cluster_id = virtual_clusters.find(({ type }) => type === 'byoc')!.id;
  return { call, found, on: { virtual_cluster_id } };
}

type Local = Awaited<ReturnType<typeof startLocal>>;

/** Deploys a configuration and starts the pipeline. */
async function deploy({ call, on }: Local, pipeline_id: string, configuration_yaml: string): Promise<string> {
  const target = { ...on, pipeline_id };
  const { configuration_id } = await call<{ configuration_id: string }>('create_pipeline_configuration', {
    ...target,
    configuration_yaml,
  });
  const change = { desired_state: 'running', deployed_configuration_id: configuration_id };
  await call('change_pipeline_state', { ...target, ...change });
  return configuration_id;
}

/** Waits until a pipeline is as expected; the test has a timeout. */
async function until({ call, on }: Local, pipeline_id: string, isThere: (found: Overview) => boolean) {
  for (;;) {
    const { pipeline_overview: found } = await call<OutputOf<'describe_pipeline'>>('describe_pipeline', {
      ...on,
      pipeline_id,
    });
    if (isThere(found)) return found;
    await pause(200);
  }
}

const generate = (mapping: string, rest = '') =>
  `input: {generate: {mapping: '${mapping}', interval: 5ms${rest}}}\noutput: {drop: {}}\n`;

test('a pipeline runs, gets another configuration, goes back, and pauses', bounded, async (t) => {
  const local = await startLocal(t);
  const { call, found, on } = local;
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'clean',
  });
  const target = { ...on, pipeline_id };
  const first = await deploy(
    local,
    pipeline_id,
    `${generate('root.n = 1')}service: {cluster_concurrency_target: 2}\n`,
  );
  const { run } = await until(
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
  assert.match(metrics, /pipeline_output_sent(?:_total)?\{[^}]*\} [1-9]/);

  // One that ends by itself has done its work; the old instances end before it starts.
  await deploy(local, pipeline_id, generate('root.n = 2', ', count: 3'));
  const done = await until(local, pipeline_id, ({ run: seen }) => seen?.status === 'synced');
  assert.deepEqual([done.run!.message, done.run!.instances!.length], ['the input ended after 3 messages', 1]);

  await call('change_pipeline_state', { ...target, deployed_configuration_id: first });
  await until(
    local,
    pipeline_id,
    ({ run: seen }) => seen?.instances?.filter(({ status }) => status === 'running').length === 2,
  );

  await call('change_pipeline_state', { ...target, desired_state: 'paused' });
  const paused = await until(local, pipeline_id, ({ run: seen }) => seen === undefined);
  assert.equal(paused.state, 'paused');
});

test('a pipeline that cannot run says why, and one that fails is tried again', bounded, async (t) => {
  const local = await startLocal(t);
  const { call, on } = local;
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'p',
  });
  await deploy(local, pipeline_id, generate('root.n = 1', `, count: "\${WEIR_PIPELINE_NOT_SET}"`));
  const { run } = await until(local, pipeline_id, ({ run: seen }) => seen?.status === 'error');
  assert.match(run!.message, /^line 1, column \d+: the variable WEIR_PIPELINE_NOT_SET is not set/);
  assert.equal(run!.instances![0]!.restart_count, 1);
  // Another configuration starts at once.
  await deploy(local, pipeline_id, generate('root.n = 1'));
  await until(local, pipeline_id, ({ run: seen }) => (seen?.instances?.[0]?.message_count ?? 0) > 0);
});

test('without an agent that runs pipelines, that is said', bounded, async (t) => {
  const local = await startLocal(t, '-enableManagedPipelines=false');
  const { call, on } = local;
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    ...on,
    pipeline_name: 'p',
  });
  await deploy(local, pipeline_id, generate('root.n = 1'));
  const { run } = await until(local, pipeline_id, ({ run: seen }) => seen !== undefined);
  assert.deepEqual([run!.status, run!.message.split(';')[0]], ['waiting', 'no agent runs pipelines']);
});

test('a pipeline reads and writes its own cluster, also where ACLs are enforced', bounded, async (t) => {
  const local = await startLocal(t);
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
    pipeline_name: 'p',
  });
  await deploy(
    local,
    pipeline_id,
    `input: {kafka_franz_service: {topics: [raw], consumer_group: cleaner}}
pipeline: {processors: [{mapping: 'root.n = this.n * 10'}]}
output: {kafka_franz_service: {topic: clean}}
`,
  );
  await until(local, pipeline_id, ({ run }) => (run?.instances?.[0]?.message_count ?? 0) >= 2);
  const { records } = await call<{ records: { value: { text: string } }[] }>('read_records', {
    ...on,
    topic_name: 'clean',
  });
  assert.deepEqual(records.map(({ value }) => value.text).toSorted(), ['{"n":10}', '{"n":20}']);
});
