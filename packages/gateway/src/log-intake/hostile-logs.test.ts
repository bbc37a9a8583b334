import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { json, logStage, protobuf } from '@weir/agent/testing';
import { messageField, requireShortTurns, textField } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import type { DataInput } from '../http-data/data-route.ts';
import { gatewayLimits } from '../limits.ts';
import { datadogLines } from './datadog.ts';
import { type FoundLine, pausePoint } from './log-line.ts';
import { lokiLines } from './loki.ts';
import { otlpLines } from './otlp.ts';
import { ParseSteps } from './parse-steps.ts';

const text = { 'content-type': 'text/plain' };
const loki = '/loki/api/v1/push';
const { logIntakeLinesMax, logIntakeValuesMax } = gatewayLimits;

/** Two-byte fields of protobuf: a number, or an empty text. */
const fields = (bytes: number, tag: number) => Buffer.alloc(bytes, Buffer.from([tag, tag % 8 === 0 ? 1 : 0]));
const otlpOf = (...records: readonly Buffer[]) =>
  messageField(1, messageField(2, Buffer.concat(records.map((record) => messageField(2, record)))));
const names = (count: number) => Array.from({ length: count }, (_, index) => `"n${index}":1`).join(',');

/** Work between two pauses that a decoder reaches, counted as reads of the body and of what it has parsed. */
function turnsOf(
  linesOf: (input: DataInput, steps: ParseSteps) => Iterable<FoundLine>,
  body: Buffer,
  headers: Record<string, string>,
): { readonly pauses: number; readonly lines: number; readonly problem: string | undefined } {
  const input = { body, headers, contentType: headers['content-type'], query: new URLSearchParams() };
  let pauses = 0;
  let lines = 0;
  let problem: string | undefined;
  try {
    for (const line of linesOf(input as unknown as DataInput, new ParseSteps())) {
      if (line === pausePoint) pauses++;
      else {
        lines++;
        if ('refusal' in line) problem ??= line.refusal;
      }
    }
  } catch (error) {
    problem ??= (error as Error).message;
  }
  return { pauses, lines, problem };
}

test('what has no lines, or one that never ends, is left for other requests again and again', () => {
  const tooMuch = /more than 4000000 lines, fields and values/;
  const manyValues = /it has more than 10000 values/;
  // biome-ignore format: a table
  const cases: [label: string, turns: ReturnType<typeof turnsOf>, pausesMin: number, problem: RegExp | undefined][] = [
    ['blank lines', turnsOf(datadogLines, Buffer.alloc(2_000_000, '\n'), text), 100, undefined],
    ['very many blank lines', turnsOf(datadogLines, Buffer.alloc(8_000_000, '\n'), text), 300, tooMuch],
    ['lines of spaces', turnsOf(datadogLines, Buffer.alloc(2_000_000, ' \n'), text), 50, undefined],
    ['empty objects', turnsOf(datadogLines, Buffer.from(`[${'{},'.repeat(50_000)}{}]`), json), 100, undefined],
    ['an object with many names', turnsOf(datadogLines, Buffer.from(`[{${names(190_000)}}]`), json), 1, manyValues],
    ['values of a record', turnsOf(otlpLines, otlpOf(...Array.from({ length: 8 }, () => messageField(5, fields(900_000, 0x0a)))), protobuf), 7, manyValues],
    ['numbers of a record', turnsOf(otlpLines, otlpOf(fields(900_000, 0x38), Buffer.alloc(0)), protobuf), 1, manyValues],
    ['fields that are not known', turnsOf(otlpLines, fields(4_000_000, 0x78), protobuf), 100, undefined],
    ['a resource again and again', turnsOf(otlpLines, messageField(1, Buffer.concat(Array.from({ length: 100 }, () => messageField(1, fields(20_000, 0x78))))), protobuf), 50, undefined],
    ['empty resources in JSON', turnsOf(otlpLines, Buffer.from(`{"resourceLogs":[${'{},'.repeat(50_000)}{}]}`), json), 50, undefined],
    ['white space before a list', turnsOf(otlpLines, Buffer.from(`{"resourceLogs":${' '.repeat(4_000_000)}[]}`), json), 50, undefined],
    ['names that mean nothing', turnsOf(otlpLines, Buffer.from(`{${names(190_000)}}`), json), 30, undefined],
    ['fields of an entry', turnsOf(lokiLines, messageField(1, Buffer.concat([textField(1, '{a="b"}'), ...Array.from({ length: 7 }, () => messageField(2, fields(1_000_000, 0x12)))])), protobuf), 6, manyValues],
    ['labels again and again', turnsOf(lokiLines, messageField(1, Buffer.concat([fields(2_000_000, 0x0a), textField(1, '{a="b"}')])), protobuf), 50, undefined],
    ['streams without lines', turnsOf(lokiLines, Buffer.from(`{"streams":[${'{"values":[]},'.repeat(30_000)}{"values":[]}]}`), json), 100, undefined],
    ['white space in a push', turnsOf(lokiLines, Buffer.from(`{"streams":[${' '.repeat(4_000_000)}]}`), json), 50, undefined],
  ];
  for (const [label, { pauses, problem }, pausesMin, expected] of cases) {
    assert.ok(pauses >= pausesMin, `${label}: ${pauses} pauses`);
    if (expected === undefined) assert.equal(problem, undefined, label);
    else assert.match(problem ?? '', expected, label);
  }
});

