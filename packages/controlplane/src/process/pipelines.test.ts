import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClient, mcpPath } from '@weir/api';
import { readTableTask, tableIngestionKind } from '@weir/cluster';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { connectAgent, freshClusterId, freshKey, startProcess } from '../../testing/running-process.ts';
import { openAccounts } from '../accounts/open.ts';

test('a pipeline that a program created is visible to an assistant', async (t) => {
  const applicationKey = freshKey();
  const clusterId = freshClusterId();
  const { url } = await startProcess(t, { clusterId, oneUser: { applicationKey, accountKey: freshKey() } });
  const headers = { 'service-api-key': applicationKey };
  const client = createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  const on = { virtual_cluster_id: clusterId };
  const { pipeline_id } = await client.call('create_pipeline', { ...on, pipeline_name: 'clean-orders' });
  const target = { ...on, pipeline_id };
  const { configuration_id: deployed_configuration_id } = await client.call('create_pipeline_configuration', {
    ...target,
    configuration_yaml:
      'input: { generate: { mapping: root = 1 } }\noutput: { drop: {} }\nlogger: { password: hunter2 }\n',
  });
  await client.call('change_pipeline_state', { ...target, deployed_configuration_id });

  const assistant = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await assistant.connect(
    new StreamableHTTPClientTransport(new URL(mcpPath, url), { requestInit: { headers } }),
  );
  t.after(() => assistant.close());
  const textOf = async (name: string, args: object) => {
    const { content } = await assistant.callTool({
      name,
      arguments: { virtual_cluster_id: clusterId, ...args },
    });
    return (content as unknown as { readonly text: string }[])[0]!.text;
  };
  assert.match(await textOf('list_pipelines', {}), /^clean-orders\tbento\tpaused\t\t1\t/m);
  const described = await textOf('describe_pipeline', { pipeline_id: 'clean-orders' });
  assert.match(described, /^logger\.password\t\*\*\*$/m);
  assert.match(described, /events are off here/);
  assert.ok(!described.includes('hunter2'));
});

const agent = {
  ...{ agentId: 'a', nodeId: 1, host: 'h', kafkaPort: 1, internalUrl: '', zone: '', group: '' },
  ...{ roles: ['jobs'], release: 'v830', cpuCount: 1, cpuLoad: 0 },
};

test('an agent gets the table of a running pipeline, and what it reports is the status of the table', async (t) => {
  const [applicationKey, agentKey] = [freshKey(), freshKey()];
  const clusterId = freshClusterId().replace('vci_', 'vci_dl_');
  const databaseUrl = `memory://${randomUUID()}`;
  const oneUser = { applicationKey, accountKey: freshKey() };
  const process = await startProcess(t, { databaseUrl, clusterId, agentKey, oneUser });
  await process.whenLeader();
  const headers = { 'service-api-key': applicationKey };
  const client = createClient({ baseUrl: process.url, fetch, headers, checksAnswers: true });
  const on = { virtual_cluster_id: clusterId };
  const made = await client.call('create_pipeline', {
    ...on,
    pipeline_name: 'lake',
    pipeline_type: 'data_lake',
  });
  const target = { ...on, pipeline_id: made.pipeline_id };
  const { configuration_id } = await client.call('create_pipeline_configuration', {
    ...target,
    configuration_inputs: [
      {
        name: 'globals',
        yaml: 'source_clusters: [{ name: k, bootstrap_brokers: [{ hostname: h, port: 9092 }] }]\n',
      },
      {
        name: 'orders',
        yaml: `tables: [{ source_cluster_name: k, source_topic: orders, input_schema: '{"type":"object","properties":{"id":{"type":"string"}}}' }]\n`,
      },
    ],
  });
  const accounts = await openAccounts(databaseUrl, accountsDeps());
  t.after(() => accounts.close());
  const { accountId } = (await accounts.virtualClusters.find(clusterId))!;
  const place = { accountId, clusterId, pipelineId: made.pipeline_id };
  await accounts.pipelines.change(place, { state: 'running', deployedConfigurationId: configuration_id });

  const worker = connectAgent(t, process.url, clusterId, agentKey);
  await worker.heartbeat(agent);
  const claim = { agentId: 'a', kinds: [tableIngestionKind], slots: 4, waitMs: 20_000 };
  const [job] = await worker.claimJobs(claim);
  const task = readTableTask(job!.task);
  assert.deepEqual(
    [task.tableName, task.pipelineName, task.configurationId],
    ['k__orders', 'lake', configuration_id],
  );
  const { tables } = await client.call('dl/list_tables', on);
  assert.deepEqual(
    tables.map(({ table_name, table_uuid }) => [table_name, table_uuid]),
    [['k__orders', task.tableUuid]],
  );
  await worker.reportTables({
    agentId: 'a',
    tables: [
      {
        tableUuid: task.tableUuid,
        tableName: 'k__orders',
        topic: 'orders',
        configurationId: task.configurationId,
        hasConfiguration: true,
        partitions: [{ partition: 0, nextOffset: 3, endOffset: 5 }],
        partitionCount: 1,
        stoppedPartitionCount: 0,
        lagRecords: 2,
        ingestionLagMs: 100,
        rowCount: 3,
        keptRecordCount: 0,
        droppedRecordCount: 0,
        isFailing: false,
      },
    ],
  });
  const found = await client.call('dl/get_table', { ...on, table_name: 'k__orders', include_status: true });
  assert.deepEqual(
    [found.table.stats_estimated_row_count, found.status!.health.status, found.status!.lag_records],
    [3, 'healthy', 2],
  );
  const scraped = (await process.clusters.measure(clusterId)).render();
  assert.match(scraped, /^tableflow_partition_offset_lag\{.*topic="orders".*\} 2$/m);

  await accounts.pipelines.change(place, { state: 'paused' });
  await client.call('change_pipeline_state', { ...target, desired_state: 'paused' });
  const progress = { doneCount: 0, totalCount: -1 };
  const running = { agentId: 'a', jobId: job!.jobId, progress, checkpoint: null, message: '' };
  // The claim ends when something has to stop.
  assert.deepEqual(await worker.claimJobs(claim), []);
  assert.equal(await worker.reportJob({ ...running, state: 'running' }), false);
  await worker.reportJob({ ...running, state: 'givenBack' });
});
