import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  json,
  logStage,
  lokiBytes,
  otlpBytes,
  otlpRequest,
  protobuf,
  stringValue,
} from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';
import { messageField, textField } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { compress } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';

test('bodies may be compressed as shippers do it', async (t) => {
  const { call, records } = await logStage(t);
  const push = compress('snappy', lokiBytes('{a="b"}', [{ line: 'x' }]), { snappyFraming: 'raw' });
  const lines = Buffer.from('[{"message":"x"}]');
  for (const [path, body, headers, status] of [
    ['/api/v2/logs', zstdCompressSync(lines), { ...json, 'content-encoding': 'zstd' }, 202],
    ['/api/v2/logs', deflateSync(lines), { ...json, 'content-encoding': 'deflate' }, 202],
    ['/v1/logs', gzipSync(otlpBytes()), { ...protobuf, 'content-encoding': 'gzip' }, 200],
    ['/loki/api/v1/push', gzipSync(push), { ...protobuf, 'content-encoding': 'gzip' }, 204],
  ] as const)
    assert.equal((await call('POST', path, body, headers)).status, status, path);
  assert.equal((await records()).length, 5);
  const bomb = zstdCompressSync(Buffer.alloc(gatewayLimits.httpBodyBytesMax + 1));
  const zstd = { ...json, 'content-encoding': 'zstd' };
  assert.equal((await call('POST', '/api/v2/logs', bomb, zstd)).status, 413);
});

test('a topic comes from the query, a header or the flag, and its absence is one line', async (t) => {
  const { cluster, call, records } = await logStage(t, { logIntakeDefaultTopic: undefined });
  cluster.addTopic('other');
  const one = [{ message: 'x' }];
  assert.equal((await call('POST', '/api/v2/logs?topic=other', one, json)).status, 202);
  assert.equal((await call('POST', '/api/v2/logs', one, { ...json, 'kafka-topic': 'other' })).status, 202);
  assert.equal((await records('other')).length, 2);
  const line = /^Name a topic for the logs: .*-logIntakeDefaultTopic\.$/;
  const ofDatadog = await call('POST', '/api/v2/logs', one, json);
  assert.equal(ofDatadog.status, 400);
  assert.match(ofDatadog.json.errors[0].detail, line);
  const ofOtlp = await call('POST', '/v1/logs', otlpRequest, json);
  assert.deepEqual([ofOtlp.status, ofOtlp.json.code], [400, 3]);
  assert.match(ofOtlp.json.message, line);
  const ofLoki = await call('POST', '/loki/api/v1/push', { streams: [] }, json);
  assert.equal(ofLoki.status, 400);
  assert.match(ofLoki.bytes.toString().trimEnd(), line);
});

test('what is wrong with a request is said in one line', async (t) => {
  const { call, records } = await logStage(t);
  const line = (change: object) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [change] }] }] });
  const stream = (values: unknown, labels: unknown = { a: 'b' }) => ({
    streams: [{ stream: labels, values }],
  });
  const deep = (levels: number): object =>
    levels === 0 ? {} : { arrayValue: { values: [deep(levels - 1)] } };
  const loki = '/loki/api/v1/push';
  // biome-ignore format: a table
  const cases: [path: string, body: unknown, headers: Record<string, string>, status: number, message: RegExp][] = [
    ['/api/v2/logs', '[{]',                       json,     400, /not JSON/],
    ['/api/v2/logs', [1],                         json,     400, /1 line was refused, the first one because it is not an object/],
    ['/api/v2/logs', '['.repeat(40),              json,     413, /more than 32 lists/],
    ['/api/v2/logs', Buffer.from([0x22, 0xff]),   json,     400, /not UTF-8/],
    ['/v1/logs', otlpRequest,                     {},       415, /Send the logs as application\/json or/],
    ['/v1/logs', '[]',                            json,     400, /must be an object/],
    ['/v1/logs', { resourceLogs: 1 },             json,     400, /resourceLogs must be a list/],
    ['/v1/logs', line({ timeUnixNano: 'x' }),     json,     400, /timeUnixNano is not a time/],
    ['/v1/logs', line({ traceId: 'xyz' }),        json,     400, /traceId is not hexadecimal/],
    ['/v1/logs', line({ body: deep(20) }),        json,     400, /more than 16 levels/],
    ['/v1/logs', line({ body: deep(60) }),        json,     413, /more than 80 lists/],
    ['/v1/logs', Buffer.from([0x0a, 0x7f]),       protobuf, 400, /truncated field/],
    [loki, stream([['x', 'y']]),                  json,     400, /values\[0\]\[0\] must be a time/],
    [loki, stream([['1', 2]]),                    json,     400, /values\[0\]\[1\] must be a text/],
    [loki, stream([], { a: 1 }),                  json,     400, /stream\.a must be a text/],
    [loki, {},                                    json,     400, /streams must be a list/],
    [loki, Buffer.from('nope'),                   protobuf, 400, /not snappy/],
    [loki, compress('snappy', lokiBytes('{a', []), { snappyFraming: 'raw' }), protobuf, 400, /labels of a stream/],
  ];
  for (const [path, body, headers, status, message] of cases) {
    const answer = await call('POST', path, body, headers);
    const text = answer.bytes.toString();
    assert.equal(answer.status, status, `${path}: ${text}`);
    assert.match(text, message);
  }
  assert.deepEqual(await records(), []);
});

