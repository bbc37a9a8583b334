import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  json,
  logStage,
  lokiBytes,
  otlpBytes,
  otlpRequest,
  protobuf,
  timeMs,
  timeNs,
  timeText,
} from '@weir/agent/testing';
import { compress } from '@weir/wire';
import { logFieldNames } from './log-line.ts';

test('lines of Datadog become records', async (t) => {
  const { call, records } = await logStage(t);
  const body = [
    {
      message: 'hello',
      ddsource: 'nginx',
      ddtags: 'env:prod, team:a',
      hostname: 'h1',
      service: 's1',
      timestamp: timeMs,
      status: 'warn',
    },
    { log: 'from fluent-bit', date: timeMs / 1000, id: 7 },
    { message: { nested: [1] }, level: 3, date: 'no time', '@timestamp': timeText },
  ];
  const { status, json: answer } = await call(
    'POST',
    '/api/v2/logs?ddtags=a:b&service=s0&hostname=h0&ddsource=x',
    body,
    json,
  );
  assert.deepEqual([status, answer], [202, {}]);
  assert.deepEqual(await records(), [
    {
      timestamp: timeMs,
      key: 's1',
      protocol: 'datadog',
      value: {
        timestamp: '2023-11-14T22:13:20.123Z',
        message: 'hello',
        severity: 'warn',
        service: 's1',
        host: 'h1',
        source: 'nginx',
        tags: ['a:b', 'env:prod', 'team:a'],
      },
    },
    {
      timestamp: timeMs,
      key: 's0',
      protocol: 'datadog',
      value: {
        timestamp: '2023-11-14T22:13:20.123Z',
        message: 'from fluent-bit',
        service: 's0',
        host: 'h0',
        source: 'x',
        tags: ['a:b'],
        attributes: { id: 7 },
      },
    },
    {
      timestamp: timeMs,
      key: 's0',
      protocol: 'datadog',
      value: {
        timestamp: timeText,
        message: { nested: [1] },
        severity: '3',
        service: 's0',
        host: 'h0',
        source: 'x',
        tags: ['a:b'],
        attributes: { date: 'no time' },
      },
    },
  ]);
});

test('numbers of a line keep their digits', async (t) => {
  const { call } = await logStage(t);
  await call('POST', '/api/v2/logs', '{"message":12345678901234567890,"id":9007199254740993}', json);
  const { json: record } = await call('GET', '/v1/kafka/topics/logs/partitions/0/records/0');
  const text = Buffer.from(record.value, 'base64').toString();
  assert.match(text, /"message":12345678901234567890,"attributes":\{"id":9007199254740993\}\}$/);
});

test('Datadog takes a single object, texts, nothing, and says that a key is valid', async (t) => {
  const { call, records } = await logStage(t);
  for (const [path, body, headers] of [
    ['/v1/input', { message: 'one' }, json],
    ['/api/v2/logs', 'two\r\n\nthree', { 'content-type': 'text/plain' }],
    ['/api/v2/logs', {}, json],
    ['/api/v2/logs', [], json],
  ] as const)
    assert.equal((await call('POST', path, body, headers)).status, 202, path);
  assert.deepEqual(
    (await records()).map(({ key, value }) => [key, value.message]),
    [
      [null, 'one'],
      [null, 'two'],
      [null, 'three'],
    ],
  );
  assert.deepEqual((await call('GET', '/api/v1/validate', undefined, { 'dd-api-key': 'x' })).json, {
    valid: true,
  });
});

test('log records of OpenTelemetry become the same records from JSON and from protobuf', async (t) => {
  const { call, records, clock } = await logStage(t);
  const ofJson = await call('POST', '/v1/logs', otlpRequest, json);
  assert.deepEqual([ofJson.status, ofJson.json], [200, {}]);
  const ofProtobuf = await call('POST', '/v1/logs', gzipSync(otlpBytes()), {
    ...protobuf,
    'content-encoding': 'gzip',
  });
  assert.deepEqual(
    [ofProtobuf.status, ofProtobuf.headers.get('content-type'), ofProtobuf.bytes.length],
    [200, protobuf['content-type'], 0],
  );
  const [first, second, third, fourth] = await records();
  assert.deepEqual(third, first);
  assert.deepEqual(fourth!.value.message, second!.value.message);
  assert.ok(second!.timestamp > 0 && second!.timestamp <= clock.nowMs());
  assert.equal(first!.timestamp, timeMs);
  assert.equal(first!.key, 'shop');
  assert.equal(first!.protocol, 'otlp');
  const expected = {
    timestamp: timeText,
    observed_timestamp: timeText.replace('789Z', '790Z'),
    message: 'paid',
    severity: 'INFO',
    severity_number: 9,
    service: 'shop',
    host: 'h1',
    attributes: JSON.parse(
      '{"int":9007199254740993,"double":0.5,"list":["a",null],"map":{"__proto__":"b"},"bytes":"AQI="}',
    ),
    dropped_attributes: 2,
    event_name: 'payment',
    trace_id: '5b8efff798038103d269b633813fc60c',
    span_id: 'eee19b7ec3c1b174',
    trace_flags: 1,
    scope: { name: 'lib', version: '1', attributes: { s: true } },
    resource: { 'service.name': 'shop', 'host.name': 'h1' },
  };
  assert.deepEqual(first!.value, expected);
  assert.deepEqual(Object.keys(first!.value), Object.keys(expected));
});

test('lines of Loki become the same records from JSON and from protobuf', async (t) => {
  const { call, records } = await logStage(t);
  const ofJson = {
    streams: [
      {
        stream: { service_name: 'shop', app: 'a"b' },
        values: [
          [String(timeNs), 'one', { level: 'warn' }],
          [String(timeNs), 'two'],
        ],
      },
    ],
  };
  const tenant = { 'x-scope-orgid': 'team-a' };
  assert.equal((await call('POST', '/loki/api/v1/push', ofJson, { ...json, ...tenant })).status, 204);
  const push = lokiBytes('{service_name="shop", app="a\\"b"}', [
    { line: 'one', metadata: ['level', 'warn'] },
    { line: 'two' },
  ]);
  const snappy = compress('snappy', push, { snappyFraming: 'raw' });
  for (const encoding of [{}, { 'content-encoding': 'snappy' }]) {
    const { status, bytes } = await call('POST', '/loki/api/v1/push', snappy, {
      ...protobuf,
      ...tenant,
      ...encoding,
    } as Record<string, string>);
    assert.deepEqual([status, bytes.length], [204, 0]);
  }
  const [first, second, ...rest] = await records();
  assert.deepEqual(first, {
    timestamp: timeMs,
    key: '{app="a\\"b", service_name="shop"}',
    protocol: 'loki',
    value: {
      timestamp: timeText,
      message: 'one',
      severity: 'warn',
      service: 'shop',
      labels: { service_name: 'shop', app: 'a"b' },
      attributes: { level: 'warn' },
      tenant: 'team-a',
    },
  });
  assert.deepEqual(rest, [first, second, first, second]);
});

test('every field of a record is in the documentation', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/guides/log-intake.md'), 'utf8');
  for (const name of ['timestamp', ...logFieldNames]) assert.ok(page.includes(`\`${name}\``), name);
});
