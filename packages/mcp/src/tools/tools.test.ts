import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { caps } from '@weir/core';
import { serve } from '../../testing/served.ts';
import { tokensOf } from '../answers/tokens.ts';
import { listedTool } from './tool-list.ts';
import { tools } from './tools.ts';

const cluster = 'vcn_orders';
const clusterId = catalogue.describe_virtual_cluster.example.input.virtual_cluster_id;

/** Arguments with which each tool is called. */
const typicalArguments: Readonly<Record<string, Record<string, unknown>>> = {
  get_context: {},
  list_virtual_clusters: {},
  describe_virtual_cluster: { virtual_cluster: cluster },
  list_agents: { virtual_cluster: cluster, role: 'jobs' },
  list_topics: { virtual_cluster: clusterId, sort_by: 'size' },
  describe_topic: { virtual_cluster: 'orders', topic: 'orders' },
  list_consumer_groups: { virtual_cluster: cluster, min_lag: 1 },
  describe_consumer_group: { virtual_cluster: cluster, group: 'shop' },
  list_diagnostics: {},
  get_diagnostic: { virtual_cluster: cluster, diagnostic_id: 'no_jobs_agent' },
  list_acls: { virtual_cluster: cluster, principal: 'ccn_shop' },
  explain_access: {
    virtual_cluster: cluster,
    principal: 'User:shop',
    operation: 'WRITE',
    resource_type: 'TOPIC',
    resource_name: 'orders',
  },
  list_pipelines: { virtual_cluster: cluster, query: 'orders' },
  describe_pipeline: { virtual_cluster: cluster, pipeline: 'clean-orders' },
  list_event_types: { virtual_cluster: cluster },
  list_event_fields: { virtual_cluster: cluster, event_types: ['acl_logs'] },
  check_filter: { filter: 'data.operation == "WRITE"', virtual_cluster: cluster, since: '15m' },
  search_events: { virtual_cluster: cluster, since: '15m', filter: 'data.operation == "WRITE"' },
  get_event: { virtual_cluster: cluster, event_id: 'an-id', neighbors: 2 },
  aggregate_events: {
    virtual_cluster: cluster,
    group_by: ['data.operation', 'data.resource_type'],
    over_time: true,
  },
  compare_events: {
    virtual_cluster: cluster,
    selection: { since: '1h', filter: 'data.log_level == "error"' },
  },
};

const listed = tools.map((tool) => listedTool(tool, 'https://weir.example'));

test('the list of tools is what the snapshot says', () => {
  const file = new URL('./tools.snapshot.json', import.meta.url);
  const found = `${JSON.stringify(listed, null, 2)}\n`;
  // To accept a change, delete the file, run the test twice, and look at what has changed.
  if (!existsSync(file)) {
    writeFileSync(file, found);
    assert.fail('there was no snapshot; it is written now, and wants to be looked at');
  }
  assert.deepEqual(JSON.parse(found), JSON.parse(readFileSync(file, 'utf8')));
});

test('the list of tools costs a model at most 12,000 tokens', () => {
  assert.ok(tokensOf(JSON.stringify(listed)) <= 12_000, String(tokensOf(JSON.stringify(listed))));
});

test('tools are made of operations that only read', () => {
  for (const { name, operations } of tools)
    for (const operation of operations)
      assert.equal(catalogue[operation].access, 'read', `${name}: ${operation}`);
});

test('tools are told apart by names that clients accept', () => {
  const names = tools.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+(?:_[a-z]+)+$/);
  assert.deepEqual(Object.keys(typicalArguments), names);
});

for (const { name, output } of tools) {
  for (const format of ['concise', 'detailed'] as const) {
    test(`${name} answers with what it promised, ${format}`, async (t) => {
      const { connect, calls } = await serve(t);
      const client = await connect();
      await client.listTools();
      const args = { ...typicalArguments[name], format };
      // The client checks the answer against the schema of the tool.
      const answer = await client.callTool({ name, arguments: args });
      const [text] = answer.content as unknown as [{ readonly text: string }];
      assert.notEqual(answer.isError, true, text.text);
      output.parse(answer.structuredContent);
      assert.ok(tokensOf(text.text) <= caps.mcpAnswerTokensUsual);
      assert.ok(tokensOf(JSON.stringify(answer.structuredContent)) <= caps.mcpAnswerTokensUsual);
      if (format === 'detailed') assert.deepEqual(JSON.parse(text.text), answer.structuredContent);
      const used = new Set(calls.map(([operation]) => operation));
      const { operations } = tools.find((tool) => tool.name === name)!;
      for (const operation of used)
        assert.ok([...operations, 'get_context'].includes(operation), `${name} calls ${operation}`);
    });
  }
}

const refused: [what: string, tool: string, args: Record<string, unknown>, says: RegExp][] = [
  [
    'an unknown argument',
    'list_topics',
    { virtual_cluster: cluster, topik: 'x' },
    /^invalid_arguments: unknown field "topik"; the fields are virtual_cluster, query/,
  ],
  ['a missing argument', 'list_topics', {}, /^invalid_arguments: virtual_cluster: /],
  [
    'a wrong type',
    'list_topics',
    { virtual_cluster: 7 },
    /^invalid_arguments: virtual_cluster: expected string/,
  ],
  [
    'a cluster that is not there',
    'list_topics',
    { virtual_cluster: 'ordrs' },
    /^cluster_not_found: .*orders/,
  ],
  [
    'a pipeline that is not there',
    'describe_pipeline',
    { virtual_cluster: cluster, pipeline: 'clean-order' },
    /^pipeline_not_found: .*clean-orders/,
  ],
  [
    'a cursor that is none',
    'list_topics',
    { virtual_cluster: cluster, cursor: 'nonsense' },
    /^invalid_cursor: /,
  ],
  ['too many rows', 'list_topics', { virtual_cluster: cluster, limit: 5000 }, /^invalid_arguments: limit: /],
  [
    'more tokens than ever',
    'list_topics',
    { virtual_cluster: cluster, max_tokens: 30_000 },
    /^invalid_arguments: max_tokens: /,
  ],
  [
    'two days',
    'search_events',
    { virtual_cluster: cluster, since: '48h' },
    /^window_too_large: .*Use since 24h/,
  ],
  [
    'since and start',
    'search_events',
    { virtual_cluster: cluster, since: '1h', start: '2026-01-31T12:00:00Z' },
    /^invalid_time_range: Give since, or start and end/,
  ],
  [
    'a start without an end',
    'search_events',
    { virtual_cluster: cluster, start: '2026-01-31T12:00:00Z' },
    /^invalid_time_range: start and end go together/,
  ],
  [
    'a filter with one equals sign',
    'search_events',
    { virtual_cluster: cluster, filter: 'data.operation = "WRITE"' },
    /^filter_syntax: .*line 1, column 16[\s\S]*\^[\s\S]*Write == there/,
  ],
  [
    'an average of nothing',
    'aggregate_events',
    { virtual_cluster: cluster, measure: 'avg' },
    /^invalid_arguments: avg needs field/,
  ],
  [
    'three fields to group by',
    'aggregate_events',
    { virtual_cluster: cluster, group_by: ['type', 'data.operation', 'data.principal'] },
    /^invalid_arguments: group_by: /,
  ],
];

for (const [what, name, args, says] of refused) {
  test(`${what} is told as an answer that says what to do`, async (t) => {
    const { connect } = await serve(t);
    const client = await connect();
    const answer = await client.callTool({ name, arguments: args });
    const [text] = answer.content as unknown as [{ readonly text: string }];
    assert.equal(answer.isError, true);
    assert.match(text.text, says);
  });
}