test('a line that is refused does not take the others with it', async (t) => {
  const { call, records } = await logStage(t);
  const long = 'x'.repeat(gatewayLimits.logIntakeRecordBytesMax);
  const reason = /^1 line was refused, the first one because it has more than 1MiB/;
  const ofDatadog = await call('POST', '/api/v2/logs', [{ message: long }, { message: 'short' }], json);
  assert.equal(ofDatadog.status, 400);
  assert.match(ofDatadog.json.errors[0].detail, reason);
  const records2 = [{ body: stringValue(long) }, { body: stringValue('short') }];
  const ofOtlp = await call(
    'POST',
    '/v1/logs',
    { resourceLogs: [{ scopeLogs: [{ logRecords: records2 }] }] },
    json,
  );
  assert.equal(ofOtlp.status, 200);
  assert.equal(ofOtlp.json.partialSuccess.rejectedLogRecords, '1');
  assert.match(ofOtlp.json.partialSuccess.errorMessage, reason);
  const push = lokiBytes('{a="b"}', [{ line: long }, { line: 'short' }]);
  const ofLoki = await call(
    'POST',
    '/loki/api/v1/push',
    compress('snappy', push, { snappyFraming: 'raw' }),
    protobuf,
  );
  assert.equal(ofLoki.status, 400);
  assert.match(ofLoki.bytes.toString(), reason);
  assert.deepEqual(
    (await records()).map(({ value }) => value.message),
    ['short', 'short', 'short'],
  );
});

test('a record that the topic refuses does not take the others with it', async (t) => {
  const { cluster, call, records } = await logStage(t);
  cluster.addTopic('small', 1, { 'max.message.bytes': '1000' });
  const body = [{ message: 'a' }, { message: 'x'.repeat(2_000) }, { message: 'b' }];
  const answer = await call('POST', '/api/v2/logs?topic=small', body, json);
  assert.equal(answer.status, 400);
  assert.match(answer.json.errors[0].detail, /^1 line was refused, the first one because /);
  assert.deepEqual(
    (await records('small')).map(({ value }) => value.message),
    ['a', 'b'],
  );
});

test('many lines, or lines that share much, end at a limit', async (t) => {
  const { call } = await logStage(t);
  const empty = messageField(2, Buffer.alloc(0));
  const lines = (count: number) => Buffer.concat(Array.from({ length: count }, () => empty));
  const many = messageField(1, messageField(2, lines(gatewayLimits.logIntakeLinesMax + 1)));
  const tooMany = await call('POST', '/v1/logs', many, protobuf);
  assert.equal(tooMany.status, 413);
  assert.match(tooMany.bytes.toString(), /more than 50000 lines/);
  const attribute = Buffer.concat([textField(1, 'a'), messageField(2, textField(1, 'x'.repeat(500_000)))]);
  const sharing = messageField(
    1,
    Buffer.concat([messageField(1, messageField(1, attribute)), messageField(2, lines(1_000))]),
  );
  const tooLarge = await call('POST', '/v1/logs', sharing, protobuf);
  assert.equal(tooLarge.status, 413);
  assert.match(tooLarge.bytes.toString(), /more than 32MiB as records/);
});

const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;

test('credentials are those of records over HTTP, or a key of Datadog that is user:password', async (t) => {
  for (const isRequired of [true, false]) {
    const { cluster, call } = await logStage(t, { sasl: { ...sasl, isRequired } });
    addUser(cluster, 'alice', 'wonderland');
    const basic = { authorization: `Basic ${Buffer.from('alice:wonderland').toString('base64')}` };
    // biome-ignore format: a table
    const cases: [headers: Record<string, string>, status: number][] = [
      [{},                                                 isRequired ? 401 : 202],
      [{ 'dd-api-key': 'no-credential' },                  isRequired ? 401 : 202],
      [{ 'dd-api-key': 'alice:wonderland' },               202],
      [{ 'dd-api-key': 'alice:wrong' },                    401],
      [{ ...basic, 'dd-api-key': 'alice:wrong' },          202],
    ];
    for (const [headers, status] of cases)
      assert.equal(
        (await call('POST', '/api/v2/logs', [{ message: 'x' }], { ...json, ...headers })).status,
        status,
      );
    assert.equal((await call('POST', '/v1/logs', otlpRequest, json)).status, isRequired ? 401 : 200);
    assert.equal((await call('POST', '/v1/logs', otlpRequest, { ...json, ...basic })).status, 200);
    assert.equal(
      (await call('POST', '/loki/api/v1/push', { streams: [] }, { ...json, ...basic })).status,
      204,
    );
  }
});

test('a topic that is missing or forbidden is said so, and is no reason to try again', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  const { call } = await logStage(t, { cluster });
  const denied = await call('POST', '/v1/logs', otlpBytes(), protobuf);
  assert.equal(denied.status, 403);
  assert.match(denied.bytes.toString(), /no right to write to the topic logs/);
  const open = await logStage(t);
  const invalid = await open.call('POST', '/v1/logs?topic=not%20a%20topic', otlpRequest, json);
  assert.deepEqual(
    [invalid.status, invalid.json],
    [404, { code: 5, message: 'Topic not a topic not found.' }],
  );
});
