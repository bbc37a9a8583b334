import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, catalogue, type ErrorCode, type PipelineType } from '@weir/api';
import { coreLimits } from '@weir/core';
import { type Answers, serve } from '../../testing/served.ts';

const [example] = catalogue.list_pipelines.example.output.pipelines;
const { event_types } = catalogue.get_events_state.example.output;

let pipelineCount = 0;
const pipeline = (name: string, type: PipelineType = 'bento') => {
  const id = `pi_0f1e2d3c_4b5a_4968_8776_${String(pipelineCount++).padStart(12, '0')}`;
  return { ...example!, id, name, type };
};

/** The state of events in which only these types are recorded. */
const recording = (...types: string[]) => ({
  enabled: types.length > 0,
  event_types: Object.fromEntries(
    ['pipeline_logs', 'orbit_logs'].map((type) => [
      type,
      { ...event_types.acl_logs, retention_period_nanos: 0, enabled: types.includes(type) },
    ]),
  ),
});

const { events: exampleEvents, ...exampleSearch } = catalogue.search_events.example.output;
const errorOf = (name: string, time: string) => ({
  ...exampleEvents[0]!,
  time,
  data: { pipeline_name: name, log_level: 'error', message: `${name} failed` },
});
const series = (key: string, count: number) => ({
  ...exampleSearch.timeline!.series[0]!,
  key,
  count,
});

interface Row {
  readonly name: string;
  readonly errors_24h: number | null;
  readonly last_error: string | null;
}

async function listed(t: TestContext, answers: Answers, args: object = {}) {
  const { connect, calls } = await serve(t, { answers });
  const client = await connect();
  const { structuredContent, isError, content } = await client.callTool({
    name: 'list_pipelines',
    arguments: { virtual_cluster_id: 'orders', ...args },
  });
  assert.notEqual(isError, true, JSON.stringify(content));
  const { pipelines, hint = '' } = structuredContent as { pipelines: Row[]; hint?: string };
  const rows = pipelines.map(({ name, errors_24h, last_error }) => [name, errors_24h, last_error]);
  return { rows, hint, calls };
}

test('each pipeline has its errors from events', async (t) => {
  const { rows, calls } = await listed(t, {
    list_pipelines: () => ({
      pipelines: [pipeline('a'), pipeline('b'), pipeline('c', 'orbit'), pipeline('d')],
    }),
    get_events_state: () => recording('pipeline_logs', 'orbit_logs'),
    search_events: () => ({
      ...exampleSearch,
      events: [
        errorOf('a', '2026-01-31T12:00:02Z'),
        errorOf('a', '2026-01-31T12:00:01Z'),
        errorOf('c', '2026-01-31T12:00:00Z'),
      ],
      timeline: { ...exampleSearch.timeline!, series: [series('a', 7), series('c', 1), series('d', 2)] },
    }),
  });
  assert.deepEqual(rows, [
    ['a', 7, 'a failed'],
    ['b', 0, null],
    ['c', 1, 'c failed'],
    ['d', 2, null],
  ]);
  const [, request] = calls.find(([operation]) => operation === 'search_events')!;
  const { event_types: types, filter } = request as { event_types: string[]; filter: string };
  assert.deepEqual(types, ['pipeline_logs', 'orbit_logs']);
  assert.equal(filter, 'data.log_level == "error" and data.pipeline_name in ["a", "b", "c", "d"]');
});

test('without recorded events the errors are unknown and the hint says why', async (t) => {
  const both = [pipeline('a'), pipeline('c', 'orbit')];
  for (const types of [[], ['orbit_logs']]) {
    const { rows, hint, calls } = await listed(t, {
      list_pipelines: () => ({ pipelines: both }),
      get_events_state: () => recording(...types),
      search_events: () => ({
        ...exampleSearch,
        events: [],
        timeline: { ...exampleSearch.timeline!, series: [] },
      }),
    });
    assert.deepEqual(rows, [
      ['a', null, null],
      ['c', types.length === 0 ? null : 0, null],
    ]);
    assert.match(hint, /Errors are not known, because events are off here.*update_events_state/);
    const searches = calls.filter(([operation]) => operation === 'search_events').length;
    assert.equal(searches, types.length);
  }
});

for (const code of [
  'events_disabled',
  'no_query_engine',
  'too_many_queries',
  'unavailable',
] satisfies ErrorCode[]) {
  test(`${code}: pipelines are listed anyway`, async (t) => {
    const { rows, hint } = await listed(t, {
      list_pipelines: () => ({ pipelines: [pipeline('a')] }),
      get_events_state: () => recording('pipeline_logs'),
      search_events: () => {
        throw new ApiError(code);
      },
    });
    assert.deepEqual(rows, [['a', null, null]]);
    assert.match(hint, /Errors are not known/);
  });
}

