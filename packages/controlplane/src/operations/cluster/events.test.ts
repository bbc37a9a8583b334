import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOf, ErrorCode } from '@weir/api';
import { ApiError } from '@weir/api';
import { clusterLimits } from '@weir/cluster/limits';
import { agentOf } from '@weir/diagnostics/testing';
import type { QueryAnswer, QueryRequest } from '@weir/events';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';
import { until } from '../../../testing/until.ts';
import { queryEngine } from './event-queries.ts';

const stats = {
  eventsMatched: 3,
  isExact: true,
  eventsScanned: 10,
  eventsPruned: 90,
  eventsCached: 5,
  eventsParsed: 3,
  eventsUnreadable: 0,
  bytesScanned: 9000,
  bytesRead: 4096,
  elapsedMs: 12.4,
};
const basis = { stats, hasNoData: false } as const;
const row = (number: number) => ({
  timeMs: 1_700_000_000_000 + number,
  type: 'acl_logs' as const,
  offset: number,
  event: {
    specversion: '1.0',
    id: `e${number}`,
    source: 'ws:agent:vci_1:a',
    type: 'acl_logs',
    time: new Date(1_700_000_000_000 + number).toISOString(),
    datacontenttype: 'application/json',
    data: { number },
  },
});

type Answers = (request: QueryRequest) => QueryAnswer;

/** A cluster with events on, and an agent whose engine gives the test's answers. */
async function testApi(t: Parameters<typeof openTestClusterApi>[0], answer: Answers | undefined) {
  const opened = await openTestClusterApi(t);
  await opened.call('update_events_state', { enabled: true });
  const requests: QueryRequest[] = [];
  if (answer !== undefined) await serve(opened, answer, requests);
  return { ...opened, requests };
}

async function serve({ node }: TestClusterApi, answer: Answers, requests: QueryRequest[]): Promise<void> {
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  await node.heartbeat(agent);
  const serveNext = async (): Promise<void> => {
    const taken = await node.takeQuery({ agentId: 'a', waitMs: 20_000 }).catch(() => null);
    if (taken === null) return;
    const request = JSON.parse(String(Buffer.from(taken.request))) as QueryRequest;
    requests.push(request);
    const text = Buffer.from(JSON.stringify(answer(request)));
    const { queryId } = taken;
    await node.reportQuery({ agentId: 'a', queryId, state: 'done', answer: text, message: '' });
    return serveNext();
  };
  void serveNext();
}

test('a search becomes a query to an agent, and its answer is returned', async (t) => {
  const { call, requests } = await testApi(t, () => ({
    kind: 'search',
    rows: [row(2), row(1)],
    hasMore: true,
    timeline: {
      bucketMs: 30_000,
      startMs: 1_700_000_010_000,
      bucketCount: 2,
      isApproximate: false,
      series: [
        { key: 'WRITE', thenKey: 'TOPIC', count: 2, total: 2, values: [2, 0] },
        { key: null, thenKey: null, count: 1, total: 1, values: [1, null] },
        { count: 1, total: 1, values: [0, 1] },
      ],
    },
    ...basis,
  }));
  const found = await call('search_events', {
    event_types: ['acl_logs'],
    time_range: { start: '2023-11-14T22:00:00Z', end: '2023-11-14T23:00:00Z' },
    filter: 'data.operation == "WRITE"',
    limit: 2,
    timeline: { group_by: 'data.operation', then_by: 'data.resource_type' },
  });
  assert.deepEqual(requests[0], {
    kind: 'search',
    types: ['acl_logs'],
    window: { startMs: Date.UTC(2023, 10, 14, 22), endMs: Date.UTC(2023, 10, 14, 23) },
    filter: {
      stages: [
        { kind: 'comparison', field: { path: ['data', 'operation'] }, operator: '==', value: 'WRITE' },
      ],
    },
    order: 'desc',
    limit: 2,
    timeline: {
      aggregation: 'count',
      seriesMax: 10,
      groupBy: { path: ['data', 'operation'] },
      thenBy: { path: ['data', 'resource_type'] },
    },
  });
  const { next_cursor, ...rest } = found;
  assert.deepEqual(rest, {
    events: [row(2).event, row(1).event],
    truncated: true,
    timeline: {
      bucket_seconds: 30,
      is_approximate: false,
      series: [
        { key: 'WRITE', then_key: 'TOPIC', is_other: false, count: 2, total: 2, points: points(2, 0) },
        { key: null, then_key: null, is_other: false, count: 1, total: 1, points: points(1, null) },
        { key: null, is_other: true, count: 1, total: 1, points: points(0, 1) },
      ],
    },
    stats: {
      events_matched: 3,
      is_exact: true,
      events_scanned: 10,
      events_pruned: 90,
      events_cached: 5,
      bytes_scanned: 9000,
      bytes_read: 4096,
      ms: 12,
    },
  });
  await call('search_events', { cursor: next_cursor!, sort: 'desc' });
  const second = requests[1]!;
  assert.ok(second.kind === 'search');
  assert.deepEqual(second.after, { timeMs: 1_700_000_000_001, type: 'acl_logs', offset: 1 });
  assert.equal(second.window.endMs - second.window.startMs, 3_600_000, 'the last hour');
});

