import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { MemoryRegistryStore } from '../../testing/index.ts';
import { loadSchemaFormats } from '../schema-formats.ts';
import { RegistryService } from './registry-service.ts';

async function openService(t: { after(end: () => Promise<void>): void }): Promise<RegistryService> {
  const service = new RegistryService({
    store: new MemoryRegistryStore(),
    formats: await loadSchemaFormats(),
    clock: systemClock,
    clusterId: 'vci_sr_test',
    release: 'test',
  });
  t.after(() => service.end());
  return service;
}

const record = (name: string, ...fields: object[]) =>
  JSON.stringify({ type: 'record', name, namespace: 'shop', fields });
const badDefault = record('Old', { name: 'id', type: 'int', default: 'none' });

test('an import takes Avro defaults that do not fit, and no names that are none', async (t) => {
  const service = await openService(t);
  const invalid = { code: 42201 };
  await assert.rejects(service.register('s', { schema: badDefault }), invalid);
  await assert.rejects(service.lookUpSchema('s', { schema: badDefault }), { code: 40401 });
  await service.putMode('s', { mode: 'IMPORT' });
  assert.equal((await service.register('s', { schema: badDefault, id: 7, version: 3 })).id, 7);
  const badName = record('Old', { name: 'a-b', type: 'int' });
  await assert.rejects(service.register('s', { schema: badName, id: 8, version: 4 }), invalid);
  await assert.rejects(service.register('s', { schema: '{', id: 8, version: 4 }), invalid);
  // It is found, referred to and compared like others from then on.
  await service.putMode('s', { mode: 'READWRITE' });
  assert.equal((await service.lookUpSchema('s', { schema: badDefault })).version, 3);
  assert.equal((await service.schemaById(7, { format: 'resolved' })).schema, badDefault);
  const better = record('Old', { name: 'id', type: 'int', default: 0 });
  assert.equal((await service.register('s', { schema: better })).version, 4);
  await assert.rejects(service.register('t', { schema: badDefault }), invalid);
  await service.putConfig('t', { validateNewSchemas: false });
  assert.equal((await service.register('t', { schema: badDefault })).id, 7);
});

test('with validateFields, no property at the top of a JSON schema begins with $$', async (t) => {
  const service = await openService(t);
  const schemaType = 'JSON';
  const reserved = JSON.stringify({ type: 'object', properties: { $$a: {} } });
  const nested = JSON.stringify({ type: 'object', properties: { a: { properties: { $$a: {} } } } });
  await service.register('free', { schemaType, schema: reserved });
  await service.putConfig('s', { validateFields: true });
  await assert.rejects(service.register('s', { schemaType, schema: reserved }), {
    code: 42201,
    message: /field names cannot start with \$\$/,
  });
  await assert.rejects(service.checkCompatibility('s', undefined, { schemaType, schema: reserved }), {
    code: 42201,
  });
  assert.equal((await service.register('s', { schemaType, schema: nested })).version, 1);
  await service.putMode('imported', { mode: 'IMPORT' });
  await service.putConfig('imported', { validateFields: true });
  const { id } = await service.register('imported', { schemaType, schema: reserved, id: 100, version: 1 });
  assert.equal(id, 100);
});
