import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLeader } from '@weir/controlplane/testing';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import { jsonSchemaFormat, RegistryReplica, RegistryService } from '@weir/registry';
import { RegistryLevels } from './registry-levels.ts';

test('levels are inherited, follow changes, and only live subjects count', async (t) => {
  const node = await startLeader(t);
  const store = new RegistryReplica({ port: node, clock: systemClock, random: systemRandom, log: silentLog });
  const registry = new RegistryService({
    store,
    formats: { AVRO: jsonSchemaFormat, PROTOBUF: jsonSchemaFormat, JSON: jsonSchemaFormat } as never,
    clock: systemClock,
    clusterId: 'vci_test',
    release: 'v830',
  });
  t.after(() => registry.end());
  const levels = new RegistryLevels();
  const read = () => levels.read(node, new AbortController().signal);
  const nothing = {
    subjectCount: 0,
    uncheckedSubjectCount: 0,
    uncheckedSubjects: [],
    isUncheckedByDefault: false,
  };
  assert.deepEqual(await read(), nothing);

  const body = { schema: '{"type":"object"}', schemaType: 'JSON' };
  for (const subject of ['a', 'b', ':.eu:c', ':.eu:d']) await registry.register(subject, body);
  assert.deepEqual(await read(), { ...nothing, subjectCount: 4 });

  await registry.putConfig('a', { compatibility: 'NONE' });
  await registry.putConfig(':.eu:', { compatibility: 'NONE' });
  await registry.putConfig(':.eu:d', { compatibility: 'FULL' });
  assert.deepEqual(await read(), {
    subjectCount: 4,
    uncheckedSubjectCount: 2,
    uncheckedSubjects: [':.eu:c', 'a'],
    isUncheckedByDefault: false,
  });

  await registry.putConfig(undefined, { compatibility: 'NONE' });
  await registry.deleteConfig(':.eu:');
  await registry.deleteSubject('a');
  assert.deepEqual(await read(), {
    subjectCount: 3,
    uncheckedSubjectCount: 1,
    uncheckedSubjects: ['b'],
    isUncheckedByDefault: true,
  });
  assert.deepEqual(await read(), await new RegistryLevels().read(node, new AbortController().signal));
});
