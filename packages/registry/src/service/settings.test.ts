import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldListService, requestTable } from '../../testing/index.ts';
import { MemoryRegistryStore } from '../../testing/memory-registry-store.ts';

it('a config and a mode are changed in one commit', async () => {
  const store = new MemoryRegistryStore();
  const service = fieldListService({ store });
  const { revision } = store.registry;
  await service.putSettings('s', { config: { compatibility: 'FULL' }, mode: { mode: 'READONLY' } });
  assert.equal(store.registry.revision, revision + 1);
  await service.end();
});

requestTable('settings are changed together, or not at all', [
  [
    'both',
    (service) => service.putSettings('s', { config: { compatibility: 'FULL' }, mode: { mode: 'READONLY' } }),
    undefined,
  ],
  ['the config', (service) => service.config('s'), { compatibilityLevel: 'FULL' }],
  ['the mode', (service) => service.mode('s'), { mode: 'READONLY' }],
  [
    'a config that stays read-only',
    (service) => service.putSettings('s', { config: { compatibility: 'NONE' } }),
    42205,
  ],
  [
    'a config that was read-only',
    (service) => service.putSettings('s', { config: { compatibility: 'NONE' }, mode: { mode: null } }),
    undefined,
  ],
  ['has another level', (service) => service.config('s'), { compatibilityLevel: 'NONE' }],
  ['and no mode', (service) => service.mode('s'), 40409],
  ['a version', async (service) => (await service.register('s', { schema: 'a' })).id, 1],
  [
    'a mode that is refused',
    (service) => service.putSettings('s', { config: { compatibility: 'FULL' }, mode: { mode: 'IMPORT' } }),
    42205,
  ],
  ['keeps the config', (service) => service.config('s'), { compatibilityLevel: 'NONE' }],
  [
    'the whole registry is read-only',
    (service) => service.putMode(undefined, { mode: 'READONLY_OVERRIDE' }),
    { mode: 'READONLY_OVERRIDE' },
  ],
  [
    'no mode of a subject makes it writable',
    (service) => service.putSettings('s', { config: { compatibility: 'FULL' }, mode: { mode: 'READWRITE' } }),
    42205,
  ],
]);
