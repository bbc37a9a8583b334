import assert from 'node:assert/strict';
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
  assert.match(mixed.err, /record 1: value does not fit schema 2: 1 bytes follow the value/);

  const fetched = await weir(
    `cli fetch -topic t -output json -decode auto -schemaRegistryURL ${registryUrl}`,
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
