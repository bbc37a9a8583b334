import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TablesReport, type TableTask, writeTableRemovalTask, writeTableTask } from '@weir/cluster';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { pause } from '@weir/core/testing';
import { TableWorkFailed } from '@weir/tables/process';
import { type JobContext, NeedsOperator } from '../job-kind.ts';
import { TableJobs, type TableLine } from './table-jobs.ts';
import { countTopic } from './table-metrics.ts';

type Host = NonNullable<ConstructorParameters<typeof TableJobs>[0]['host']>;

const task: TableTask = {
  pipelineId: 'p',
  pipelineName: 'n',
  configurationId: 'c',
  tableUuid: 'u',
  tableName: 'shop__orders',
  yaml: '',
};

function jobsOf(host: Partial<Host>) {
  const lines: TableLine[] = [];
  const reports: TablesReport[] = [];
  const jobs = new TableJobs({
    port: { reportTables: async (report) => void reports.push(report) },
    agentId: 'agent-1',
    bucket: { url: 'file:///gone', allowedUrls: [], environment: {}, usesMetadataService: false },
    tenantAccess: usualTenantAccess,
    onLine: (line) => lines.push(line),
    onRequests: () => {},
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
    host: { end: async () => {}, ...host } as Host,
  });
  return { jobs, lines, reports };
}

function contextOf(signal = new AbortController().signal): JobContext {
  return { signal, checkpoint: null, progress: () => {} };
}

test('what happens to a table is told with its name and its pipeline', async () => {
  const { jobs, lines } = jobsOf({
    async ingest(_task, { onEvent }) {
      onEvent!({ type: 'table_created', isError: false, message: 'table created' });
      const failed = { type: 'record_ingestion_failed', isError: true, message: 'decode: bad' } as const;
      onEvent!({ ...failed, partition: 1, offset: 7 });
      return 'wrote 2 rows';
    },
  });
  assert.equal(await jobs.ingestion.run(writeTableTask(task), contextOf()), 'wrote 2 rows');
  const common = { tableName: 'shop__orders', tableUuid: 'u', pipeline: { id: 'p', name: 'n' } };
  assert.deepEqual(lines, [
    { ...common, type: 'table_created', level: 'info', message: 'table created', fields: {} },
    {
      ...common,
      type: 'record_ingestion_failed',
      level: 'warn',
      message: 'decode: bad',
      fields: { partition: 1, offset: 7 },
    },
  ]);
});

test('a failure is told, and says whether an operator is needed', async () => {
  for (const needsOperator of [false, true]) {
    const { jobs, lines } = jobsOf({
      ingest: () => Promise.reject(new TableWorkFailed('the topic is gone', needsOperator)),
    });
    await assert.rejects(jobs.ingestion.run(writeTableTask(task), contextOf()), (error: Error) => {
      assert.equal(error.message, 'the topic is gone');
      assert.equal(error instanceof NeedsOperator, needsOperator);
      return true;
    });
    assert.deepEqual(
      lines.map(({ type, level, pipeline }) => [type, level, pipeline?.name]),
      [['ingestion_failed', 'error', 'n']],
    );
  }
});

test('one that has to stop is given back, and the next configuration waits for its end', async () => {
  const order: string[] = [];
  const { jobs, lines } = jobsOf({
    ingest: ({ configurationId }, { signal }) =>
      new Promise((resolve) => {
        order.push(`begin ${configurationId}`);
        signal.addEventListener('abort', () => {
          order.push(`end ${configurationId}`);
          resolve('wrote 1 rows');
        });
      }),
  });
  const stop = new AbortController();
  const first = jobs.ingestion.run(writeTableTask(task), contextOf(stop.signal));
  const stopSecond = new AbortController();
  const second = jobs.ingestion.run(
    writeTableTask({ ...task, configurationId: 'd' }),
    contextOf(stopSecond.signal),
  );
  const until = async (count: number) => {
    while (order.length < count) await pause(0);
  };
  await until(1);
  stop.abort();
  await assert.rejects(first, { name: 'AbortError' });
  await until(3);
  stopSecond.abort();
  await assert.rejects(second, { name: 'AbortError' });
  assert.deepEqual(order, ['begin c', 'end c', 'begin d', 'end d']);
  assert.deepEqual(lines, [], 'to stop is no failure');
});

test('maintenance, replay and removal are jobs of the process', async () => {
  const { jobs, lines } = jobsOf({
    async replay({ tableUuid }, { onEvent }) {
      onEvent!({ type: 'records_replayed', isError: false, message: '2 kept records became rows' });
      return `replayed ${tableUuid}`;
    },
    maintain: async ({ tableUuid }) => `maintained ${tableUuid}`,
    remove: async ({ tableUuid, bucketUrl }) => `removed ${tableUuid} of ${bucketUrl}`,
  });
  assert.equal(await jobs.maintenance.run(writeTableTask(task), contextOf()), 'maintained u');
  assert.equal(await jobs.replay.run(writeTableTask(task), contextOf()), 'replayed u');
  const removal = writeTableRemovalTask({ tableUuid: 'u', tableName: 'n', bucketUrl: 's3://b' });
  assert.equal(await jobs.removal.run(removal, contextOf()), 'removed u of s3://b');
  assert.deepEqual(
    lines.map(({ type, level, message, pipeline }) => [type, level, message, pipeline?.id]),
    [
      ['records_replayed', 'info', '2 kept records became rows', 'p'],
      ['table_deleted', 'info', 'removed u of s3://b', undefined],
    ],
  );
  assert.deepEqual(
    [jobs.ingestion, jobs.maintenance, jobs.removal].map(({ category, isLasting = false }) => [
      category,
      isLasting,
    ]),
    [
      ['tableflow', true],
      ['tableflow', false],
      ['tableflow', false],
    ],
  );
});

test('questions are answered by the process', async () => {
  const { jobs } = jobsOf({ ask: async (text, { limitMs }) => `${text} within ${limitMs}` });
  const { signal } = new AbortController();
  assert.equal(await jobs.answer('{}', { signal, limitMs: 5 }), '{} within 5');
});

test('counts have the names that dashboards know', () => {
  const metrics = new Metrics();
  countTopic(metrics, { topic: 'orders', rows: 5, files: 2, bytes: 300, filtered: 4, skipped: 3, kept: 2 });
  const text = metrics.render();
  for (const line of [
    '\ntableflow_dlq_records_counter{topic="orders",strategy="skip"} 3',
    '\ntableflow_dlq_records_counter{topic="orders",strategy="keep"} 2',
    'service_agent_tableflow_files_written{source_topic="orders"} 2',
    'service_agent_tableflow_bytes_written{source_topic="orders"} 300',
    'service_agent_tableflow_rows_written{source_topic="orders"} 5',
    'service_ingestion_job_transform_drop_counter{topic="orders"} 4',
  ])
    assert.ok(text.includes(line), line);
});
