import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { MemoryRegistryStore } from '../../testing/index.ts';
import { loadSchemaFormats } from '../schema-formats.ts';
import { RegistryService } from './registry-service.ts';

test('a registration is answered with a descriptor if one was sent', async (t) => {
  const service = new RegistryService({
    store: new MemoryRegistryStore(),
    formats: await loadSchemaFormats(),
    clock: systemClock,
    clusterId: 'vci_sr_test',
    release: 'test',
  });
  t.after(() => service.end());
  const text = 'syntax = "proto3";\npackage shop;\n\nmessage Sent {\n  int64 id = 1;\n}\n';
  const schemaType = 'PROTOBUF';
  const { id, schema: plain } = await service.register('s', { schemaType, schema: text });
  assert.equal(plain, text);
  const { schema: descriptor } = await service.schemaById(id, { format: 'serialized' });
  assert.match(descriptor, /^[A-Za-z0-9+/]+=*$/);
  // subject, sent text, query, whether the answer is a descriptor
  const cases = [
    ['s', descriptor, {}, true],
    ['t', `${descriptor}\n`, {}, true],
    ['u', descriptor, { normalize: true }, true],
    ['v', descriptor, { format: 'default' }, false],
    ['w', text, { format: 'serialized' }, true],
  ] as const;
  for (const [subject, schema, query, isDescriptor] of cases) {
    const answer = await service.register(subject, { schemaType, schema }, query);
    assert.equal(answer.schema, isDescriptor ? descriptor : text, subject);
    assert.equal((await service.version(subject, 'latest')).schema, text, subject);
  }
});
