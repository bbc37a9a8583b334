import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import type { QueryAnswer, QueryRequest } from '@weir/events';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

const stats = {
  eventsMatched: 2,
  isExact: true,
  eventsScanned: 12_000,
  eventsPruned: 0,
  eventsCached: 0,
  eventsParsed: 2,
  eventsUnreadable: 0,
  bytesScanned: 1,
  bytesRead: 1,
  elapsedMs: 3,
};

function eventOf(number: number, data: Record<string, unknown>) {
  const time = new Date(1_700_000_000_000 + number).toISOString();
  return {
    specversion: '1.0',
    id: `e${number}`,
    source: 's',
    type: 'acl_logs',
    time,
    datacontenttype: '',
    data,
  };
}

const rowOf = (number: number, data: Record<string, unknown>) => ({
  ...{ timeMs: 1_700_000_000_000 + number, type: 'acl_logs' as const, offset: number },
  event: eventOf(number, data),
});

function answerTo(request: QueryRequest): QueryAnswer {
  const basis = { stats, hasNoData: false };
  const isMisspelt = JSON.stringify(request).includes('resorce');
  if (request.kind === 'fields') {
    if (isMisspelt) return { kind: 'fields', fields: [], sampledEvents: 0, isSample: false, ...basis };
    const topValues = [{ value: 'WRITE', events: 2 }];
    const field = { path: ['data', 'operation'], name: 'data.operation', types: ['string'] as const };
    const fields = [{ ...field, presentEvents: 2, topValues, distinctValues: 1 }];
    return { kind: 'fields', fields, sampledEvents: 2, isSample: false, ...basis };
  }
  // No event has the field that is misspelt.
  if (isMisspelt) return { kind: 'search', rows: [], hasMore: false, ...basis };
  const rows = [
    rowOf(1, { log_level: 'warn', message: 'denied', operation: 'WRITE' }),
    rowOf(2, { operation: 'WRITE' }),
  ];
  return { kind: 'search', rows, hasMore: false, ...basis };
}

/** An API with one cluster; the test plays the cluster's agent. */
async function open(t: TestContext) {
  const { url, key, client, nodeOf } = await startTestApi(t);
  const { virtual_cluster_id } = await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'shop',
    virtual_cluster_type: 'byoc',
    virtual_cluster_region: 'us-east-1',
    virtual_cluster_cloud_provider: 'aws',
  });
  await client.call('update_events_state', { virtual_cluster_id, enabled: true });
  const node = nodeOf(virtual_cluster_id);
  const requests: QueryRequest[] = [];
  await node.heartbeat({
    ...{ agentId: 'a', nodeId: 1, host: 'h', kafkaPort: 1, internalUrl: '', zone: '', group: '' },
    ...{ roles: ['proxy'], release: 'v830', cpuCount: 1, cpuLoad: 0 },
  });
  const serveNext = async (): Promise<void> => {
    const taken = await node.takeQuery({ agentId: 'a', waitMs: 20_000 }).catch(() => null);
    if (taken === null) return;
    const request = JSON.parse(Buffer.from(taken.request).toString()) as QueryRequest;
    requests.push(request);
    const answer = Buffer.from(JSON.stringify(answerTo(request)));
    await node.reportQuery({ agentId: 'a', queryId: taken.queryId, state: 'done', answer, message: '' });
    return serveNext();
  };
  void serveNext();
  const environment = { SERVICE_API_URL: url, SERVICE_API_KEY: key };
  const run = (...words: readonly string[]) =>
    runArguments(['cli', 'events', ...words], { environment: { ...environment } });
  return { run, requests, environment, virtual_cluster_id };
}

test('search prints a table, or JSON', async (t) => {
  const { run, requests, virtual_cluster_id } = await open(t);
  const shown = await run(
    'search',
    '-filter',
    'data.operation == "WRITE"',
    '-types',
    'acl_logs',
    '-last',
    '15m',
  );
  assert.deepEqual(shown, {
    status: 0,
    out: `TIME                      TYPE      LEVEL  MESSAGE
2023-11-14T22:13:20.001Z  acl_logs  warn   denied
2023-11-14T22:13:20.002Z  acl_logs         {"operation":"WRITE"}
`,
    err: 'weir cli events search: 2 events; 12,000 scanned in 3 ms\n',
  });
  const [request] = requests;
  assert.ok(request?.kind === 'search');
  assert.deepEqual(
    [request.types, request.window.endMs - request.window.startMs, request.limit, request.order],
    [['acl_logs'], 900_000, 20, 'desc'],
  );
  const json = await run('search', '-output', 'json', '-cluster', virtual_cluster_id);
  assert.equal(JSON.parse(json.out).events.length, 2);
  assert.equal(json.err, '');
});

