import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';
import { type MigrationTask, writeMigrationCopyTask, writeMigrationTask } from '@weir/cluster';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import { type JobContext, NeedsOperator } from '../job-kind.ts';
import { MigrationJobs, type MigrationLine } from './migration-jobs.ts';

const task = (yaml: string): MigrationTask => ({
  ...{ pipelineId: 'p', pipelineName: 'move', configurationId: 'c', secretsDigest: undefined },
  yaml,
});

/** Jobs of an agent whose cluster has no topics of a migration. */
function jobsOf(reports: object[] = []) {
  const lines: MigrationLine[] = [];
  const jobs = new MigrationJobs({
    port: {
      reportMigration: async (report: object) => void reports.push(report),
      listManagedTopics: async () => [],
    } as never,
    view: { records: () => ({ version: 1, byKey: new Map() }) } as never,
    ...{ copyPath: {} as never, readPath: {} as never, agentId: 'a' },
    tenantAccess: usualTenantAccess,
    onLine: (line) => void lines.push(line),
    ...{ clock: systemClock, log: silentLog, metrics: new Metrics() },
  });
  return { jobs, lines };
}

const contextOf = (stop: AbortController) =>
  ({ signal: stop.signal, progress: () => {} }) as unknown as JobContext;

// biome-ignore format: a table
const unusable: readonly [what: string, yaml: string, message: RegExp][] = [
  ['a field that is missing',           'topic_mappings: [{source_regex: a}]\n', /^line 1, column 1: source_bootstrap_brokers: is missing$/],
  ['a variable that the agent has not', 'source_bootstrap_brokers: [{hostname: h, port: 1}]\nsource_cluster_credentials: {sasl_mechanism: plain, sasl_username: u, sasl_password_env: NOT_SET_HERE}\ntopic_mappings: [{source_regex: a}]\n', /ORBIT_NOT_SET_HERE/],
];

for (const [what, yaml, message] of unusable)
  test(`${what} is one line for an operator, from both jobs`, async () => {
    const { jobs } = jobsOf();
    const stop = new AbortController();
    const expected = (error: unknown) =>
      error instanceof NeedsOperator && message.test(error.message) && !error.message.includes('\n');
    await assert.rejects(jobs.topics.run(writeMigrationTask(task(yaml)), contextOf(stop)), expected);
    const slot = { ...task(yaml), slot: 0, slotCount: 1 };
    await assert.rejects(jobs.copy.run(writeMigrationCopyTask(slot), contextOf(stop)), expected);
  });

test('a job reports until it is stopped, is given back then, and the next one of its place waits', async (t) => {
  const kafka = await FakeKafka.start({ topics: {} });
  t.after(() => kafka.stop());
  const reports: { slot?: number }[] = [];
  const { jobs } = jobsOf(reports);
  const yaml = `source_bootstrap_brokers: [{hostname: 127.0.0.1, port: ${kafka.port()}}]\ntopic_mappings: [{source_regex: a}]\n`;
  const bytes = writeMigrationCopyTask({ ...task(yaml), slot: 3, slotCount: 4 });
  const [first, second] = [new AbortController(), new AbortController()];
  const running = jobs.copy.run(bytes, contextOf(first));
  await until(() => reports.length === 1);
  const next = jobs.copy.run(bytes, contextOf(second));
  next.catch(() => undefined);
  assert.equal(reports.length, 1);
  first.abort(new Error('given back'));
  await assert.rejects(running, /given back/);
  await until(() => reports.length === 2);
  assert.deepEqual(
    reports.map(({ slot }) => slot),
    [3, 3],
  );
  second.abort(new Error('given back too'));
  await assert.rejects(next, /given back too/);
});
