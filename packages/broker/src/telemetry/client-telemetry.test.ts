import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, type LogFields, Metrics, MiB, silentLog } from '@weir/core';
import { apis, type CompressionCodec, codecIds, compress, type ErrorName, zeroUuid } from '@weir/wire';
import { answered, startTestAgent, type TestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { ClientInflation } from '../inflation/client-inflation.ts';
import { brokerLimits } from '../limits.ts';

/** A gauge `m` with the value 1.5. */
const gauge = Buffer.from('0a14121212100a016d2a0b0a0921000000000000f83f', 'hex');

interface Pushing extends TestAgent {
  readonly lines: LogFields[];
  readonly metrics: Metrics;
}

async function start(subscriptions: Readonly<Record<string, object>> = {}): Promise<Pushing> {
  const lines: LogFields[] = [];
  const log: Log = { ...silentLog, info: (_message, fields = {}) => lines.push(fields) };
  const metrics = new Metrics();
  const agent = await startTestAgent({ log, metrics });
  for (const [name, configs] of Object.entries(subscriptions))
    agent.cluster.putRecord('clientMetrics', name, configs);
  return { ...agent, lines, metrics };
}

async function subscribe(
  agent: TestAgent,
  clientInstanceId = zeroUuid,
  clientId = 'app',
  closed?: AbortSignal,
) {
  return answered(await agent.call('GetTelemetrySubscriptions', 0, { clientInstanceId }, clientId, closed));
}

interface Push {
  readonly clientInstanceId: string;
  readonly subscriptionId: number;
  readonly terminating?: boolean;
  readonly compressionType?: number;
  readonly metrics?: Buffer;
}

async function push(agent: TestAgent, given: Push): Promise<number> {
  const body = { terminating: false, compressionType: 0, metrics: gauge, ...given };
  return answered(await agent.call('PushTelemetry', 0, body, 'app')).errorCode;
}

async function offered(agent: TestAgent): Promise<number[]> {
  const { apiKeys } = answered(await agent.call('ApiVersions', 0, {}));
  return apiKeys.map(({ apiKey }) => apiKey).filter((key) => key === 71 || key === 72);
}

const everything = { all: { metrics: '*', 'interval.ms': '1000' } };

test('clients are offered telemetry only while there is a subscription to metrics', async () => {
  const agent = await start();
  const steps: [configs: object | null, keys: number[]][] = [
    [null, []],
    [{ 'interval.ms': '1000' }, []],
    [{ metrics: 'org.' }, [71, 72]],
    [null, []],
  ];
  for (const [configs, keys] of steps) {
    agent.cluster.putRecord('clientMetrics', 's', configs);
    assert.deepEqual(await offered(agent), keys, JSON.stringify(configs));
    const refusal = agent.server.refuseApiVersions().apiKeys.some(({ apiKey }) => apiKey === 71);
    assert.equal(refusal, keys.length > 0);
  }
  // A client that was offered telemetry before gets an answer that it understands.
  assert.ok(agent.server.serves(apis.PushTelemetry as never, 0));
  assert.equal(
    await push(agent, { clientInstanceId: 'AAAAAAAAAAAAAAAAAAAAAQ', subscriptionId: 1 }),
    codeOf('UNKNOWN_SUBSCRIPTION_ID'),
  );
});

test('matching subscriptions are merged: all metrics, and the shortest interval', async () => {
  const subscriptions = {
    a: { metrics: 'org.a,org.b', 'interval.ms': '60000' },
    b: { metrics: 'org.b, org.c', match: 'client_id=app.*', 'interval.ms': '30000' },
    c: { metrics: '*', match: 'client_id=other,client_software_name=soft' },
    d: {
      metrics: 'org.d',
      match: 'client_source_address=10\\..*,client_source_port=40000,client_software_version=2\\.1',
    },
  };
  const cases: [clientId: string, software: [string, string], metrics: string[], intervalMs: number][] = [
    ['none', ['x', '1'], ['org.a', 'org.b'], 60_000],
    ['app1', ['x', '1'], ['org.a', 'org.b', 'org.c'], 30_000],
    ['other', ['x', '1'], ['org.a', 'org.b'], 60_000],
    ['other', ['soft', '1'], [''], 60_000],
    ['none', ['x', '2.1'], ['org.a', 'org.b', 'org.d'], 60_000],
  ];
  const agent = await start(subscriptions);
  for (const [clientId, [clientSoftwareName, clientSoftwareVersion], metrics, intervalMs] of cases) {
    const connection = new AbortController().signal;
    await agent.call('ApiVersions', 3, { clientSoftwareName, clientSoftwareVersion }, clientId, connection);
    const answer = await subscribe(agent, zeroUuid, clientId, connection);
    assert.deepEqual([answer.requestedMetrics, answer.pushIntervalMs], [metrics, intervalMs], clientId);
  }
});

test('without a match there are no metrics, and the default interval', async () => {
  const answer = await subscribe(await start());
  assert.deepEqual([answer.errorCode, answer.requestedMetrics, answer.pushIntervalMs], [0, [], 300_000]);
});

test('an agent assigns ids to clients without one, and all agents agree on the subscription', async () => {
  const [one, another] = [await start(everything), await start(everything)];
  const first = await subscribe(one);
  assert.notEqual(first.clientInstanceId, zeroUuid);
  assert.notEqual((await subscribe(one)).clientInstanceId, first.clientInstanceId);
  const { clientInstanceId, subscriptionId } = await subscribe(another, first.clientInstanceId);
  assert.deepEqual([clientInstanceId, subscriptionId], [first.clientInstanceId, first.subscriptionId]);
  assert.equal(await push(another, first), 0);
});

for (const codec of Object.keys(codecIds) as CompressionCodec[]) {
  test(`a push with ${codec} is counted and logged`, async () => {
    const agent = await start(everything);
    const subscription = await subscribe(agent);
    assert.ok(subscription.acceptedCompressionTypes.includes(codecIds[codec]));
    const metrics = compress(codec, gauge);
    assert.equal(await push(agent, { ...subscription, compressionType: codecIds[codec], metrics }), 0);
    const [line] = agent.lines;
    assert.deepEqual([line!.client_id, line!.points, line!.values], ['app', 1, '{"m":1.5}']);
    assert.match(agent.metrics.render(), /service_agent_client_telemetry_points_counter 1\n/);
    assert.match(agent.metrics.render(), /push_count\{outcome="success"\} 1\n/);
  });
}

const tooLarge = Buffer.alloc(brokerLimits.telemetryInflatedBytesMax + 1);
const refusals: [label: string, push: Partial<Push>, error: ErrorName][] = [
  ['without an id', { clientInstanceId: zeroUuid }, 'INVALID_REQUEST'],
  ['with another subscription', { subscriptionId: 7 }, 'UNKNOWN_SUBSCRIPTION_ID'],
  ['with an unknown codec', { compressionType: 5 }, 'UNSUPPORTED_COMPRESSION_TYPE'],
  ['that is too large', { metrics: Buffer.alloc(brokerLimits.telemetryBytesMax + 1) }, 'TELEMETRY_TOO_LARGE'],
  [
    'that inflates too far',
    { metrics: compress('zstd', tooLarge), compressionType: 4 },
    'TELEMETRY_TOO_LARGE',
  ],
  ['that cannot be inflated', { metrics: Buffer.from('no'), compressionType: 1 }, 'INVALID_RECORD'],
  ['that is not metrics data', { metrics: Buffer.from('0a05', 'hex') }, 'INVALID_RECORD'],
];
for (const [label, differences, error] of refusals) {
  test(`a push ${label} is refused`, async () => {
    const agent = await start(everything);
    assert.equal(await push(agent, { ...(await subscribe(agent)), ...differences }), codeOf(error));
    assert.match(agent.metrics.render(), new RegExp(`push_count\\{outcome="${error}"\\} 1`));
    assert.equal(agent.lines.length, 0);
  });
}

test('clients must observe their interval, except to resubscribe after an error or when they terminate', async () => {
  const agent = await start(everything);
  const throttled = codeOf('THROTTLING_QUOTA_EXCEEDED');
  const first = await subscribe(agent);
  const id = first.clientInstanceId;
  const again = async () => (await subscribe(agent, id)).errorCode;
  assert.equal(await again(), throttled, 'a second request');
  assert.equal(await push(agent, first), 0, 'the first push may be early');
  assert.equal(await push(agent, first), throttled, 'the second push is too early');
  agent.clock.advance(1000);
  assert.equal(await push(agent, first), 0, 'a push after the interval');
  agent.cluster.putRecord('clientMetrics', 'all', { metrics: 'org.', 'interval.ms': '1000' });
  agent.clock.advance(1000);
  assert.equal(await push(agent, first), codeOf('UNKNOWN_SUBSCRIPTION_ID'), 'the subscription has changed');
  const second = await subscribe(agent, id);
  assert.deepEqual([second.errorCode, second.requestedMetrics], [0, ['org.']]);
  assert.equal(await push(agent, second), 0);
  assert.equal(await push(agent, { ...second, terminating: true }), 0, 'the last push may be early');
  agent.clock.advance(5000);
  assert.equal(await push(agent, second), codeOf('INVALID_REQUEST'), 'no push after the last');
});

test('inflated bytes of a push count in the budget of its connection, whatever its outcome', async () => {
  const inflation = new ClientInflation({ bytesMax: MiB, bytesPerSecondMax: MiB });
  const agent = await startTestAgent({ inflation });
  agent.cluster.putRecord('clientMetrics', 'all', everything.all);
  const { signal } = new AbortController();
  const connection = inflation.of({ closed: signal, clock: agent.clock });
  for (const [bytes, error, isSpent] of [
    [100_000, 'INVALID_RECORD', false],
    [4 * MiB, 'INVALID_RECORD', true],
  ] as const) {
    const subscription = await subscribe(agent, zeroUuid, 'app', signal);
    const metrics = compress('zstd', Buffer.alloc(bytes));
    const body = { ...subscription, terminating: false, compressionType: codecIds.zstd, metrics };
    const { errorCode } = answered(await agent.call('PushTelemetry', 0, body, 'app', signal));
    assert.deepEqual([errorCode, connection.isSpent], [codeOf(error), isSpent]);
  }
});

test('names beyond the limit of a log line are counted and not logged', async () => {
  const agent = await start(everything);
  const long = Buffer.alloc(100, 'x');
  const point = Buffer.from('2a0b0a0921000000000000f83f', 'hex');
  const one = Buffer.concat([
    Buffer.from([0x12, 2 + long.length + point.length, 0x0a, long.length]),
    long,
    point,
  ]);
  const metrics = Buffer.concat(Array(1000).fill(one));
  const lengthOf = (length: number) => [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  const scope = Buffer.concat([Buffer.from([0x12, ...lengthOf(metrics.length)]), metrics]);
  const whole = Buffer.concat([Buffer.from([0x0a, ...lengthOf(scope.length)]), scope]);
  assert.equal(await push(agent, { ...(await subscribe(agent)), metrics: whole }), 0);
  assert.equal(agent.lines[0]!.points, 1000);
  assert.ok(String(agent.lines[0]!.values).length < 2 * brokerLimits.telemetryLoggedCharsMax);
});
