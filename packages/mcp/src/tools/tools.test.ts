import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { serve } from '../../testing/served.ts';
import { tokensOf } from '../answers/tokens.ts';
import { mcpLimits } from '../limits.ts';
import { writeTools } from '../writes/write-tools.ts';
import { listedTool } from './tool-list.ts';
import { tools } from './tools.ts';

const cluster = 'vcn_orders';
const clusterId = catalogue.describe_virtual_cluster.example.input.virtual_cluster_id;

/** Arguments with which the test calls each tool. */
const typicalArguments: Readonly<Record<string, Record<string, unknown>>> = {
  get_context: {},
  list_virtual_clusters: {},
  describe_virtual_cluster: { virtual_cluster_id: cluster },
  query_metrics: { virtual_cluster_id: cluster, metrics: ['lag'], group_by: 'group' },
  describe_storage_costs: { virtual_cluster_id: cluster },
  list_agents: { virtual_cluster_id: cluster, role: 'jobs' },
  list_jobs: { virtual_cluster_id: cluster, state: 'done' },
  list_clients: { virtual_cluster_id: cluster, software_name: 'apache-kafka-java' },
  list_topics: { virtual_cluster_id: clusterId, sort_by: 'size' },
  describe_topic: { virtual_cluster_id: 'orders', topic_name: 'orders' },
  sample_records: { virtual_cluster_id: cluster, topic_name: 'orders', limit: 1 },
  list_consumer_groups: { virtual_cluster_id: cluster, lag_min: 1 },
  describe_consumer_group: { virtual_cluster_id: cluster, group: 'shop' },
  list_subjects: { virtual_cluster_id: cluster, subject_prefix: 'orders' },
  describe_schema: { virtual_cluster_id: cluster, subject: 'orders-value' },
  check_schema_compatibility: { virtual_cluster_id: cluster, subject: 'orders-value', schema: '"string"' },
  list_diagnostics: {},
  get_diagnostic: { virtual_cluster_id: cluster, diagnostic_id: 'no_jobs_agent' },
  list_acls: { virtual_cluster_id: cluster, principal: 'ccn_shop' },
  explain_access: {
    virtual_cluster_id: cluster,
    principal: 'User:shop',
    operation: 'WRITE',
    resource_type: 'TOPIC',
    resource_name: 'orders',
  },
  list_credentials: { virtual_cluster_id: cluster },
  search_audit_log: { relative: '1h', actor: 'ada@example.com' },
  list_pipelines: { virtual_cluster_id: cluster, query: 'orders' },
  describe_pipeline: { virtual_cluster_id: cluster, pipeline_id: 'clean-orders' },
  check_pipeline_configuration: {
    virtual_cluster_id: cluster,
    configuration_yaml: 'input: {}',
    messages: ['{"id":7}'],
  },
  describe_migration: { virtual_cluster_id: cluster },
  list_tables: { virtual_cluster_id: cluster },
  describe_table: { virtual_cluster_id: cluster, table_name: 'ecommerce__orders' },
  query_table: { virtual_cluster_id: cluster, sql: 'SELECT 1' },
  list_event_types: { virtual_cluster_id: cluster },
  list_event_fields: { virtual_cluster_id: cluster, event_types: ['acl_logs'] },
  check_filter: {
    filter: 'data.operation == "WRITE"',
    virtual_cluster_id: cluster,
    time_range: { relative: '15m' },
  },
  search_events: {
    virtual_cluster_id: cluster,
    time_range: { relative: '15m' },
    filter: 'data.operation == "WRITE"',
  },
  get_event: { virtual_cluster_id: cluster, event_id: 'an-id', neighbors: 2 },
  aggregate_events: {
    virtual_cluster_id: cluster,
    group_by: 'data.operation',
    then_by: 'data.resource_type',
    over_time: true,
  },
  compare_events: {
    virtual_cluster_id: cluster,
    selection: { time_range: { relative: '1h' }, filter: 'data.log_level == "error"' },
  },
};

const listed = tools.map((tool) => listedTool(tool, 'https://weir.example'));
const listedWrites = writeTools.map((tool) => listedTool(tool, 'https://weir.example'));

test('the list of tools matches the snapshot', () => {
  const file = new URL('./tools.snapshot.json', import.meta.url);
  const found = `${JSON.stringify([...listed, ...listedWrites], null, 2)}\n`;
  // To accept a change, delete the file, run the test twice, and review the difference.
  if (!existsSync(file)) {
    writeFileSync(file, found);
    assert.fail('there was no snapshot; it is written now and has to be reviewed');
  }
  assert.deepEqual(JSON.parse(found), JSON.parse(readFileSync(file, 'utf8')));
});

// 8,400 before the three tools for tables and that for migrations, each of which takes about 170.
test('the list of tools costs a model at most 9,050 tokens, output schemas included', () => {
  assert.ok(tokensOf(JSON.stringify(listed)) <= 9_050, String(tokensOf(JSON.stringify(listed))));
  for (const { name, outputSchema } of listed) assert.ok(outputSchema?.properties !== undefined, name);
});

test('the tools that change something add at most 2,000 tokens', () => {
  assert.ok(tokensOf(JSON.stringify(listedWrites)) <= 2_000, String(tokensOf(JSON.stringify(listedWrites))));
});

