import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createClient } from '@weir/api';
import { type JobsState, type ListedJob, type ReportedTable, tableIngestionKind } from '@weir/cluster';
import { coreLimits, silentLog } from '@weir/core';
import { fakeHandlers, startTestApi } from '../../../testing/api-server.ts';
import { refused } from '../../../testing/refused.ts';
import { appGrant, makeAccount } from '../../../testing/two-accounts.ts';
import { TablePipelines } from '../../tables/table-pipelines.ts';
import { askedTable } from '../cluster/ask-tables.ts';
import { pipelineHandlers } from './pipelines.ts';
import { tableHandlers } from './tables.ts';

const yamlOf = (...topics: string[]) =>
  JSON.stringify({
    source_clusters: [{ name: 'k', bootstrap_brokers: [{ hostname: 'broker.example.com', port: 9092 }] }],
    destination_bucket_url: 's3://lake?region=eu-west-1&prefix=warehouse',
    tables: topics.map((source_topic) => ({
      source_cluster_name: 'k',
      source_topic,
      input_schema: '{"type":"object","properties":{"id":{"type":"string"}}}',
    })),
  });

async function start(t: TestContext) {
  const { accounts } = await startTestApi(t);
  const own = await makeAccount(accounts, 'Lake');
  const other = await makeAccount(accounts, 'Other');
  const cluster = await accounts.virtualClusters.create(own.accountId, own.a.id, {
    name: 'lake',
    type: 'byoc_data_lake',
    tier: 'pro',
    cloudProvider: 'aws',
    place: { region: 'us-east-1' },
  });
  const leader = {
    reports: [] as ReportedTable[],
    jobs: { jobs: [], takers: [{ kind: tableIngestionKind, agentCount: 1, pausedCount: 0 }] } as JobsState,
    planned: 0,
    isDown: false,
  };
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (leader.isDown) throw new Error('no leader');
    return value;
  };
  const portOf = () => ({
    listJobs: () => answer(leader.jobs),
    listManagedTopics: () => answer([]),
    planPipelines: () => answer(void leader.planned++),
    listReportedTables: () => answer(leader.reports.map((one) => ({ ...one, partitions: [] }))),
    describeReportedTable: (uuid: string) =>
      answer(leader.reports.find(({ tableUuid }) => tableUuid === uuid) ?? null),
  });
  const tablePipelines = new TablePipelines(accounts, silentLog);
  const handlers = {
    ...fakeHandlers(),
    ...pipelineHandlers(accounts, { runnableTypes: ['data_lake'], portOf }),
    ...tableHandlers({ tables: accounts.tables, tablePipelines, portOf }),
  };
  const { url } = await startTestApi(t, { accounts, handlers });
  const clientOf = async (account: typeof own) => {
    const headers = { 'service-api-key': await account.key('k', appGrant(account.a.id)) };
    return createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  };
  const client = await clientOf(own);
  const on = { virtual_cluster_id: cluster.id };
  const pipelineOf = async (pipeline_name: string) => {
    const made = await client.call('create_pipeline', { ...on, pipeline_name, pipeline_type: 'data_lake' });
    const target = { ...on, pipeline_id: made.pipeline_id };
    const deploy = async (configuration_yaml: string, desired_state: 'running' | 'paused' = 'running') => {
      const { configuration_id } = await client.call('create_pipeline_configuration', {
        ...target,
        configuration_yaml,
      });
      await client.call('change_pipeline_state', {
        ...target,
        deployed_configuration_id: configuration_id,
        desired_state,
      });
      return configuration_id;
    };
    return { ...target, deploy };
  };
  const place = { accountId: own.accountId, clusterId: cluster.id };
  const healthOf = async (table_name: string) => {
    const { status } = await client.call('dl/get_table', { ...on, table_name, include_status: true });
    return [status!.health.status, ...status!.health.reasons];
  };
  return {
    accounts,
    own,
    client,
    stranger: await clientOf(other),
    on,
    place,
    pipelineOf,
    healthOf,
    leader,
    tablePipelines,
  };
}

