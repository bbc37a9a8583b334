import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type PipelineTask, writePipelineTask } from '@weir/cluster';
import { AllowedHosts, TenantVariables } from '@weir/cluster/outbound';
import { Metrics, systemClock } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import type { PipelineCounts } from '@weir/pipelines/thread';
import { type JobRates, NeedsOperator } from '../job-kind.ts';
import { type PipelineLine, pipelineInstances } from './pipeline-job.ts';
import { PipelineMetricSeries } from './pipeline-metrics.ts';
import { SharedRate } from './shared-rate.ts';

function setUp() {
  const lines: PipelineLine[] = [];
  const metrics = new Metrics();
  const kind = pipelineInstances({
    ownCluster: () => undefined,
    tenantAccess: { hosts: new AllowedHosts([]), variables: new TenantVariables({ WEIR_PIPELINE_N: '3' }) },
    bytesPerSecond: 1_000_000,
    onLine: (line) => lines.push(line),
    clock: systemClock,
    metrics,
  });
  after(() => kind.end());
  const reported: { doneCount: number; rates: JobRates | undefined }[] = [];
  const stop = new AbortController();
  const run = (yaml: string, more: Partial<PipelineTask> = {}) =>
    kind.run(
      writePipelineTask({
        pipelineId: 'pi_1',
        pipelineName: 'clean',
        configurationId: 'pci_1',
        instance: 0,
        yaml,
        ...more,
      }),
      {
        signal: stop.signal,
        checkpoint: null,
        progress: (doneCount, _total, _checkpoint, rates) => reported.push({ doneCount, rates }),
      },
    );
  return { run, lines, metrics, reported, stop };
}

const failing = `
input: {generate: {mapping: 'root.n = 1', count: "\${WEIR_PIPELINE_N}", interval: ""}}
pipeline: {processors: [{mapping: 'root = throw("no")'}]}
output: {drop: {}}
error_handling: {log: {enabled: true}}
`;

test('an instance counts, logs and reports what it does', async () => {
  const { run, lines, metrics, reported } = setUp();
  assert.equal(await run(failing), 'the input ended after 3 messages');
  const seen = lines.map(
    ({ level, message, stage, pipelineName }) => `${level} ${pipelineName} ${stage} ${message}`,
  );
  assert.equal(seen[0], 'info clean pipeline started pipeline instance');
  assert.equal(seen.at(-1), 'info clean pipeline finished pipeline');
  assert.ok(
    seen.some((line) => line.startsWith('error clean ') || line.startsWith('warn clean ')),
    seen.join('\n'),
  );
  const { doneCount, rates } = reported.at(-1)!;
  assert.deepEqual([doneCount, rates?.failedCount], [3, 3]);
  assert.match(rates?.lastError ?? '', /no$/);
  assert.deepEqual([rates?.errorCount, rates?.lastErrorStage], [3, 'root.pipeline.processors.0']);
  assert.equal(typeof rates?.lastErrorMs, 'number');
  const rendered = metrics.render();
  assert.match(rendered, /bento_output_sent\{pipeline_id="pi_1"\} 3/);
  assert.match(rendered, /bento_input_connection_up\{pipeline_id="pi_1"\} 1/);
  assert.match(rendered, /bento_output_connection_lost\{pipeline_id="pi_1"\} 0/);
  const stage = 'pipeline_id="pi_1",stage="root\\.pipeline\\.processors\\.0"';
  assert.match(rendered, new RegExp(`pipeline_errors\\{${stage}\\} 3`));
  for (const name of ['received', 'batch_received', 'sent', 'batch_sent', 'latency_ns_count'])
    assert.match(rendered, new RegExp(`bento_processor_${name}\\{${stage}\\} 3`), name);
  assert.match(rendered, /agent_active_pipeline_instances\{pipeline_id="pi_1"\} 0/);
  assert.match(rendered, /pipeline_instances_ended\{pipeline_id="pi_1",outcome="done"\} 1/);
});

const limited = `
input:
  batched: {child: {generate: {mapping: 'root.n = 1', count: 6, interval: ""}}, policy: {count: 3}}
pipeline: {processors: [{rate_limit: {resource: ten}}, {mapping: 'root = if batch_index() == 0 { deleted() }'}]}
output: {drop: {}}
rate_limit_resources: [{label: ten, local: {count: 4, interval: 50ms}}]
`;

