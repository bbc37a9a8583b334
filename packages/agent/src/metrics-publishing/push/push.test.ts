import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { jsonLog, type MetricRow, Metrics } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import fc from 'fast-check';
import { agentLimits } from '../../limits.ts';
import { DogStatsdLines, datagramsOf } from './dogstatsd-lines.ts';
import { type MetricsPushOptions, type MetricsPushSettings, startMetricsPush } from './metrics-push.ts';
import { pushedName, taggedWith } from './pushed-metrics.ts';

const gauge: MetricRow<'topic'> = { name: 'max_offset', kind: 'gauge', help: 'Offset.', labels: ['topic'] };
const counter: MetricRow = { name: 'requests', kind: 'counter', help: 'Requests.', labels: [] };
const histogram: MetricRow = {
  name: 'latency',
  kind: 'histogram',
  help: 'Latency.',
  labels: [],
  buckets: [1, 4],
};
const identity = { clusterId: 'vci_1', agentId: 'agent-1', agentGroup: 'blue' };
const identityInOrder = {
  virtual_cluster_id: 'vci_1',
  agent_id: 'agent-1',
  agent_version: 'v830',
  agent_group: 'blue',
};

function someMetrics(): Metrics {
  const metrics = new Metrics({ agent_version: 'v830' });
  metrics.series(gauge, { topic: 'orders' }).set(12);
  metrics.series(counter, {}).add(3);
  const latency = metrics.series(histogram, {});
  for (const seconds of [0.5, 2, 3, 9]) latency.observe(seconds);
  return metrics;
}

/** Starts a push of some metrics, in time that the test controls. */
function startPush(
  t: TestContext,
  settings: Partial<MetricsPushSettings>,
  metrics = someMetrics(),
  differences: Partial<MetricsPushOptions> = {},
) {
  const clock = new HandClock();
  const logged: string[] = [];
  const log = jsonLog({ level: 'info', nowMs: () => clock.nowMs(), write: (line) => logged.push(line) });
  const push = startMetricsPush({
    settings: { hasDottedNames: true, intervalMs: 30_000, ...settings },
    identity,
    clock,
    log,
    metrics,
    ...differences,
  });
  t.after(() => push.stop());
  const outcome = (sink: string, result: string) =>
    Number(
      new RegExp(`metrics_push\\{.*sink="${sink}",outcome="${result}"\\} (\\d+)`).exec(
        metrics.render(),
      )?.[1] ?? 0,
    );
  return { clock, metrics, logged, push, outcome };
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: ExportRequest;
}

interface ExportRequest {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly ExportedMetric[] }[];
  }[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

interface ExportedMetric {
  readonly name: string;
  readonly [part: string]: unknown;
}

/** A collector that stores what it receives. */
async function startCollector(
  t: TestContext,
  answer: (response: ServerResponse) => void = (response) => response.end('{}'),
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    received.push({ headers: request.headers, body: JSON.parse(text) as ExportRequest });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
  return { url, received };
}

function metricsIn({ body }: Received): readonly ExportedMetric[] {
  return body.resourceMetrics[0]!.scopeMetrics[0]!.metrics;
}

function attributes(tags: Readonly<Record<string, string>>): readonly Attribute[] {
  return Object.entries(tags).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

test('OTLP: gauges, sums and histograms are cumulative and carry the identity of the process', async (t) => {
  const { url, received } = await startCollector(t);
  const { clock, outcome, push } = startPush(t, { otlp: { url, headers: { 'x-key': 's3cret' } } });
  const startTimeUnixNano = `${clock.nowMs()}000000`;
  clock.advance(30_000);
  await until(() => outcome('otlp', 'success') === 1);
  assert.equal(received.length, 1);
  const [first] = received;
  assert.equal(first!.headers['x-key'], 's3cret');
  assert.equal(first!.headers['content-type'], 'application/json');
  const timeUnixNano = `${clock.nowMs()}000000`;
  const common = attributes({
    agent_version: 'v830',
    virtual_cluster_id: 'vci_1',
    agent_id: 'agent-1',
    agent_group: 'blue',
  });
  assert.deepEqual(metricsIn(first!), [
    {
      name: 'service.max_offset',
      description: 'Offset.',
      gauge: {
        dataPoints: [
          {
            attributes: attributes({
              agent_version: 'v830',
              topic: 'orders',
              virtual_cluster_id: 'vci_1',
              agent_id: 'agent-1',
              agent_group: 'blue',
            }),
            timeUnixNano,
            asDouble: 12,
          },
        ],
      },
    },
    {
      name: 'service.requests',
      description: 'Requests.',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ attributes: common, startTimeUnixNano, timeUnixNano, asDouble: 3 }],
      },
    },
    {
      name: 'service.latency',
      description: 'Latency.',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            attributes: common,
            startTimeUnixNano,
            timeUnixNano,
            count: '4',
            sum: 14.5,
            bucketCounts: ['1', '2', '1'],
            explicitBounds: [1, 4],
          },
        ],
      },
    },
  ]);
  await push.stop();
  clock.advance(60_000);
  assert.equal(received.length, 1, 'nothing is sent after the stop');
});

