import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, seriesPerMetricMax } from './metrics.ts';

test('a scrape prints every series in the text format', () => {
  const metrics = new Metrics({ agent_version: 'v830' });
  const requests = { name: 'requests', kind: 'counter', help: 'Requests.', labels: ['api'] } as const;
  const load = { name: 'load', kind: 'gauge', help: 'Load.', labels: [] } as const;
  const latency = {
    name: 'latency',
    kind: 'histogram',
    help: 'Seconds.',
    labels: [],
    buckets: [0.1, 1],
  } as const;
  metrics.series(requests, { api: 'Fetch' }).add(2);
  metrics.series(requests, { api: 'Fetch' }).add(1);
  metrics.series(requests, { api: 'a"b\\c\nd\0' }).add(1);
  metrics.series(load, {}).set(0.5);
  for (const seconds of [0.05, 0.1, 0.5, 7]) metrics.series(latency, {}).observe(seconds);
  assert.equal(
    metrics.render(),
    `# HELP service_latency Seconds.
# TYPE service_latency histogram
service_latency_bucket{agent_version="v830",le="0.1"} 2
service_latency_bucket{agent_version="v830",le="1"} 3
service_latency_bucket{agent_version="v830",le="+Inf"} 4
service_latency_sum{agent_version="v830"} 7.65
service_latency_count{agent_version="v830"} 4
# HELP service_load Load.
# TYPE service_load gauge
service_load{agent_version="v830"} 0.5
# HELP service_requests Requests.
# TYPE service_requests counter
service_requests{agent_version="v830",api="Fetch"} 3
service_requests{agent_version="v830",api="a\\"b\\\\c\\nd\ufffd"} 1
`,
  );
});

test('labels from clients cannot grow a metric without bound', () => {
  const metrics = new Metrics();
  const row = { name: 'x', kind: 'counter', help: 'X.', labels: ['topic'] } as const;
  for (let i = 0; i < seriesPerMetricMax + 500; i++) metrics.series(row, { topic: `t${i}` }).add(1);
  const lines = metrics.render().trimEnd().split('\n');
  assert.equal(lines.length, 2 + seriesPerMetricMax + 1);
  assert.equal(lines.at(-1), 'service_x{topic="other"} 500');
});

test('a removed series is no longer reported, and restarts from zero', () => {
  const metrics = new Metrics();
  const row = { name: 'x', kind: 'gauge', help: 'X.', labels: ['topic'] } as const;
  metrics.series(row, { topic: 'a' }).set(1);
  metrics.series(row, { topic: 'b' }).set(2);
  metrics.remove(row, { topic: 'a' });
  metrics.remove(row, { topic: 'never there' });
  assert.match(metrics.render(), /gauge\nservice_x\{topic="b"\} 2\n$/);
  metrics.series(row, { topic: 'a' }).add(5);
  assert.match(metrics.render(), /service_x\{topic="a"\} 5\n$/);
});

test('metrics can be read without the text format', () => {
  const metrics = new Metrics({ agent_version: 'v1' });
  metrics.series({ name: 'x', kind: 'counter', help: 'X.', labels: ['topic'] }, { topic: 'a"b' }).add(3);
  const timed = metrics.series({ name: 'y', kind: 'histogram', help: 'Y.', labels: [], buckets: [1] }, {});
  timed.observe(0.5);
  timed.observe(7);
  const before = metrics.read();
  timed.observe(7);
  assert.deepEqual(
    before.map(({ row, series }) => [row.name, ...series]),
    [
      ['x', { labels: { agent_version: 'v1', topic: 'a"b' }, value: 3, sum: 0, counts: [0] }],
      ['y', { labels: { agent_version: 'v1' }, value: 0, sum: 7.5, counts: [1, 1] }],
    ],
  );
});

test('a label of the series takes precedence over a common one', () => {
  const metrics = new Metrics({ agent_version: 'v2', zone: 'z' });
  const row = { name: 'x', kind: 'gauge', help: 'X.', labels: ['agent_version'] } as const;
  metrics.series(row, { agent_version: 'v1' }).set(1);
  assert.match(metrics.render(), /\nservice_x\{zone="z",agent_version="v1"\} 1\n$/);
  assert.deepEqual(metrics.read()[0]!.series[0]!.labels, { agent_version: 'v1', zone: 'z' });
});

test('the number of series of each metric is known', () => {
  const metrics = new Metrics();
  const requests = { name: 'requests', kind: 'counter', help: 'Requests.', labels: ['api'] } as const;
  const load = { name: 'load', kind: 'gauge', help: 'Load.', labels: [] } as const;
  for (const api of ['Fetch', 'Produce', 'Fetch']) metrics.series(requests, { api }).add(1);
  metrics.series(load, {}).set(1);
  assert.deepEqual(metrics.seriesCounts(), [
    { name: 'requests', seriesCount: 2 },
    { name: 'load', seriesCount: 1 },
  ]);
});