test('arguments that are explained at another tool are listed there in full', () => {
  const argumentsOf = (tool: string) =>
    listed.find(({ name }) => name === tool)?.inputSchema.properties as Record<
      string,
      { description?: string }
    >;
  for (const { name } of listed)
    for (const [argument, { description = '' }] of Object.entries(argumentsOf(name))) {
      const tool = /^As in (\w+)/.exec(description)?.[1];
      if (tool !== undefined) assert.ok(argument in argumentsOf(tool), `${name}: ${argument}`);
    }
});

test('tools use only operations that read, and two of them read records', () => {
  const readers = ['sample_records: read_records', 'query_table: dl/query_table'];
  for (const { name, operations } of tools)
    for (const operation of operations) {
      const use = `${name}: ${operation}`;
      assert.equal(catalogue[operation].access, readers.includes(use) ? 'records' : 'read', use);
    }
});

test('tools have distinct names that clients accept', () => {
  const names = tools.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+(?:_[a-z]+)+$/);
  assert.deepEqual(Object.keys(typicalArguments), names);
});

for (const { name, output } of tools) {
  for (const format of ['concise', 'detailed'] as const) {
    test(`${name} answers as its schema says, ${format}`, async (t) => {
      const { connect, calls } = await serve(t);
      const client = await connect();
      await client.listTools();
      const args = { ...typicalArguments[name], format };
      // The client checks the answer against the schema of the tool.
      const answer = await client.callTool({ name, arguments: args });
      const [text] = answer.content as unknown as [{ readonly text: string }];
      assert.notEqual(answer.isError, true, text.text);
      output.parse(answer.structuredContent);
      assert.ok(tokensOf(text.text) <= mcpLimits.mcpAnswerTokensUsual);
      assert.ok(tokensOf(JSON.stringify(answer.structuredContent)) <= mcpLimits.mcpAnswerTokensUsual);
      // Clients that hand both to a model do not give it the same JSON twice.
      assert.throws(() => JSON.parse(text.text));
      const used = new Set(calls.map(([operation]) => operation));
      const { operations } = tools.find((tool) => tool.name === name)!;
      for (const operation of used)
        assert.ok([...operations, 'get_context'].includes(operation), `${name} calls ${operation}`);
    });
  }
}

const refused: [what: string, tool: string, args: Record<string, unknown>, message: RegExp][] = [
  [
    'an unknown argument',
    'list_topics',
    { virtual_cluster_id: cluster, topik: 'x' },
    /^invalid_arguments: unknown field "topik"; the fields are virtual_cluster_id, query/,
  ],
  ['a missing argument', 'list_topics', {}, /^invalid_arguments: virtual_cluster_id: /],
  [
    'a wrong type',
    'list_topics',
    { virtual_cluster_id: 7 },
    /^invalid_arguments: virtual_cluster_id: expected string/,
  ],
  ['an unknown cluster', 'list_topics', { virtual_cluster_id: 'ordrs' }, /^cluster_not_found: .*orders/],
  [
    'an unknown pipeline',
    'describe_pipeline',
    { virtual_cluster_id: cluster, pipeline_id: 'clean-order' },
    /^pipeline_not_found: .*clean-orders/,
  ],
  [
    'an invalid cursor',
    'list_topics',
    { virtual_cluster_id: cluster, cursor: 'nonsense' },
    /^invalid_cursor: /,
  ],
  [
    'too many rows',
    'list_topics',
    { virtual_cluster_id: cluster, limit: 5000 },
    /^invalid_arguments: limit: /,
  ],
  [
    'too many tokens',
    'list_topics',
    { virtual_cluster_id: cluster, max_tokens: 30_000 },
    /^invalid_arguments: max_tokens: /,
  ],
  [
    'two days',
    'search_events',
    { virtual_cluster_id: cluster, time_range: { relative: '48h' } },
    /^window_too_large: .*Use time_range \{"relative":"24h"\}/,
  ],
  [
    'relative and start',
    'search_events',
    { virtual_cluster_id: cluster, time_range: { relative: '1h', start: '2026-01-31T12:00:00Z' } },
    /^invalid_time_range: Set either relative, or start and end/,
  ],
  [
    'a start without an end',
    'search_events',
    { virtual_cluster_id: cluster, time_range: { start: '2026-01-31T12:00:00Z' } },
    /^invalid_time_range: start and end go together/,
  ],
  [
    'a filter with one equals sign',
    'search_events',
    { virtual_cluster_id: cluster, filter: 'data.operation = "WRITE"' },
    /^filter_syntax: .*line 1, column 16[\s\S]*\^[\s\S]*Write == there/,
  ],
  [
    'an average of nothing',
    'aggregate_events',
    { virtual_cluster_id: cluster, aggregation: 'avg' },
    /^invalid_arguments: avg needs field/,
  ],
  [
    'a second field to group by without a first',
    'aggregate_events',
    { virtual_cluster_id: cluster, then_by: 'data.operation' },
    /^invalid_arguments: then_by needs group_by/,
  ],
];

for (const [what, name, args, message] of refused) {
  test(`${what} gives an answer that says what to do`, async (t) => {
    const { connect } = await serve(t);
    const client = await connect();
    const answer = await client.callTool({ name, arguments: args });
    const [text] = answer.content as unknown as [{ readonly text: string }];
    assert.equal(answer.isError, true);
    assert.match(text.text, message);
  });
}
