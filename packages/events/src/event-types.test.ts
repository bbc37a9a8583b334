import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { agentSource, type EventRecord, readAgentSource } from './envelope.ts';
import { eventEnvelope } from './envelope-schema.ts';
import { envelopeFields, fieldsOf, filterFieldsOf } from './event-fields.ts';
import { eventTypeNames, eventTypes, isEventTypeName } from './event-types.ts';
import { parseFilter } from './filter/parse.ts';
import { presets } from './presets.ts';
import { eventsPage } from './reference-page.ts';
import { resolveTimeRange } from './time-range.ts';

const denial: EventRecord = {
  specversion: '1.0',
  id: '0f6a4f3e',
  source: 'ws:agent:vci_1:a1',
  type: 'acl_logs',
  time: '2026-11-15T10:21:07.418123456Z',
  datacontenttype: 'application/json',
  data: { operation: 'CREATE', kafka_api_key: 19, is_log: true, tags: { a: [1, null] } },
};

test('an event has an envelope', () => {
  assert.deepEqual(eventEnvelope.parse(denial), denial);
  const extended = { ...denial, traceparent: '00-1' };
  assert.deepEqual(eventEnvelope.parse(extended), extended);
  const cases: [name: string, change: Record<string, unknown>][] = [
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
    ['no source', { source: undefined }],
    ['a time that is local', { time: '2026-11-15T10:21:07' }],
    ['a time with an offset', { time: '2026-11-15T10:21:07+01:00' }],
    ['data that is no object', { data: 'x' }],
    ['no data', { data: undefined }],
  ];
  for (const [name, change] of cases) {
    assert.ok(!eventEnvelope.safeParse({ ...denial, ...change }).success, name);
  }
});

test('the source of an event identifies its agent', () => {
  const agent = { virtualClusterId: 'vci_1fe67d2c_4ac4', agentId: '7c1d9b34-1f0e' };
  assert.equal(agentSource(agent), 'ws:agent:vci_1fe67d2c_4ac4:7c1d9b34-1f0e');
  assert.deepEqual(readAgentSource(agentSource(agent)), agent);
  for (const source of ['', 'ws:agent:', 'ws:agent:a', 'ws:agent::b', 'ws:diagnostics:a:b', 'ws:agent:a:b:c'])
    assert.equal(readAgentSource(source), undefined, source);
});

test('every type has its documented fields', () => {
  const promised: Record<string, string> = {
    envelope: 'specversion id source type time datacontenttype data',
    agent_logs: 'log_level message',
    acl_logs:
      'address agent_id correlation_id hostname_fqdn is_log kafka_api_key kafka_api_key_name kafka_enabled log_level message module operation principal resource_name resource_type virtual_cluster_id virtual_cluster_name credential_name',
    pipeline_logs: 'pipeline_name stage message',
    orbit_logs: 'type pipeline_name topic',
    diagnostics_logs: 'diagnostic_id diagnostic_source diagnostic_type transition',
    tableflow_logs: 'type table_name table_uuid pipeline_name pipeline_id',
    cluster_metrics: 'metric_name',
  };
  for (const name of promised.envelope!.split(' '))
    assert.ok(
      envelopeFields.some((field) => field.name === name),
      name,
    );
  for (const type of eventTypeNames) {
    const names = eventTypes[type].fields.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, `${type} names a field twice`);
    for (const name of promised[type]!.split(' '))
      assert.ok(names.includes(`data.${name}`), `${type} ${name}`);
  }
});

test('the fields of several types are one list', () => {
  const names = fieldsOf().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(names.slice(0, 4), ['specversion', 'id', 'source', 'type']);
  const ofMetrics = fieldsOf(['cluster_metrics']).map(({ name }) => name);
  assert.ok(ofMetrics.includes('data.metric_name') && !ofMetrics.includes('data.operation'));
  assert.ok(isEventTypeName('acl_logs') && !isEventTypeName('acl'));
});

test('a filter may name the fields of its types, and any field within tags', () => {
  const fields = filterFieldsOf(['cluster_metrics']);
  const cases: [filter: string, suggestion: string | undefined][] = [
    ['data.metric_name == "x"', undefined],
    ['data.tags.topic == "x"', undefined],
    ['data.tags.`consumer-group`.x == "x"', undefined],
    ['data.tags != null', undefined],
    ['data != null', undefined],
    ['data.metric_nam == "x"', 'data.metric_name'],
    ['data.tag.topic == "x"', undefined],
  ];
  for (const [filter, suggestion] of cases) {
    const { problems } = parseFilter(filter, { fields });
    assert.equal(problems?.[0]?.suggestion, suggestion, filter);
    assert.equal(problems !== undefined, /nam ==|tag\./.test(filter), filter);
  }
});

test('presets name fields that their events have, and ranges that can be searched', () => {
  assert.deepEqual(
    presets.map(({ title }) => title),
    [
      ...['Warnings and Errors by Type', 'Denied Requests', 'Failed Logins'],
      ...['ACL by Operation', 'ACL by Resource Type'],
      ...['Pipeline Errors', 'Pipeline Warnings', 'Events by Stage'],
    ],
  );
  for (const { title, eventTypes: types, filter, range, groupBy, columns = [] } of presets) {
    const fields = filterFieldsOf(types.length === 0 ? undefined : types);
    assert.equal(parseFilter(filter, { fields }).problems, undefined, title);
    for (const field of [groupBy, ...columns]) assert.ok(fields.includes(field), `${title}: ${field}`);
    assert.ok(resolveTimeRange(range, { nowMs: 0, timeZone: 'UTC' }).window, title);
  }
});

test('the page on disk matches the definitions', () => {
  const url = new URL('../../../docs/reference/events.md', import.meta.url);
  assert.ok(
    readFileSync(url, 'utf8') === eventsPage(),
    'docs/reference/events.md is out of date; run npm run docs',
  );
});

test('the example event on the page is valid', () => {
  const [, json] = /```json\n([^`]*)```/.exec(eventsPage())!;
  const event = eventEnvelope.parse(JSON.parse(json!));
  assert.ok(isEventTypeName(event.type) && readAgentSource(event.source) !== undefined);
});
