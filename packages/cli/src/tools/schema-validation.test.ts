import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RegistryClient } from '@weir/registry';
import { startLocalCluster } from '../../testing/local-cluster.ts';

/** A value that names a schema. All its bytes are ASCII. */
function framed(id: number, payload: string): string {
  return `\0\0\0${String.fromCharCode(0, id)}${payload}`;
}

test('weir local validates records by its own registry, and fetch decodes them', async (t) => {
  const { registryUrl, weir } = await startLocalCluster(t);
  const registry = new RegistryClient({ urls: registryUrl });
  t.after(() => registry.close());
  const configs = '-config service.value.schema.validation=true';
  assert.equal((await weir(`cli create-topic -topic t -partitions 1 ${configs}`)).status, 0);
  const produce = (...values: string[]) =>
    weir('cli produce -topic t', { input: [values.map((value) => `${value}\n`).join('')] });

  const before = await produce(framed(1, '\x02x'));
  assert.match(before.err, /INVALID_RECORD.*value has schema 1, which does not exist/);
  const { id } = await registry.register('other', { schema: '"string"' });
  const elsewhere = await produce(framed(id, '\x02x'));
  assert.match(
    elsewhere.err,
    /value has schema 1, which (does not exist|is not registered under subject t-value)/,
  );
  // The schema of another text is not in the cache.
  const schema = '{"type":"record","name":"R","fields":[{"name":"a","type":"string"}]}';
  const registered = await registry.register('t-value', { schema });
  assert.deepEqual(
    await produce(framed(registered.id, '\x02x'), framed(registered.id, '\x04yz')).then(({ err }) => err),
    '',
  );
  const mixed = await produce(framed(registered.id, '\x02x'), framed(registered.id, '\x02xy'));
  assert.match(mixed.err, /record 1: value does not match schema 2: 1 bytes follow the value/);

  const fetched = await weir(
    `cli fetch -topic t -output json -decode auto -schema-registry-url ${registryUrl}`,
  );
  const records = fetched.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    records.map(({ value, valueSchema }) => [value, valueSchema]),
    [
      [{ a: 'x' }, registered.id],
      [{ a: 'yz' }, registered.id],
    ],
  );
});

test('produce encodes JSON by a schema, and fetch shows the same JSON', async (t) => {
  const { registryUrl, weir } = await startLocalCluster(t);
  const folder = mkdtempSync(join(tmpdir(), 'weir-schemas-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const schemas: [file: string, text: string, type: string, json: string, problem: RegExp][] = [
    [
      'order.avsc',
      '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}',
      'AVRO',
      '{"id":7}',
      /value 2 does not match schema 1: id: expected a value of type "long", found "x"/,
    ],
    [
      'order.proto',
      'syntax = "proto3"; message Order { int64 id = 1; }',
      'PROTOBUF',
      '{"id":"7"}',
      /value 2 does not match schema 2: field Order.id needs an integer that fits int64/,
    ],
    [
      'order.json',
      '{"type":"object","properties":{"id":{"type":"integer"}}}',
      'JSON',
      '{"id":9007199254740993}',
      /value 2 does not match schema 3: #\/id: must be integer/,
    ],
  ];
  const at = `-schema-registry-url ${registryUrl}`;
  for (const [index, [file, text, type, json, problem]] of schemas.entries()) {
    const path = join(folder, file);
    writeFileSync(path, text);
    const topic = type.toLowerCase();
    await weir(`cli create-topic -topic ${topic} -partitions 1 -config service.value.schema.validation=true`);
    const produce = `cli produce -topic ${topic} ${at}`;
    const made = await weir(`${produce} -schema-file ${path} -output json`, { input: [`${json}\n`] });
    assert.deepEqual([made.status, JSON.parse(made.out).value, made.err], [0, json, '']);
    const again = await weir(`${produce} -schema-id ${index + 1} -records ${json}`);
    assert.deepEqual([again.status, again.err], [0, '']);
    const refused = await weir(`${produce} -schema-id ${index + 1}`, { input: [`${json}\n{"id":"x"}\n`] });
    assert.equal(refused.status, 1);
    assert.match(refused.err, problem);
    const fetched = await weir(`cli fetch -topic ${topic} -output json -decode auto ${at}`);
    const lines = fetched.out.trimEnd().split('\n');
    assert.equal(lines.length, 2);
    for (const line of lines) {
      assert.ok(line.includes(`"value":${json},`), line);
      const { valueSchema, valueSchemaType, valueSubjects } = JSON.parse(line);
      assert.deepEqual([valueSchema, valueSchemaType, valueSubjects], [index + 1, type, [`${topic}-value`]]);
    }
  }
  for (const [flags, problem] of [
    ['-schema-id 99', 'the registry has no schema 99'],
    ['-schema-id 1 -schema-file x.avsc', 'set one of them'],
    ['-schema-type AVRO', '-schema-type=AVRO: needs -schema-file'],
    ['-schema-message Order', '-schema-message=Order: needs -schema-id or -schema-file'],
    ['-schema-id 2 -schema-message Refund -records {}', 'the schema has no message Refund'],
    ['-schema-file -', 'standard input has the values; set -records, or use a file'],
    ['-schema-id 1 -records null', 'value 1 is null (tombstone), which no schema encodes'],
  ]) {
    const { status, err } = await weir(`cli produce -topic avro ${at} ${flags}`);
    assert.notEqual(status, 0);
    assert.ok(err.includes(problem!), err);
  }
});
