import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { MemoryRegistryStore } from '../../testing/index.ts';
import { RegistryRefusal, RegistryUnavailable } from '../client/client-error.ts';
import { registryLimits } from '../limits.ts';
import { schemaTypes } from '../schema-format.ts';
import { loadSchemaFormats } from '../schema-formats.ts';
import { SchemaPool } from '../schema-work/schema-pool.ts';
import { RegistryService } from '../service/registry-service.ts';
import { loadFormat } from './load-format.ts';
import { PayloadDecoder } from './payload-decoder.ts';
import { PayloadEncoder, SchemaUnusable, type WantedSchema } from './payload-encoder.ts';
import type { RegistryWriter } from './registry-reader.ts';
import { SchemaCache } from './schema-cache.ts';
import { serviceReader, serviceWriter } from './service-reader.ts';

const schemas = {
  AVRO: '{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"array","items":"string"}}]}',
  PROTOBUF: 'syntax = "proto3"; message R { repeated string a = 1; }',
  JSON: '{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"]}',
} as const;

/** The value {"a":["x"]} after the id. */
const payloads = {
  AVRO: '02027800',
  PROTOBUF: '000a0178',
  JSON: Buffer.from('{"a":["x"]}').toString('hex'),
} as const;

async function stage(t: TestContext, pool?: SchemaPool) {
  const clock = new HandClock();
  const service = new RegistryService({
    store: new MemoryRegistryStore(),
    formats: await loadSchemaFormats(),
    clock,
    clusterId: 'vci_1',
    release: 'v830',
  });
  t.after(() => service.end());
  const open = async () => service;
  const cache = new SchemaCache({ reader: serviceReader(open), formatOf: loadFormat, clock });
  const registry = serviceWriter(open);
  const encoder = new PayloadEncoder({ cache, clock, registry, pool });
  return { clock, service, cache, registry, encoder, decoder: new PayloadDecoder({ cache, clock, pool }) };
}

const refused = (reason: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SchemaUnusable, String(error));
  assert.equal(error.reason, reason);
  assert.match(error.message, message);
  assert.ok(!error.message.includes('\n'));
  return true;
};

test('values are encoded by an id, by the last version of a subject, and by a text', async (t) => {
  const { encoder, decoder, service } = await stage(t);
  for (const type of schemaTypes) {
    const subject = `${type}-value`;
    const schema = { schema: schemas[type], schemaType: type };
    const wanted = { subject, schema, mayRegister: false };
    await assert.rejects(encoder.open(wanted), refused('missing', /does not have the schema/));
    const registered = await encoder.open({ ...wanted, mayRegister: true });
    assert.deepEqual(await service.listVersions(subject), [1]);
    for (const way of [wanted, { subject }, { id: registered.id }] satisfies WantedSchema[]) {
      const opened = await encoder.open(way);
      assert.deepEqual([opened.id, opened.type], [registered.id, type]);
      const value = await opened.encode({ a: ['x'] });
      const id = `00${registered.id.toString(16).padStart(8, '0')}`;
      assert.equal(value!.toString('hex'), id + payloads[type]);
      assert.equal(await opened.encode(null), null);
      const decoded = await decoder.decodeRecord({ key: value, value: null, headers: [] });
      assert.equal(decoded.key.kind === 'decoded' && decoded.key.json, '{"a":["x"]}');
      await assert.rejects(opened.encode({ a: [1] }), { name: 'InvalidPayload' });
    }
  }
});

test('what cannot be used says why, and whether to try again', async (t) => {
  const { encoder, cache, clock, service } = await stage(t);
  const schema = { schema: '"string"' };
  const rows: [wanted: WantedSchema, reason: string, message: RegExp][] = [
    [{ id: 99 }, 'missing', /^the registry has no schema 99$/],
    [{ subject: 's' }, 'missing', /^subject s not found$/],
    [{ subject: 's', schema: { schema: '{' }, mayRegister: true }, 'refused', /./],
  ];
  for (const [wanted, reason, message] of rows)
    await assert.rejects(encoder.open(wanted), refused(reason, message));
  await service.register('s', schema);
  const incompatible = { subject: 's', schema: { schema: '"int"' }, mayRegister: true };
  await assert.rejects(encoder.open(incompatible), refused('refused', /incompatible/));

  const failing = (error: Error): RegistryWriter => {
    const fail = async () => {
      throw error;
    };
    return { register: fail, lookup: fail, schemaOfVersion: fail };
  };
  for (const [error, reason] of [
    [new RegistryUnavailable('away'), 'unavailable'],
    [new RegistryRefusal('here', 503, 'busy'), 'unavailable'],
    [new RegistryRefusal('here', 403, 'denied', { errorCode: 40301 }), 'refused'],
  ] as const) {
    const other = new PayloadEncoder({ cache, clock, registry: failing(error) });
    for (const wanted of [{ subject: 's' }, { subject: 's', schema, mayRegister: true }])
      await assert.rejects(other.open(wanted), refused(reason, /./));
  }
});

test('a schema that was missing a moment ago can be used once it is registered', async (t) => {
  const { encoder } = await stage(t);
  await assert.rejects(encoder.open({ id: 1 }), refused('missing', /./));
  const opened = await encoder.open({ subject: 's', schema: { schema: '"string"' }, mayRegister: true });
  assert.equal(opened.id, 1);
  assert.equal((await opened.encode('x'))!.toString('hex'), '00000000010278');
});

