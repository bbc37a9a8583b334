import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestReader, textFormat } from '../../testing/index.ts';
import { RegistryUnavailable } from '../client/client-error.ts';
import { registryLimits } from '../limits.ts';
import { SchemaPool } from '../schema-work/schema-pool.ts';
import { loadFormat } from './load-format.ts';
import { type DecodeOptions, PayloadDecoder } from './payload-decoder.ts';
import { SchemaCache } from './schema-cache.ts';
import { framed } from './wire-format.ts';

function stage(pool?: SchemaPool, formatOf: typeof textFormat | typeof loadFormat = loadFormat) {
  const clock = new HandClock();
  const reader = new TestReader();
  const decoder = new PayloadDecoder({
    cache: new SchemaCache({ reader, formatOf, clock, pool }),
    clock,
    pool,
  });
  const decode = async (value: Buffer | null, options?: DecodeOptions) =>
    (await decoder.decodeRecord({ key: null, value, headers: [] }, options)).value;
  const framedText = (id: number, text: string) => framed(id, Buffer.from(text));
  return { reader, decoder, decode, framedText };
}

test('keys and values are decoded, or come with the reason', async () => {
  const { reader, decoder, decode, framedText } = stage(undefined, textFormat);
  reader.add(7, 'a', ['t-value']);
  reader.add(8, 'invalid', ['s']);
  assert.deepEqual(await decode(null), { kind: 'plain' });
  assert.deepEqual(await decode(Buffer.from('plain')), { kind: 'plain' });
  const decoded = { kind: 'decoded', type: 'AVRO', subjects: ['t-value'], recordName: 'record.a' };
  assert.deepEqual(await decode(framedText(7, 'abc')), { ...decoded, ref: 7, json: '"abc"' });
  const guid = '00000000-0000-0000-0000-000000000007';
  const header = { key: '__key_schema_id', value: Buffer.from(`01${guid.replaceAll('-', '')}`, 'hex') };
  const both = { key: Buffer.from('ab'), value: framedText(7, 'a'), headers: [header] };
  assert.deepEqual(await decoder.decodeRecord(both), {
    key: { ...decoded, ref: guid, json: '"ab"' },
    value: { ...decoded, ref: 7, json: '"a"' },
  });
  const known = { type: 'AVRO', subjects: ['t-value'] };
  const unknown = { type: undefined, subjects: [] };
  const failures: [value: Buffer, ref: number, about: object, reason: string, options?: DecodeOptions][] = [
    [framedText(7, 'x'), 7, known, 'must begin with a'],
    [framedText(7, 'a'), 7, known, 'the schema is AVRO, not JSON', { only: 'JSON' }],
    [framedText(7, 'abcd'), 7, known, 'its JSON has more than 5 characters', { charsMax: 5 }],
    [
      framedText(8, 'x'),
      8,
      { type: 'AVRO', subjects: ['s'] },
      'the schema cannot be parsed: the text says so',
    ],
    [framedText(9, 'x'), 9, unknown, 'schema not found in the registry'],
  ];
  for (const [value, ref, about, reason, options] of failures)
    assert.deepEqual(await decode(value, options), { kind: 'failed', ref, ...about, reason });
  reader.failure = new RegistryUnavailable('http://registry: away');
  const away = await decode(framedText(10, 'x'));
  assert.deepEqual(away, { kind: 'failed', ref: 10, ...unknown, reason: 'http://registry: away' });
});

test('a caller needs the right to read one subject that has the schema, and sees no others', async () => {
  const { reader, decode, framedText } = stage(undefined, textFormat);
  reader.add(7, 'a', ['secret', 'open', 'public']);
  const may = (...names: string[]) => ({ mayRead: (subject: string) => names.includes(subject) });
  const some = await decode(framedText(7, 'a'), may('open', 'other'));
  assert.ok(some.kind === 'decoded');
  assert.deepEqual(some.subjects, ['open']);
  // Not even the type is shown.
  assert.deepEqual(await decode(framedText(7, 'a'), may('other')), {
    kind: 'failed',
    ref: 7,
    type: undefined,
    subjects: [],
    reason: 'no right to read a subject that has the schema',
  });
  reader.add(8, 'a', []);
  assert.equal((await decode(framedText(8, 'a'), may('other'))).kind, 'failed');
  assert.equal((await decode(framedText(8, 'a'))).kind, 'decoded');
});

test('a schema of many subjects costs a bounded number of checks, and shows ten', async () => {
  const { reader, decode, framedText } = stage(undefined, textFormat);
  const subjects = Array.from({ length: 5_000 }, (_, index) => `s${index}`);
  reader.add(7, 'a', subjects);
  let checks = 0;
  const mayRead = () => {
    checks += 1;
    return false;
  };
  assert.equal((await decode(framedText(7, 'a'), { mayRead })).kind, 'failed');
  assert.equal(checks, 1_000);
  const all = await decode(framedText(7, 'a'));
  assert.deepEqual(all.kind === 'decoded' && all.subjects, subjects.slice(0, 10));
});