test('fields are printed with their values', async (t) => {
  const { run } = await open(t);
  assert.deepEqual(await run('fields'), {
    status: 0,
    out: `FIELD           TYPE    EVENTS  VALUES
data.operation  string  2 of 2  "WRITE"
`,
    err: 'weir cli events fields: 1 fields of 2 events\n',
  });
});

test('invalid input is reported by the API or before the call', async (t) => {
  const { run } = await open(t);
  const wrong = await run('search', '-filter', 'data.a = 1');
  assert.equal(wrong.status, 1);
  assert.match(wrong.err, /line 1, column 8/);
  const noKey = await runArguments(['cli', 'events', 'search', '-api-url', 'http://a'], { environment: {} });
  assert.match(noKey.err, /-api-key is required/);
});

test('a field that no event has is reported when nothing is found', async (t) => {
  const { run } = await open(t);
  const { status, err } = await run(
    'search',
    '-types',
    'acl_logs',
    '-filter',
    "data.resorce_type == 'TOPIC'",
  );
  assert.equal(status, 0, err);
  assert.match(err, /warning: .*resorce_type.*did you mean .*resource_type/);
});

test('an unknown field is also reported before a tail, and for requested fields', async (t) => {
  const { run, requests, environment } = await open(t);
  const filter = "data.resorce_type == 'TOPIC'";
  const hint = /warning: .*resorce_type.*did you mean .*resource_type/;
  const fields = await run('fields', '-types', 'acl_logs', '-filter', filter);
  assert.match(fields.err, hint);
  const stop = new AbortController();
  requests.length = 0;
  const tail = runArguments(['cli', 'events', 'tail', '-types', 'acl_logs', '-filter', filter], {
    environment: { ...environment },
    stop: stop.signal,
  });
  while (requests.length === 0) await new Promise<void>((resolve) => systemClock.after(1, resolve));
  stop.abort();
  assert.match((await tail).err, hint);
});

test('events are switched on and off, as a whole and by type', async (t) => {
  const { run } = await open(t);
  assert.deepEqual(await run('disable'), { status: 0, out: 'events disabled\n', err: '' });
  assert.deepEqual((await run('enable', '-cluster', 'shop')).out.split('\n'), [
    'events enabled: agent_logs, acl_logs, pipeline_logs, orbit_logs, diagnostics_logs, cluster_metrics',
    '',
  ]);
  assert.deepEqual((await run('disable', '-types', 'acl_logs')).out.split('\n'), [
    'events disabled: acl_logs',
    'still enabled: agent_logs, pipeline_logs, orbit_logs, diagnostics_logs, cluster_metrics',
    '',
  ]);
  assert.deepEqual((await run('enable', '-types', 'acl_logs')).out.split('\n'), [
    'events enabled: acl_logs',
    'enabled before: agent_logs, pipeline_logs, orbit_logs, diagnostics_logs, cluster_metrics',
    '',
  ]);
  const { changed, event_types } = JSON.parse(
    (await run('enable', '-types', 'acl_logs', '-output', 'json')).out,
  );
  assert.deepEqual(changed, ['acl_logs']);
  assert.ok(event_types.includes('orbit_logs'));
});

test('a tail prints every event once, until it is stopped', async (t) => {
  const { requests, environment } = await open(t);
  const stop = new AbortController();
  let out = '';
  const ended = runArguments(['cli', 'events', 'tail', '-last', '1m', '-output', 'json'], {
    environment: { ...environment },
    stop: stop.signal,
    onOut: (text) => {
      out += text;
    },
  });
  while (requests.length < 2) await new Promise<void>((resolve) => systemClock.after(1, resolve));
  stop.abort();
  const { status } = await ended;
  assert.equal(status, 130);
  const ids = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  assert.deepEqual(ids, ['e1', 'e2']);
  assert.ok(requests[0]?.kind === 'search' && requests[0].order === 'asc');
});