test('pipelines whose events do not name them are not searched', async (t) => {
  const { rows, calls } = await listed(t, {
    list_pipelines: () => ({ pipelines: [pipeline('a', 'data_lake'), pipeline('b', 'schema_linking')] }),
  });
  assert.deepEqual(rows, [
    ['a', null, null],
    ['b', null, null],
  ]);
  assert.ok(calls.every(([operation]) => operation === 'list_pipelines' || operation === 'get_context'));
});

test('many pipelines are searched in portions that fit one answer', async (t) => {
  const all = Array.from({ length: coreLimits.eventSeriesMax + 1 }, (_, n) => pipeline(`p${n}`));
  const { rows, calls } = await listed(
    t,
    {
      list_pipelines: () => ({ pipelines: all }),
      get_events_state: () => recording('pipeline_logs'),
      search_events: ({ filter }: { filter: string }) => ({
        ...exampleSearch,
        events: [],
        timeline: {
          ...exampleSearch.timeline!,
          series: [...filter.matchAll(/"(p\d+)"/g)].map(([, name]) => series(name!, 3)),
        },
      }),
    },
    { limit: 200 },
  );
  assert.equal(calls.filter(([operation]) => operation === 'search_events').length, 2);
  assert.deepEqual(
    rows,
    all.map(({ name }) => [name, 3, null]),
  );
});

test('a description has the masked summary, never the configuration itself', async (t) => {
  const { connect } = await serve(t, {
    answers: {
      describe_pipeline: () => ({
        ...catalogue.describe_pipeline.example.output,
        pipeline_configurations: [
          {
            ...catalogue.describe_pipeline.example.output.pipeline_configurations[0]!,
            configuration_yaml: 'password: hunter2',
          },
        ],
        pipeline_summary: {
          configuration_id: 'pci_0f1e2d3c_4b5a_4968_8776_000000000011',
          version: 1,
          settings: [{ path: 'password', value: '***' }],
          settings_left_out: 3,
        },
      }),
    },
  });
  const client = await connect();
  for (const format of ['concise', 'detailed']) {
    const answer = await client.callTool({
      name: 'describe_pipeline',
      arguments: { virtual_cluster_id: 'orders', pipeline_id: example!.id, format },
    });
    const text = JSON.stringify(answer);
    assert.ok(!text.includes('hunter2'), text);
    assert.match(text, /3 more settings are left out/);
    assert.equal((answer.structuredContent as { truncated: boolean }).truncated, true);
  }
});

test('a description says what each instance does, and where it failed', async (t) => {
  const { connect, calls } = await serve(t, {
    answers: {
      describe_pipeline: () => ({
        ...catalogue.describe_pipeline.example.output,
        pipeline_overview: {
          ...example!,
          state: 'running',
          run: {
            status: 'running',
            message: 'no answer',
            done_count: 5,
            instances: [
              {
                instance: 0,
                status: 'running',
                message: 'no answer',
                agent_id: 'a1',
                restart_count: 2,
                message_count: 5,
                messages_per_second: 0.5,
                bytes_per_second: 10,
                received_messages_per_second: 4,
                received_bytes_per_second: 80,
                failed_count: 3,
                error_count: 3,
                error_stage: 'root.output',
                error_line: 6,
                error_column: 1,
                error_at: '2026-01-31T12:00:00Z',
              },
            ],
          },
        },
      }),
      get_events_state: () => recording('pipeline_logs'),
      search_events: () => ({ ...exampleSearch, events: [errorOf('clean-orders', '2026-01-31T12:00:00Z')] }),
    },
  });
  const client = await connect();
  const { structuredContent } = await client.callTool({
    name: 'describe_pipeline',
    arguments: { virtual_cluster_id: 'orders', pipeline_id: example!.id },
  });
  const { run, recent_problems, hint } = structuredContent as {
    run: { instances: object[] };
    recent_problems: { message: string }[];
    hint: string;
  };
  assert.deepEqual(run.instances, [
    {
      instance: 0,
      status: 'running',
      agent_id: 'a1',
      restart_count: 2,
      read_per_second: 4,
      written_per_second: 0.5,
      failed_count: 3,
      error: 'no answer',
      stage: 'root.output',
      line: 6,
      column: 1,
      error_at: '2026-01-31T12:00:00Z',
    },
  ]);
  assert.deepEqual(
    recent_problems.map(({ message }) => message),
    ['clean-orders failed'],
  );
  assert.match(hint, /line and column are of the deployed configuration/);
  const filters = calls.flatMap(([, input]) => (input as { filter?: string }).filter ?? []);
  assert.ok(filters.includes('data.log_level in ["error", "warn"] and data.pipeline_name == "clean-orders"'));
});
