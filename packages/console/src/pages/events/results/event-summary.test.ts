import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventSummary } from './event-summary.ts';

test('each type of event has a sentence', () => {
  const denial = {
    principal: 'User:bob',
    operation: 'READ',
    resource_type: 'TOPIC',
    resource_name: 'orders',
  };
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['acl_logs', { ...denial, is_allowed: false }, 'User:bob was denied READ on topic orders'],
    ['acl_logs', { ...denial, is_allowed: true }, 'User:bob was allowed READ on topic orders'],
    ['acl_logs', { ...denial, is_shadow: true }, 'User:bob would be denied READ on topic orders'],
    [
      'acl_logs',
      { ...denial, suppressed: 3 },
      'User:bob was denied READ on topic orders (and 3 earlier times, not recorded)',
    ],
    [
      'acl_logs',
      { ...denial, suppressed: 3, suppressed_others: 10 },
      'User:bob was denied READ on topic orders (and 3 earlier times and 10 other denials, not recorded)',
    ],
    ['agent_logs', { log_level: 'info', message: 'started' }, 'started'],
    [
      'cluster_metrics',
      { metric_name: 'lag', value: 12, tags: { group: 'shop' } },
      'lag is 12 for group=shop',
    ],
    ['cluster_metrics', { metric_name: 'lag', value: 12 }, 'lag is 12'],
    [
      'diagnostics_logs',
      { title: 'Lag grows', transition: 'failed', message: 'of shop' },
      'Lag grows failed: of shop',
    ],
    ['tableflow_logs', { type: 'created', agent_id: 'x', table_name: 't' }, 'type=created, table_name=t'],
    ['tableflow_logs', { type: 'table_created', message: 'created', table_name: 't' }, 't: created'],
    ['unknown', {}, ''],
  ];
  for (const [type, data, sentence] of cases) assert.equal(eventSummary({ type, data } as never), sentence);
});

test('long texts and invisible characters stay harmless', () => {
  const summary = eventSummary({
    type: 'agent_logs',
    data: { message: `\u202e${'x'.repeat(1 << 20)}` },
  } as never);
  assert.ok(summary.length < 500);
  assert.ok(summary.startsWith('⟨U+202E⟩'));
});