test('JSON keeps its digits and loses its white space', async () => {
  const { reader, decode, framedText } = stage();
  reader.add(7, '{"type":"object"}', [], 'JSON');
  const payload = '{ "a" : 12345678901234567890,\r\n\t"b \\" c\\\\" : [ 1.00 , " \u00a0é\\n " ] }';
  const decoded = await decode(framedText(7, payload));
  assert.equal(
    decoded.kind === 'decoded' && decoded.json,
    '{"a":12345678901234567890,"b \\" c\\\\":[1.00," \u00a0é\\n "]}',
  );
});

test('bytes that stand for long names do not become more text than allowed', async () => {
  const { reader, decode } = stage();
  const name = 'n'.repeat(100_000);
  reader.add(7, JSON.stringify({ type: 'array', items: { type: 'enum', name: 'E', symbols: [name] } }));
  const fields = [{ name, type: 'boolean' }];
  reader.add(8, JSON.stringify({ type: 'array', items: { type: 'record', name: 'R', fields } }));
  const items = 50_000;
  const count = Buffer.from([0xa0, 0x8d, 0x06]);
  const payload = Buffer.concat([count, Buffer.alloc(items), Buffer.from([0])]);
  for (const id of [7, 8]) {
    const decoded = await decode(framed(id, payload));
    assert.equal(decoded.kind === 'failed' && decoded.reason, 'its JSON has more than 16777216 characters');
  }
});

test('the deepest payload is shown', async () => {
  const { reader, decode } = stage();
  const next = { name: 'next', type: ['null', 'R'] };
  reader.add(7, JSON.stringify({ type: 'record', name: 'R', fields: [next] }));
  const depth = registryLimits.avroPayloadDepthMax;
  const decoded = await decode(framed(7, Buffer.concat([Buffer.alloc(depth - 1, 2), Buffer.from([0])])));
  assert.equal(decoded.kind === 'decoded' && decoded.json.split('"next"').length, depth + 1);
});

function poolOf(t: TestContext, taskMsMax?: number): SchemaPool {
  const pool = new SchemaPool({ clock: systemClock, threadsMax: 1, taskMsMax });
  t.after(() => pool.end());
  return pool;
}

test('large payloads are decoded in a thread, to the same result', async (t) => {
  const pool = poolOf(t);
  const { reader, decode } = stage(pool);
  const inline = stage();
  for (const { reader: each } of [{ reader }, inline]) {
    each.add(7, '{"type":"array","items":"string"}', ['s']);
    each.add(8, 'syntax = "proto3"; package p; message M { repeated string s = 1; }', ['s'], 'PROTOBUF');
    each.add(9, '{"type":"array"}', ['s'], 'JSON');
  }
  const small = 'x'.repeat(60);
  const count = 2_000;
  const avro = Buffer.concat([
    Buffer.from([0xa0, 0x1f]),
    ...Array.from({ length: count }, () => Buffer.from(`\x78${small}`)),
    Buffer.from([0]),
  ]);
  const protobuf = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: count }, () => Buffer.from(`\x0a\x3c${small}`)),
  ]);
  const json = Buffer.from(JSON.stringify(Array.from({ length: count }, () => small)));
  for (const [id, payload] of [
    [7, avro],
    [8, protobuf],
    [9, json],
  ] as const) {
    assert.ok(payload.length > registryLimits.inlinePayloadBytesMax);
    const decoded = await decode(framed(id, payload));
    assert.equal(decoded.kind, 'decoded', JSON.stringify(decoded).slice(0, 300));
    assert.deepEqual(decoded, await inline.decode(framed(id, payload)));
    const cut = framed(id, payload.subarray(0, payload.length - 1));
    const failed = await decode(cut);
    assert.equal(failed.kind, 'failed');
    assert.deepEqual(failed, await inline.decode(cut));
  }
  assert.equal(pool.threads, 1);
});

test('a payload that takes too long fails alone', async (t) => {
  const { reader, decode, framedText } = stage(poolOf(t, 0));
  reader.add(9, '{"type":"string"}', [], 'JSON');
  const failed = await decode(framedText(9, JSON.stringify('x'.repeat(100_000))));
  assert.equal(failed.kind === 'failed' && failed.reason, 'it takes too much time or memory to decode');
  const small = await decode(framedText(9, '"x"'));
  assert.equal(small.kind === 'decoded' && small.json, '"x"');
});

test('payloads of a large schema are decoded in a thread, which alone knows it', async (t) => {
  const { reader, decode, framedText } = stage(poolOf(t), () => {
    throw new Error('the schema is parsed here');
  });
  const schema = (description: string) => JSON.stringify({ title: 'large', type: 'object', description });
  reader.add(7, schema('x'.repeat(registryLimits.inlineCodecBytesMax)), ['s'], 'JSON');
  const decoded = { kind: 'decoded', type: 'JSON', subjects: ['s'], recordName: 'large' };
  assert.deepEqual(await decode(framedText(7, '{ "a": 1 }')), { ...decoded, ref: 7, json: '{"a":1}' });
});