test('the registry is asked once about a text', async (t) => {
  const { cache, clock, registry } = await stage(t);
  let registrations = 0;
  const counting: RegistryWriter = {
    ...registry,
    register: (...given) => {
      registrations += 1;
      return registry.register(...given);
    },
  };
  const encoder = new PayloadEncoder({ cache, clock, registry: counting });
  const wanted = { subject: 's', schema: { schema: '"string"' }, mayRegister: true };
  for (let times = 0; times < 3; times += 1) await encoder.open(wanted);
  await encoder.open({ ...wanted, subject: 'other' });
  assert.equal(registrations, 2);
});

test('integers in texts keep their digits', async (t) => {
  const { encoder, decoder } = await stage(t);
  const texts = {
    AVRO: '{"type":"record","name":"R","fields":[{"name":"a","type":"long"},{"name":"b","type":"double"}]}',
    PROTOBUF: 'syntax = "proto3"; message R { int64 a = 1; double b = 2; }',
    JSON: '{"properties":{"a":{"type":"integer"}}}',
  };
  const shown = {
    AVRO: '{"a":"9007199254740993","b":12345678901234567000}',
    PROTOBUF: '{"a":"9007199254740993","b":12345678901234567000}',
    JSON: '{"a":9007199254740993,"b":12345678901234567890}',
  };
  for (const type of schemaTypes) {
    const schema = { schema: texts[type], schemaType: type };
    const opened = await encoder.open({ subject: type, schema, mayRegister: true });
    const value = await opened.encodeText('{ "a": 9007199254740993, "b": 12345678901234567890 }');
    const decoded = await decoder.decodeRecord({ key: null, value, headers: [] });
    assert.equal(decoded.value.kind === 'decoded' && decoded.value.json, shown[type]);
    assert.equal(await opened.encodeText(' null\n'), null);
    for (const text of ['', '{', 'nul', '{"a":1} x', '['.repeat(200_000)])
      await assert.rejects(opened.encodeText(text), { name: 'InvalidPayload' });
    // As a number, it has lost its last digit before it comes here.
    if (type !== 'JSON')
      await assert.rejects(opened.encode({ a: 2 ** 60, b: 1 }), { name: 'InvalidPayload' });
  }
});

test('a schema by id takes the right to read one of its subjects', async (t) => {
  const { encoder, service } = await stage(t);
  const { id } = await service.register('s', { schema: '"string"' });
  assert.equal((await encoder.open({ id }, { mayRead: (subject) => subject === 's' })).id, id);
  await assert.rejects(
    encoder.open({ id }, { mayRead: () => false }),
    refused('refused', /no right to read/),
  );
});

test('large values are encoded in a thread, and values that are too large or too deep are refused', async (t) => {
  const pool = new SchemaPool({ clock: systemClock, threadsMax: 1 });
  t.after(() => pool.end());
  const { encoder } = await stage(t, pool);
  const inline = await stage(t);
  const value = { a: Array.from({ length: 2_000 }, (_, index) => `${index}`.padEnd(60, 'x')) };
  for (const type of schemaTypes) {
    const wanted = {
      subject: type,
      schema: { schema: schemas[type], schemaType: type },
      mayRegister: true,
    };
    const opened = await encoder.open(wanted);
    const expected = await (await inline.encoder.open(wanted)).encode(value);
    assert.deepEqual(await opened.encode(value), expected);
    assert.deepEqual(await opened.encodeText(JSON.stringify(value)), expected);
    await assert.rejects(opened.encodeText(JSON.stringify({ a: [...value.a, 1] })), {
      name: 'InvalidPayload',
    });
    await assert.rejects(opened.encode({ a: [...value.a, 1] }), { name: 'InvalidPayload' });
    const long = { a: ['x'.repeat(registryLimits.decodedJsonCharsMax)] };
    await assert.rejects(opened.encode(long), { name: 'InvalidPayload', message: /more than 16777216/ });
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    await assert.rejects(opened.encode(deep), { name: 'InvalidPayload', message: 'it is nested too deeply' });
    await assert.rejects(opened.encode({ a: deep }), { name: 'InvalidPayload' });
  }
  assert.equal(pool.threads, 1);
});

for (const place of ['here', 'in a thread']) {
  test(`values that are encoded together share what checking them may cost, ${place}`, async (t) => {
    const pool = new SchemaPool({ clock: systemClock, threadsMax: 1 });
    t.after(() => pool.end());
    const { encoder } = await stage(t, pool);
    const next = (at: number) => ({ $ref: `#/definitions/a${at + 1}` });
    const depth = place === 'here' ? 14 : 17;
    const definitions = Object.fromEntries(
      Array.from({ length: depth }, (_, at) => [`a${at}`, { allOf: [next(at), next(at)] }]),
    );
    const schema = JSON.stringify({
      $ref: '#/definitions/a0',
      definitions: { ...definitions, [`a${depth}`]: { type: ['string', 'number'] } },
    });
    const wanted = { subject: 's', schema: { schema, schemaType: 'JSON' }, mayRegister: true } as const;
    // Longer values go to a thread.
    const json = place === 'here' ? '1' : `"${'x'.repeat(registryLimits.inlinePayloadBytesMax)}"`;
    const opened = await encoder.open(wanted);
    let encodedCount = 0;
    let problem = '';
    for (let times = 0; times < 60; times++) {
      try {
        await opened.encodeText(json);
        encodedCount++;
      } catch (error) {
        problem = (error as Error).message;
      }
    }
    assert.ok(encodedCount >= 2 && encodedCount < 40, `${encodedCount}`);
    assert.match(problem, /cannot be checked: the schema takes too much work/);
    // Those of another request have their own.
    assert.notEqual(await (await encoder.open(wanted)).encodeText(json), null);
  });
}