test('no body of logs occupies the thread', async (t) => {
  const { call } = await logStage(t);
  const zstd = { 'content-encoding': 'zstd' };
  const values = otlpOf(messageField(5, messageField(5, fields(3_000_000, 0x0a))));
  const streams = Array.from({ length: 20_000 }, (_, index) => ({ stream: { a: `${index}` }, values: [] }));
  // biome-ignore format: a table
  const cases: [what: string, path: string, body: Buffer, headers: Record<string, string>, status: number][] = [
    ['blank lines', '/api/v2/logs', zstdCompressSync(Buffer.alloc(4_000_000, '\n')), { ...text, ...zstd }, 202],
    ['names of one object', '/api/v2/logs', Buffer.from(`[{${names(190_000)}}]`), json, 400],
    ['names that mean nothing', '/v1/logs', Buffer.from(`{${names(190_000)}}`), json, 200],
    ['nesting', '/api/v2/logs', Buffer.from('['.repeat(1_000_000)), json, 413],
    ['values of a record', '/v1/logs', values, protobuf, 400],
    ['fields that are not known', '/v1/logs', fields(4_000_000, 0x78), protobuf, 200],
    ['streams', loki, Buffer.from(JSON.stringify({ streams })), json, 204],
  ];
  for (const [what, path, body, headers, expected] of cases) {
    const { status } = await requireShortTurns(() => call('POST', path, body, headers), { what });
    assert.equal(status, expected, what);
  }
});

test('a caller without the right is refused before a body is inflated or parsed', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  const { call } = await logStage(t, { cluster });
  const zstd = { 'content-encoding': 'zstd' };
  const lines = zstdCompressSync(Buffer.alloc(gatewayLimits.httpBodyBytesMax, '\n'));
  assert.ok(lines.length < 300);
  for (const [path, body, headers] of [
    ['/api/v2/logs', lines, { ...text, ...zstd }],
    // Neither of these can be inflated.
    ['/v1/logs', 'no zstd', { ...protobuf, ...zstd }],
    [loki, 'no snappy', protobuf],
    ['/api/v2/logs', '{', json],
  ] as const) {
    const { status, bytes } = await call('POST', path, body, headers);
    assert.equal(status, 403, path);
    assert.match(bytes.toString(), /no right to write to the topic logs/);
  }
});

test('a line of Datadog with too many values does not take the others with it', async (t) => {
  const { call, records } = await logStage(t);
  const { status, json: answer } = await call(
    'POST',
    '/api/v2/logs',
    `[{${names(logIntakeValuesMax + 1)}},{"message":"short"}]`,
    json,
  );
  assert.equal(status, 400);
  assert.match(answer.errors[0].detail, /^1 line was refused, the first one because it has more than 10000/);
  assert.deepEqual(
    (await records()).map(({ value }) => value.message),
    ['short'],
  );
});

test('what many lines share and makes them too long is not encoded for each', async (t) => {
  const { call } = await logStage(t);
  const encode = Buffer.from;
  let encodedBytes = 0;
  t.mock.method(Buffer, 'from', ((...args: Parameters<typeof encode>) => {
    const buffer = encode(...args);
    if (typeof args[0] === 'string') encodedBytes += buffer.length;
    return buffer;
  }) as typeof encode);
  const shared = 'x'.repeat(gatewayLimits.logIntakeRecordBytesMax);
  const attributes = [{ key: 'service.name', value: { stringValue: shared } }];
  const scopeLogs = Array.from({ length: 10_000 }, () => ({ logRecords: [{}] }));
  const body = JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs }] });
  const answer = await call('POST', '/v1/logs', body, json);
  assert.equal(answer.status, 400);
  assert.match(answer.json.message, /^10000 lines were refused, the first one because it has more than 1MiB/);
  assert.ok(encodedBytes < 100_000_000, `${encodedBytes} bytes encoded`);
});

test('labels of a stream in JSON are as short as in protobuf', async (t) => {
  const { call } = await logStage(t);
  const stream = { a: 'x'.repeat(gatewayLimits.logIntakeLabelsBytesMax) };
  const values = Array.from({ length: 10 }, () => ['1', '']);
  const answer = await call('POST', loki, { streams: [{ stream, values }] }, json);
  assert.equal(answer.status, 400);
  assert.match(answer.bytes.toString(), /labels of a stream are too long/);
});

test('the largest batches of shippers are within the steps of a request', () => {
  const attribute = (index: number) =>
    messageField(6, Buffer.concat([textField(1, `a${index}`), messageField(2, textField(1, 'v'))]));
  const record = Buffer.concat([messageField(5, textField(1, 'hello')), ...[1, 2, 3, 4].map(attribute)]);
  const body = otlpOf(...Array.from({ length: logIntakeLinesMax }, () => record));
  const { lines, problem } = turnsOf(otlpLines, body, protobuf);
  assert.deepEqual([lines, problem], [logIntakeLinesMax, undefined]);
});