const reportOf = (tableUuid: string, configurationId: string): ReportedTable => ({
  tableUuid,
  tableName: 'k__a',
  topic: 'a',
  configurationId,
  hasConfiguration: true,
  partitions: [
    { partition: 1, nextOffset: 5, endOffset: -1 },
    { partition: 0, nextOffset: 5, endOffset: 15 },
  ],
  partitionCount: 2,
  stoppedPartitionCount: 0,
  lagRecords: 10,
  ingestionLagMs: 1_500,
  queryLagMs: 2_500,
  rowCount: 10,
  byteCount: 1_000,
  fileCount: 2,
  snapshotCount: 3,
  tablePartitionCount: 1,
  schemaId: 0,
  metadataLocation: `s3://lake/warehouse/service/_tableflow/k__a-${tableUuid}/metadata/v3.metadata.json`,
  lastCommitMs: 1_000,
  keptRecordCount: 4,
  droppedRecordCount: 0,
  isFailing: false,
  agentId: 'agent-1',
  reportedMs: 2_000,
});

test('tables appear with the configuration that names them, and a deleted one is made again', async (t) => {
  const { client, stranger, on, place, pipelineOf, leader, tablePipelines, own } = await start(t);
  assert.deepEqual(await client.call('dl/list_tables', on), { tables: [] });
  const { deploy, pipeline_id } = await pipelineOf('p');
  const configurationId = await deploy(yamlOf('b', 'a'));
  const wanted = await tablePipelines.wanted(place);
  assert.deepEqual(
    wanted.map(({ task }) => [task.tableName, task.pipelineName, task.configurationId]),
    [
      ['k__b', 'p', configurationId],
      ['k__a', 'p', configurationId],
    ],
  );
  assert.deepEqual(JSON.parse(wanted[1]!.task.yaml), JSON.parse(yamlOf('a')), 'it has one table alone');
  const { tables } = await client.call('dl/list_tables', on);
  assert.deepEqual(
    tables.map(({ table_name }) => table_name),
    ['k__a', 'k__b'],
  );
  const { table_uuid, created_at, created_at_unix_nanos, ...shown } = tables[0]!;
  assert.deepEqual(shown, {
    table_name: 'k__a',
    table_location: `s3://lake/warehouse/service/_tableflow/k__a-${table_uuid}`,
    source_stream_name: 'a',
    source_cluster_name: 'k',
    pipeline_id,
    stats_estimated_byte_count: 0,
    stats_estimated_row_count: 0,
  });
  assert.equal(BigInt(created_at_unix_nanos), BigInt(Date.parse(created_at)) * 1_000_000n);

  leader.reports = [reportOf(table_uuid, configurationId)];
  const { table, status } = await client.call('dl/get_table', { ...on, table_uuid, include_status: true });
  assert.deepEqual([table.stats_estimated_row_count, table.stats_estimated_byte_count], [10, 1_000]);
  assert.deepEqual(status, {
    health: { status: 'healthy', message: '', reasons: [] },
    iceberg_metadata_matches_deployed_config: true,
    agent_id: 'agent-1',
    reported_at: '1970-01-01T00:00:02.000Z',
    partitions: [
      { partition: 0, next_offset: 5, end_offset: 15, lag_records: 10 },
      { partition: 1, next_offset: 5, lag_records: 0 },
    ],
    topic_partitions_count: 2,
    lag_records: 10,
    ingestion_lag_seconds: 1.5,
    query_lag_seconds: 2.5,
    rows: 10,
    bytes: 1_000,
    files: 2,
    snapshots: 3,
    partitions_count: 1,
    dlq_records: 4,
    dropped_records: 0,
    last_commit_at: '1970-01-01T00:00:01.000Z',
    schema_id: 0,
    metadata_location: `s3://lake/warehouse/service/_tableflow/k__a-${table_uuid}/metadata/v3.metadata.json`,
  });
  const listed = await client.call('dl/list_tables', { ...on, include_status: true });
  assert.deepEqual(
    listed.tables.map((one) => [one.status!.health.status, one.status!.partitions]),
    [
      ['healthy', undefined],
      ['initializing', undefined],
    ],
  );

  const planned = leader.planned;
  await client.call('dl/replay_table_failures', { ...on, table_uuid });
  assert.equal(leader.planned, planned + 1, 'it begins at once');
  const statusOf = async () =>
    (await client.call('dl/get_table', { ...on, table_uuid, include_status: true })).status!;
  assert.notEqual((await statusOf()).replay_requested_at, undefined);
  const replayed = (await tablePipelines.wanted(place)).find(({ task }) => task.tableUuid === table_uuid)!;
  await tablePipelines.endReplay(place, table_uuid, replayed.replayRequestedMs!);
  assert.equal((await statusOf()).replay_requested_at, undefined);

  await client.call('dl/delete_table', { ...on, table_uuid });
  assert.equal(leader.planned, planned + 2, 'its job stops at once');
  await refused(client, 'not_found', 'dl/get_table', { ...on, table_uuid }, /table/);
  const [removed] = await tablePipelines.removed(place);
  assert.deepEqual(removed!.task, {
    tableUuid: table_uuid,
    tableName: 'k__a',
    bucketUrl: 's3://lake?region=eu-west-1&prefix=warehouse',
  });
  const again = (await tablePipelines.wanted(place)).find(({ task }) => task.tableName === 'k__a');
  assert.notEqual(again?.task.tableUuid, table_uuid);

  const uuid = again!.task.tableUuid;
  const calls = [
    ['dl/list_tables', on],
    ['dl/get_table', { ...on, table_uuid: uuid }],
    ['dl/delete_table', { ...on, table_uuid: uuid }],
    ['dl/replay_table_failures', { ...on, table_uuid: uuid }],
  ] as const;
  for (const [name, input] of calls) {
    await refused(stranger, 'not_found', name, input, /./);
    const kafka = { ...input, virtual_cluster_id: own.a.clusterId };
    await refused(client, 'unsupported_cluster_type', name, kafka, /^Only data lake clusters/);
  }
  for (const wrong of [on, { ...on, table_uuid: uuid, table_name: 'k__a' }])
    await refused(client, 'invalid_request', 'dl/get_table', wrong, /one of table_uuid and table_name/);
});