test('OTLP: with the normalizer off names are those of a scrape', async (t) => {
  const { url, received } = await startCollector(t);
  const { clock } = startPush(t, { otlp: { url, headers: {} }, hasDottedNames: false });
  clock.advance(30_000);
  await until(() => received.length === 1);
  assert.deepEqual(
    metricsIn(received[0]!).map(({ name }) => name),
    ['service_max_offset', 'service_requests', 'service_latency'],
  );
});

test('OTLP: many series go in several requests', async (t) => {
  const { url, received } = await startCollector(t);
  const metrics = new Metrics();
  const count = agentLimits.pushedPointsMax * 2 + 1;
  for (let index = 0; index < count; index++) metrics.series(gauge, { topic: `t${index}` }).set(index);
  const { clock, outcome } = startPush(t, { otlp: { url, headers: {} } }, metrics);
  clock.advance(30_000);
  await until(() => outcome('otlp', 'success') === 1);
  const points = received.map((one) =>
    metricsIn(one).flatMap(({ gauge: sent }) => (sent as { dataPoints: { asDouble: number }[] }).dataPoints),
  );
  assert.deepEqual(
    points.map(({ length }) => length),
    [agentLimits.pushedPointsMax, agentLimits.pushedPointsMax, 1],
  );
  assert.equal(new Set(points.flat().map(({ asDouble }) => asDouble)).size, count);
});

test('OTLP: a failing collector costs a counter and one log line without credentials', async (t) => {
  const answers: readonly [name: string, answer: (response: ServerResponse) => void, problem: RegExp][] = [
    ['an error', (response) => response.writeHead(500).end('no'), /status 500/],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: 'http://elsewhere.test/' }).end(),
      /status 307/,
    ],
    ['no answer', (response) => response.destroy(), /socket hang up/],
    [
      'a part',
      (response) => response.end('{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"odd"}}'),
      /rejected 2 points: odd/,
    ],
  ];
  for (const [name, answer, problem] of answers) {
    const { url, received } = await startCollector(t, answer);
    const { clock, outcome, logged } = startPush(t, { otlp: { url, headers: { authorization: 's3cret' } } });
    for (const round of [1, 2]) {
      clock.advance(30_000);
      await until(() => outcome('otlp', 'error') === round);
    }
    assert.equal(received.length, 2, name);
    assert.equal(logged.length, 1, name);
    assert.match(logged[0]!, problem, name);
    assert.doesNotMatch(logged[0]!, /s3cret/);
  }
});

test('OTLP: a missing collector, one that never answers, and one with Retry-After', async (t) => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  const absent = startPush(t, { otlp: { url: `http://127.0.0.1:${port}/`, headers: {} } });
  absent.clock.advance(30_000);
  await until(() => absent.outcome('otlp', 'error') === 1);

  const silent = await startCollector(t, () => {});
  const patient = startPush(t, { otlp: { url: silent.url, headers: {} } });
  patient.clock.advance(30_000);
  await until(() => silent.received.length === 1);
  patient.clock.advance(10_000);
  await until(() => patient.outcome('otlp', 'error') === 1);
  assert.match(patient.logged[0]!, /no response within 10000 ms/);

  const busy = await startCollector(t, (response) => response.writeHead(429, { 'retry-after': '45' }).end());
  const waiting = startPush(t, { otlp: { url: busy.url, headers: {} } });
  for (const round of [1, 2, 3]) {
    waiting.clock.advance(30_000);
    await until(() => waiting.outcome('otlp', 'error') === round);
  }
  assert.equal(busy.received.length, 2, 'the second round came too soon');
});

test('stopping does not wait for a collector', async (t) => {
  const silent = await startCollector(t, () => {});
  const { clock, push } = startPush(t, { otlp: { url: silent.url, headers: {} } });
  clock.advance(30_000);
  await until(() => silent.received.length === 1);
  await push.stop();
});

/** Starts a UDP server that stores lines. */
async function startStatsd(t: TestContext) {
  const lines: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message) => lines.push(...message.toString().split('\n')));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { lines, port: socket.address().port };
}

const tags = '#agent_version:v830,virtual_cluster_id:vci_1,agent_id:agent-1,agent_group:blue';