function points(...values: readonly (number | null)[]) {
  const times = ['2023-11-14T22:13:30.000Z', '2023-11-14T22:14:00.000Z'];
  return values.map((value, bucket) => [times[bucket], value]);
}

test('a timeline, fields and one event', async (t) => {
  const { call, requests, refusal } = await testApi(t, (request) => {
    switch (request.kind) {
      case 'search': {
        const series = [{ key: null, count: 2, total: 1.5, values: [1.5] }];
        const timeline = { bucketMs: 1, startMs: 0, bucketCount: 1, isApproximate: true, series };
        return { kind: 'search', rows: [], hasMore: true, timeline, ...basis, partial: 'time' };
      }
      case 'fields': {
        const topValues = [{ value: 'WRITE', events: 2 }];
        const field = { path: ['data', 'operation'], name: 'data.operation', types: ['string'] as const };
        const fields = [{ ...field, presentEvents: 2, topValues, distinctValues: 1 }];
        return { kind: 'fields', fields, sampledEvents: 2, isSample: false, ...basis };
      }
      case 'event':
        return request.id === 'e2'
          ? { kind: 'event', event: row(2), before: [row(1)], after: [row(3)], ...basis }
          : { kind: 'event', before: [], after: [], ...basis };
      case 'estimate':
        return { kind: 'estimate', events: 12_000, bytes: 34_000, ...basis };
    }
  });
  const { timeline, partial } = await call('get_events_timeline', {
    aggregation: 'avg',
    field: 'data.value::float',
  });
  assert.deepEqual(
    [timeline.bucket_seconds, timeline.series[0]!.points[0]![1], partial],
    [0.001, 1.5, 'time'],
  );
  const [charted] = requests;
  assert.ok(charted?.kind === 'search' && charted.limit === 0);
  assert.deepEqual(charted.timeline?.field, { path: ['data', 'value'], cast: 'float' });

  const { fields, sampled_events } = await call('list_event_fields', {});
  assert.deepEqual(
    [fields[0], sampled_events],
    [
      {
        name: 'data.operation',
        types: ['string'],
        events: 2,
        distinct_values: 1,
        top_values: [{ value: 'WRITE', events: 2 }],
      },
      2,
    ],
  );

  assert.match(
    (await refusal('get_events_timeline', { group_by: 'data.a', then_by: 'data.b' }))[1],
    /too old to group by two fields/,
    'an agent of an earlier release',
  );
  requests.splice(2);

  const near = '2023-11-14T22:13:20Z';
  const { event, before, after } = await call('get_event', { event_id: 'e2', near, neighbors: 1 });
  assert.deepEqual([event, before, after], [row(2).event, [row(1).event], [row(3).event]]);
  const sought = requests[2];
  assert.ok(sought?.kind === 'event');
  assert.deepEqual(sought.window, { startMs: 1_699_956_800_000, endMs: 1_700_043_200_000 });
  assert.deepEqual(await refusal('get_event', { event_id: 'e9' }), [
    'not_found',
    'No event of the last 24 hours has this id; for an older event, set near to its time.',
  ]);
});