test('the health of a table is what a user decided, then what agents see', async (t) => {
  const { client, on, place, pipelineOf, healthOf, leader, tablePipelines } = await start(t);
  const { deploy, pipeline_id } = await pipelineOf('p');
  const configurationId = await deploy(yamlOf('a'));
  const [wanted] = await tablePipelines.wanted(place);
  const { tableUuid } = wanted!.task;
  const healthy = reportOf(tableUuid, configurationId);
  const job: ListedJob = {
    jobId: 'j',
    kind: tableIngestionKind,
    scope: `${tableUuid} ${configurationId}`,
    state: 'running',
    agentId: 'agent-1',
    plannedMs: 0,
    startedMs: 0,
    endedMs: null,
    progress: { doneCount: 0, totalCount: -1 },
    failureCount: 0,
    retryMs: null,
    message: '',
  };
  const takers = (agentCount: number) => [{ kind: tableIngestionKind, agentCount, pausedCount: 0 }];
  type Row = [ReportedTable | undefined, JobsState | undefined, ...string[]];
  const running = { jobs: [job], takers: takers(1) };
  const rows: Row[] = [
    [undefined, undefined, 'initializing', 'no_report'],
    [undefined, { jobs: [], takers: takers(0) }, 'failing', 'no_agent'],
    [undefined, { jobs: [], takers: takers(1) }, 'initializing', 'waiting_for_agent'],
    [undefined, running, 'initializing', 'no_report'],
    [healthy, running, 'healthy'],
    [{ ...healthy, configurationId: 'pci_old' }, running, 'healthy', 'configuration_pending'],
    [{ ...healthy, rowCount: undefined }, running, 'initializing', 'no_commit'],
    [{ ...healthy, ingestionLagMs: 3_600_000 }, running, 'degraded', 'falling_behind'],
    [{ ...healthy, stoppedPartitionCount: 1 }, running, 'degraded', 'partition_stopped'],
    [{ ...healthy, stoppedPartitionCount: 2 }, running, 'failing', 'partition_stopped'],
    [{ ...healthy, isFailing: true, lastErrorCause: 'storage' }, running, 'failing', 'storage_failing'],
    [{ ...healthy, isFailing: true }, running, 'failing', 'ingestion_failing'],
    [healthy, { ...running, jobs: [{ ...job, state: 'failing' }] }, 'failing', 'ingestion_failing'],
  ];
  for (const [report, jobs, ...expected] of rows) {
    leader.isDown = jobs === undefined;
    leader.jobs = jobs ?? leader.jobs;
    leader.reports = report === undefined ? [] : [report];
    assert.deepEqual(await healthOf('k__a'), expected);
  }
  const target = { ...on, pipeline_id };
  const runNow = async () => {
    const { run } = (await client.call('describe_pipeline', target)).pipeline_overview;
    return [run!.status, run!.message];
  };
  leader.jobs = { jobs: [], takers: takers(0) };
  assert.deepEqual(await runNow(), ['waiting', 'no agent writes tables; start an agent of this cluster']);
  leader.jobs = { jobs: [job, { ...job, state: 'failing', message: 'denied' }], takers: takers(1) };
  assert.deepEqual(await runNow(), ['error', 'denied']);
  leader.reports = [healthy];
  leader.jobs = running;
  assert.deepEqual(await runNow(), ['running', '']);
  await client.call('change_pipeline_state', { ...target, desired_state: 'paused' });
  assert.deepEqual(await healthOf('k__a'), ['paused', 'pipeline_paused']);
  assert.deepEqual(await tablePipelines.wanted(place), []);
  await deploy(yamlOf('b'));
  await tablePipelines.wanted(place);
  assert.deepEqual(await healthOf('k__a'), ['inactive', 'not_configured']);
  await client.call('delete_pipeline', target);
  assert.deepEqual(await healthOf('k__b'), ['inactive', 'not_configured']);
  assert.equal((await client.call('dl/list_tables', on)).tables.length, 2, 'rows stay');
});

