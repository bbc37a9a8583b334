import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMcpStage } from '../../../packages/controlplane/testing/mcp-stage.ts';
import { appGrant, makeAccount } from '../../../packages/controlplane/testing/two-accounts.ts';
import { missingImplementations, runTool } from './conformance-tools.ts';

const skip = missingImplementations();

/** Arguments in addition to the cluster, and a pattern of the answer. Event tools report that there are no events. */
const calls: Readonly<Record<string, [args: Readonly<Record<string, string>>, output: RegExp]>> = {
  get_context: [{}, /vcn_orders/],
  list_virtual_clusters: [{}, /vcn_orders/],
  describe_virtual_cluster: [{}, /vcn_orders/],
  query_metrics: [{ metrics: '["lag"]' }, /Nothing was measured/],
  describe_storage_costs: [{}, /storage_month/],
  list_jobs: [{}, /kinds_without_agents/],
  list_credentials: [{}, /No credential matches/],
  list_agents: [{}, /No agent sent a heartbeat recently/],
  list_clients: [{}, /No client was connected/],
  list_topics: [{}, /payments-in/],
  describe_topic: [{ topic_name: 'payments-in' }, /retention/],
  sample_records: [{ topic_name: 'payments-in' }, /forbidden/],
  list_consumer_groups: [{}, /No consumer group/],
  describe_consumer_group: [{ group: 'nobody' }, /group_not_found/],
  list_diagnostics: [{}, /Nothing fails/],
  get_diagnostic: [{ diagnostic_id: 'no_jobs_agent' }, /diagnostic_not_found/],
  list_acls: [{}, /mode/],
  explain_access: [
    { principal: 'User:shop', operation: 'WRITE', resource_type: 'TOPIC', resource_name: 'payments-in' },
    /is_allowed/,
  ],
  search_audit_log: [{}, /forbidden: The audit log is for administrators/],
  list_pipelines: [{}, /There are none/],
  describe_pipeline: [{ pipeline_id: 'nothing' }, /pipeline_not_found/],
  check_pipeline_configuration: [{ configuration_yaml: 'input: {}' }, /problem_count/],
  list_event_types: [{}, /acl_logs/],
  list_event_fields: [{}, /events_disabled/],
  check_filter: [{ filter: 'type == "acl_logs"' }, /is_valid/],
  search_events: [{}, /events_disabled/],
  get_event: [{ event_id: 'an-id' }, /events_disabled/],
  aggregate_events: [{}, /events_disabled/],
  list_subjects: [{}, /The schema registry of the virtual cluster is empty/],
  describe_schema: [{ subject: 'payments-value' }, /not_found/],
  // The Inspector reads arguments as JSON where it can, so that a text in quotes has two pairs.
  check_schema_compatibility: [
    { subject: 'payments-value', schema: JSON.stringify('"string"') },
    /is_compatible/,
  ],
  list_tables: [{}, /Only data lake clusters/],
  describe_migration: [{}, /no migration/],
  describe_table: [{ table_name: 'shop__orders' }, /Only data lake clusters/],
  query_table: [{ sql: 'SELECT 1' }, /forbidden|Only data lake clusters/],
  compare_events: [{ selection: '{"time_range":{"relative":"1h"}}' }, /events_disabled/],
};

const withoutCluster = ['get_context', 'list_virtual_clusters', 'search_audit_log', 'check_filter'];

test('the Inspector lists and calls every tool of a real control plane', { skip }, async (t) => {
  const { url, accounts, node } = await openMcpStage(t);
  const account = await makeAccount(accounts, 'Own');
  const key = await account.key('inspector', appGrant(account.a.id, 'app_r'));
  await node.createTopics([{ name: 'payments-in', partitionCount: 2, configs: {} }], { validateOnly: false });
  const inspect = (...args: readonly string[]) =>
    runTool('inspector', [
      '--cli',
      url,
      '--transport',
      'http',
      '--header',
      `service-api-key: ${key}`,
      ...args,
    ]);

  const listed = await inspect('--method', 'tools/list', '--strict');
  assert.equal(listed.status, 0, listed.out.slice(-500) + listed.err.slice(-2000));
  const { tools } = JSON.parse(listed.out) as { tools: { name: string }[] };
  assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(calls).sort());

  for (const [name, [args, output]] of Object.entries(calls)) {
    const all = { ...(withoutCluster.includes(name) ? {} : { virtual_cluster_id: 'orders' }), ...args };
    const given = Object.entries(all).flatMap(([argument, value]) => ['--tool-arg', `${argument}=${value}`]);
    const { out, err } = await inspect('--method', 'tools/call', '--tool-name', name, ...given);
    assert.match(out, output, `${name}: ${out.slice(0, 500)} ${err.slice(-500)}`);
  }
});