test('presets and the check of a filter need no agent', async (t) => {
  const { call } = await testApi(t, undefined);
  const { presets } = await call('list_event_presets', {});
  assert.ok(presets.some(({ title }) => title === 'ACL by Operation'));
  const builder = {
    join: 'and',
    rows: [{ field: 'data.operation', operator: '==', value: 'WRITE' }],
  } as const;
  const checked = {
    is_valid: true,
    filter: 'data.operation == "WRITE"',
    filter_builder: builder,
    problems: [],
    warnings: [],
  };
  assert.deepEqual(await call('check_event_filter', { filter: "data.operation=='WRITE'" }), checked);
  assert.deepEqual(
    await call('check_event_filter', { filter_builder: { ...builder, rows: [...builder.rows] } }),
    checked,
    'each form becomes the other',
  );
  const chained = await call('check_event_filter', { filter: 'data.a == 1 | data.b == 2' });
  assert.equal(chained.filter_builder, null, 'rows have no chains');
  const wrong = await call('check_event_filter', { filter: 'data.operation = "WRITE"' });
  assert.equal(wrong.is_valid, false);
  assert.deepEqual([wrong.problems[0]!.line, wrong.problems[0]!.column], [1, 16]);
  const unknown = await call('check_event_filter', { filter: 'data.operatoin == "WRITE"' });
  assert.deepEqual([unknown.is_valid, unknown.warnings.length], [true, 1]);
});

test('a valid filter gets an estimate on request', async (t) => {
  const { call, requests, refusal } = await testApi(t, () => ({
    kind: 'estimate',
    events: 12_000,
    bytes: 34_000,
    ...basis,
    partial: 'time',
  }));
  const question = { filter: 'data.n > 1', event_types: ['acl_logs' as const], with_estimate: true };
  const { estimate } = await call('check_event_filter', { ...question, time_range: { relative: '15m' } });
  assert.deepEqual(estimate, { events: 12_000, bytes: 34_000, is_partial: true });
  const [request] = requests;
  assert.ok(request?.kind === 'estimate');
  assert.deepEqual(request.types, ['acl_logs']);
  assert.equal(request.window.endMs - request.window.startMs, 900_000);

  const wrong = await call('check_event_filter', { ...question, filter: 'data.n = 1' });
  assert.deepEqual([wrong.is_valid, wrong.estimate], [false, undefined]);
  const plain = await call('check_event_filter', { filter: 'data.n > 1' });
  assert.equal(plain.estimate, undefined);
  assert.equal(requests.length, 1, 'no other query was sent');
  assert.equal(
    (await refusal('check_event_filter', { ...question, time_range: { relative: '3d' } }))[0],
    'window_too_large',
  );
  await call('update_events_state', { enabled: false });
  assert.equal((await refusal('check_event_filter', question))[0], 'events_disabled');
});

test('an empty result is not an error', async (t) => {
  const { call, refusal } = await testApi(t, ({ kind }) => {
    const none = { ...basis, hasNoData: true };
    return kind === 'event'
      ? { kind, before: [], after: [], ...none }
      : { kind: 'search', rows: [], hasMore: false, ...none };
  });
  const { events, message } = await call('search_events', {});
  assert.deepEqual([events, message], [[], 'No events data was found.']);
  assert.deepEqual(await refusal('get_event', { event_id: 'e' }), ['not_found', 'No events data was found.']);
});