test('DogStatsD: gauges are sent as they are, counters and distributions as increments', async (t) => {
  const { lines, port } = await startStatsd(t);
  const { clock, metrics, outcome } = startPush(t, { dogstatsd: { host: '127.0.0.1', port } });
  const withTopic =
    '#agent_version:v830,topic:orders,virtual_cluster_id:vci_1,agent_id:agent-1,agent_group:blue';
  clock.advance(30_000);
  await until(() => outcome('dogstatsd', 'success') === 1 && lines.length === 5);
  assert.deepEqual(lines.splice(0), [
    `service.max_offset:12|g|${withTopic}`,
    `service.requests:3|c|${tags}`,
    `service.latency:0.5|d|${tags}`,
    `service.latency:2.5|d|@0.5|${tags}`,
    `service.latency:4|d|${tags}`,
  ]);
  metrics.series(counter, {}).add(2);
  metrics.series(histogram, {}).observe(9);
  clock.advance(30_000);
  await until(() => outcome('dogstatsd', 'success') === 2 && lines.length === 4);
  assert.deepEqual(lines.toSorted(), [
    `service.latency:4|d|${tags}`,
    `service.max_offset:12|g|${withTopic}`,
    `service.metrics_push:1|c|#agent_version:v830,sink:dogstatsd,outcome:success,${tags.slice('#agent_version:v830,'.length)}`,
    `service.requests:2|c|${tags}`,
  ]);
});

test('DogStatsD: a host without an address costs a counter', async (t) => {
  const { clock, outcome, logged } = startPush(t, { dogstatsd: { host: 'nobody.invalid', port: 8125 } });
  clock.advance(30_000);
  await until(() => outcome('dogstatsd', 'error') === 1);
  assert.match(logged[0]!, /ENOTFOUND|EAI_AGAIN/);
});

test('DogStatsD: names of topics cannot end a tag, a line or a packet', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1, maxLength: 12 }),
      (topics) => {
        const metrics = new Metrics();
        for (const topic of topics) metrics.series(gauge, { topic }).set(1);
        const lines = new DogStatsdLines(pushedName(true), identityInOrder).linesOf(metrics.read());
        assert.equal(lines.length, new Set(topics).size);
        for (const line of lines) {
          assert.match(
            line,
            /^service\.max_offset:1\|g\|#topic:[^|,#\p{Cc}]*,virtual_cluster_id:vci_1,agent_id:[^,]*,[^,]*,agent_group:blue$/u,
          );
        }
        const datagrams = datagramsOf(lines);
        assert.deepEqual(
          datagrams.flatMap((datagram) => datagram.toString().split('\n')),
          lines.map((line) => Buffer.from(line).toString()),
        );
        for (const { length } of datagrams) assert.ok(length <= 1432);
      },
    ),
  );
});

test('a distribution carries its counts, and nothing is sent twice', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.double({ min: 0, max: 9, noNaN: true }))), (rounds) => {
      const metrics = new Metrics();
      const series = metrics.series(histogram, {});
      const lines = new DogStatsdLines(pushedName(true), {});
      for (const values of rounds) {
        for (const value of values) series.observe(value);
        const counts = lines
          .linesOf(metrics.read())
          .map((line) => Math.round(1 / Number(/\|@([^|]+)/.exec(line)?.[1] ?? 1)));
        lines.endRound();
        assert.equal(
          counts.reduce((a, b) => a + b, 0),
          values.length,
        );
      }
    }),
  );
});

test('a round in parts counts as one, and a series that was absent for a round starts anew', () => {
  const parts = ['a', 'b'].map((topic) => {
    const metrics = new Metrics({ topic });
    return { metrics, series: metrics.series(counter, {}) };
  });
  const lines = new DogStatsdLines(pushedName(true), {});
  const round = (...indexes: readonly number[]) => {
    const sent = indexes.flatMap((index) => lines.linesOf(parts[index]!.metrics.read()));
    lines.endRound();
    return sent;
  };
  for (const { series } of parts) series.add(2);
  assert.deepEqual(round(0, 1), ['service.requests:2|c|#topic:a', 'service.requests:2|c|#topic:b']);
  parts[1]!.series.add(1);
  assert.deepEqual(round(0, 1), ['service.requests:1|c|#topic:b']);
  assert.deepEqual(round(0), []);
  assert.deepEqual(round(1), ['service.requests:3|c|#topic:b']);
});

test('labels of a series override the identity of the process', () => {
  assert.deepEqual(taggedWith({ agent_version: 'v1', topic: 't' }, { agent_version: 'v2', agent_id: 'a' }), {
    agent_version: 'v1',
    topic: 't',
    agent_id: 'a',
  });
});

test('readings are pushed part by part, and a failed part is reported after the others', async (t) => {
  const { url, received } = await startCollector(t);
  const { clock, outcome, logged } = startPush(t, { otlp: { url, headers: {} } }, someMetrics(), {
    identity: { agentId: 'control-plane-1', agentGroup: '' },
    async *readings() {
      for (const clusterId of ['vci_1', 'vci_2']) {
        const metrics = new Metrics({ virtual_cluster_id: clusterId });
        metrics.series(gauge, { topic: 'orders' }).set(1);
        yield metrics.read();
      }
      throw new Error('vci_3 is not there');
    },
  });
  clock.advance(30_000);
  await until(() => outcome('otlp', 'error') === 1);
  const clusters = received.map((one) => JSON.stringify(metricsIn(one)).match(/vci_\d/g));
  assert.deepEqual(clusters, [['vci_1'], ['vci_2']]);
  assert.match(logged[0]!, /vci_3 is not there/);
});