test('a pipeline with more tables than a cluster may have does not start', async (t) => {
  const { accounts, place, client, pipelineOf } = await start(t);
  const { tablesPerClusterMax } = coreLimits;
  const rows = Array.from({ length: tablesPerClusterMax }, (_, n) => `t${n}`).map((topic) => ({
    pipelineId: 'pi_1',
    name: `k__${topic}`,
    sourceCluster: 'k',
    topic,
    bucketUrl: undefined,
  }));
  await accounts.tables.ensure(place, rows);
  const { deploy, pipeline_id, virtual_cluster_id } = await pipelineOf('p');
  await deploy(yamlOf('t0', 't1'));
  await assert.rejects(deploy(yamlOf('t0', 'new')), /would have 2001 tables, and can have at most 2000/);
  const { pipeline_overview } = await client.call('describe_pipeline', { virtual_cluster_id, pipeline_id });
  assert.deepEqual(
    [pipeline_overview.state, pipeline_overview.deployed_configuration_version],
    ['running', 1],
  );
});

test('a table keeps its catalog for questions and for its removal, with secrets that are opened then', async (t) => {
  const { accounts, client, on, place, pipelineOf, tablePipelines } = await start(t);
  await accounts.secrets.create(place, { name: 'polaris', value: 'hush', allowsExporters: false }, 'test');
  const { deploy } = await pipelineOf('p');
  const fields = { type: 'rest', uri: 'https://catalog.example.com/api', namespace: 'shop' };
  const login = { client_id: 'weir', client_secret: `\${secret:polaris}` };
  const withCatalog = (catalog: object) => JSON.stringify({ ...JSON.parse(yamlOf('a')), catalog });
  await deploy(withCatalog({ ...fields, ...login }));
  await tablePipelines.wanted(place);
  const { tables } = await client.call('dl/list_tables', on);
  const { table_uuid, table_location, catalog } = tables[0]!;
  assert.deepEqual(catalog, { type: 'rest', address: fields.uri, table: 'shop.k__a' });
  assert.match(
    table_location,
    /^s3:\/\/lake\/warehouse\/service\/_tableflow\/k__a-[0-9a-f-]{36}-[0-9a-f]{8}$/,
  );

  const table = await accounts.tables.get(place, table_uuid);
  const asked = await askedTable(table, place, accounts.secrets);
  assert.deepEqual(JSON.parse(asked.catalog!), { ...fields, ...login });
  assert.deepEqual(asked.secrets, { polaris: 'hush' });
  await client.call('dl/delete_table', { ...on, table_uuid });
  const [removed] = await tablePipelines.removed(place);
  assert.deepEqual(removed!.task, { ...asked, bucketUrl: table.bucketUrl });

  // Made again, and then without a catalog.
  await tablePipelines.wanted(place);
  await deploy(yamlOf('a'));
  await tablePipelines.wanted(place);
  assert.equal((await client.call('dl/list_tables', on)).tables[0]!.catalog, undefined);
});