type SearchCall = Omit<CallOf<'search_events'>, 'virtual_cluster_id'>;
const refusals: readonly [call: SearchCall, code: ErrorCode, pattern: RegExp][] = [
  [
    { filter: 'data.a == 1', filter_builder: { rows: [] } },
    'invalid_request',
    /^filter_builder: goes without filter; a search has one filter, as text or as rows/,
  ],
  [
    { filter_builder: { rows: [{ field: 'data.a', operator: 'in', value: 1 }] } },
    'filter_syntax',
    /^filter_builder\.rows\[0\]: /,
  ],
  [{ filter: 'data.a = 1' }, 'filter_syntax', /^line 1, column 8: .*\n.*\n {7}\^/],
  [{ time_range: { relative: '25h' } }, 'window_too_large', /at most; the newest part of it is .*24h/],
  [{ time_range: { relative: 'soon' } }, 'invalid_request', /^time_range: soon is not a duration/],
  [{ time_range: { relative: '1h', preset: 'today' } }, 'invalid_request', /^time_range: is one of/],
  [{ time_range: { start: '2023-11-14T22:00:00Z' } }, 'invalid_request', /start and end go together/],
  [{ time_range: { relative: '1h', from: '09:30' } }, 'invalid_request', /parts of a day/],
  [{ time_range: { preset: 'today', time_zone: 'Mars' } }, 'invalid_request', /Mars is not a time zone/],
  [{ timeline: { aggregation: 'avg' } }, 'invalid_request', /^timeline.field: avg needs a field/],
  [{ timeline: { group_by: 'a == 1 or b' } }, 'invalid_request', /^timeline.group_by: is not a field/],
  [{ timeline: { then_by: 'data.a' } }, 'invalid_request', /^timeline.then_by: is a second field/],
  [{ timeline: { group_by: '' } }, 'invalid_request', /^timeline.group_by: /],
  [{ cursor: 'abc' }, 'invalid_request', /^cursor: /],
  [{ cursor: 'abc', timeline: {} }, 'invalid_request', /^timeline: /],
];

test('an invalid query is refused before it is sent to an agent', async (t) => {
  const { refusal } = await testApi(t, undefined);
  for (const [body, code, pattern] of refusals) {
    const [found, message] = await refusal('search_events', body);
    assert.equal(found, code, JSON.stringify(body));
    assert.match(message, pattern);
  }
});

test('disabled events are reported as disabled', async (t) => {
  const { call, refusal } = await testApi(t, undefined);
  await call('update_events_state', { enabled: false });
  for (const name of ['search_events', 'get_events_timeline', 'list_event_fields'] as const)
    assert.equal((await refusal(name, {}))[0], 'events_disabled');
  assert.equal((await refusal('get_event', { event_id: 'e' }))[0], 'events_disabled');
});

test('without an agent that answers, the error says what to do', async (t) => {
  const { refusal } = await testApi(t, undefined);
  const [code, message] = await refusal('search_events', {});
  assert.equal(code, 'no_query_engine');
  assert.match(message, /-disableQueryEngine/);
});

test('busy agents give a retriable error, and a failure is reported', async (t) => {
  const { node, refusal } = await testApi(t, undefined);
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  await node.heartbeat(agent);
  const running: string[] = [];
  const outcomes: Promise<[ErrorCode, string]>[] = [];
  for (let count = 0; count < clusterLimits.queriesPerAgentMax; count++) {
    const taken = node.takeQuery({ agentId: 'a', waitMs: 20_000 });
    outcomes.push(refusal('search_events', {}));
    running.push((await taken)!.queryId);
  }
  assert.equal((await refusal('search_events', {}))[0], 'too_many_queries');
  for (const queryId of running)
    await node.reportQuery({
      agentId: 'a',
      queryId,
      state: 'failed',
      answer: null,
      message: 'the bucket is away',
    });
  for (const outcome of await Promise.all(outcomes))
    assert.deepEqual(outcome, ['unavailable', 'The query failed: the bucket is away.']);
});

test('a caller that disconnects cancels its query', async (t) => {
  const { node } = await testApi(t, undefined);
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  await node.heartbeat(agent);
  const stop = new AbortController();
  const request: QueryRequest = {
    kind: 'fields',
    types: [],
    window: { startMs: 0, endMs: 1 },
    filter: { stages: [] },
  };
  const running = queryEngine(node, request, { queryId: 'q', stop: stop.signal });
  const ended = assert.rejects(running, (error: ApiError) => error.code === 'context_canceled');
  await node.takeQuery({ agentId: 'a', waitMs: 20_000 });
  stop.abort();
  await ended;
  const report = { agentId: 'a', queryId: 'q', state: 'running', answer: null, message: '' } as const;
  await until(async () => !(await node.reportQuery(report)));
  await assert.rejects(queryEngine(node, request, { queryId: 'r', stop: stop.signal }), ApiError);
});