test('batches, dropped messages, rate limits and latencies are counted', async () => {
  const { run, metrics } = setUp();
  await run(limited);
  const rendered = metrics.render();
  const found = (name: string, labels = '') =>
    Number(new RegExp(`${name}\\{pipeline_id="pi_1"${labels}\\} (\\d+)`).exec(rendered)?.[1]);
  assert.deepEqual(
    [found('bento_batch_created'), found('bento_output_batch_sent'), found('bento_output_sent')],
    [2, 2, 4],
  );
  assert.equal(found('bento_processor_sent', ',stage="root.pipeline.processors.1"'), 4);
  assert.equal(found('bento_rate_limit_checked') - found('bento_rate_limit_triggered'), 6);
  assert.deepEqual([found('bento_input_latency_ns_count'), found('bento_output_latency_ns_count')], [2, 2]);
});

test('series of stages are bounded', () => {
  const metrics = new Metrics();
  const series = new PipelineMetricSeries(metrics);
  const counts: PipelineCounts = {
    receivedMessages: 1,
    receivedBytes: 1,
    sentMessages: 1,
    sentBytes: 1,
    sentBatches: 1,
    failedBatches: 1,
    gatheredBatches: 1,
    inputConnectionsUp: 1,
    inputConnectionsFailed: 1,
    inputConnectionsLost: 1,
    outputConnectionsUp: 1,
    outputConnectionsFailed: 1,
    outputConnectionsLost: 1,
    limitsChecked: 1,
    limitsTriggered: 1,
    settleMs: [],
    sendMs: [],
    processors: [],
    failed: [],
    custom: [],
  };
  for (let beat = 0; beat < 3; beat++) {
    const processors = Array.from({ length: 30 }, (_, at) => ({
      stage: `stage ${beat} ${at}`,
      received: 1,
      receivedBatches: 1,
      sent: 1,
      sentBatches: 1,
      tookMs: [1],
    }));
    series.counted('pi_1', { ...counts, processors });
  }
  const rendered = metrics.render();
  const stages = [...rendered.matchAll(/bento_processor_received\{.*stage="([^"]*)"\} (\d+)/g)];
  assert.equal(stages.length, 51);
  assert.deepEqual(stages.at(-1)!.slice(1), ['other', '40']);
  assert.match(rendered, /bento_rate_limit_triggered\{pipeline_id="pi_1"\} 3/);
  assert.match(rendered, /bento_output_error\{pipeline_id="pi_1"\} 3/);
  for (const side of ['input', 'output'])
    for (const change of ['up', 'failed', 'lost'])
      assert.match(rendered, new RegExp(`bento_${side}_connection_${change}\\{pipeline_id="pi_1"\\} 3`));
});

test('an instance that is stopped is given back', async () => {
  const { run, stop, reported, metrics } = setUp();
  const running = run('input: {generate: {mapping: root = 1, interval: 1ms}}\noutput: {drop: {}}');
  const rejected = assert.rejects(running, /told to stop/);
  await until(() => reported.length > 0);
  stop.abort(new Error('told to stop'));
  await rejected;
  assert.match(metrics.render(), /pipeline_instances_ended\{pipeline_id="pi_1",outcome="stopped"\} 1/);
});

test('a configuration that cannot run needs an operator', async () => {
  const { run, lines } = setUp();
  await assert.rejects(run('input: {generate: {mapping: root = }}\noutput: {drop: {}}'), NeedsOperator);
  assert.equal(lines.at(-1)!.level, 'error');
});

test('pipelines of an agent share a rate', async () => {
  const clock = new HandClock();
  const rate = new SharedRate(1_000, clock);
  const order: string[] = [];
  const take = (name: string, bytes: number) => void rate.take(bytes).then(() => order.push(name));
  take('a', 3_000);
  take('b', 1_000);
  take('c', 10);
  await clock.pass(0);
  assert.deepEqual(order, ['a']);
  await clock.pass(1_999);
  assert.deepEqual(order, ['a']);
  await clock.pass(1);
  assert.deepEqual(order, ['a', 'b']);
  await clock.pass(1_000);
  assert.deepEqual(order, ['a', 'b', 'c']);
});
