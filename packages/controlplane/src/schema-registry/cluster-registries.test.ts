import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { RegistryService } from '@weir/registry';
import { controlPlaneLimits } from '../limits.ts';
import { ClusterRegistries, type LoadedRegistry } from './cluster-registries.ts';

/** Registries that do nothing, and a record of what happens to them. */
function stage(load?: (clusterId: string) => Promise<LoadedRegistry>) {
  const clock = new HandClock();
  const happened: string[] = [];
  const fake = async (clusterId: string): Promise<LoadedRegistry> => {
    happened.push(`load ${clusterId}`);
    return {
      service: { clusterId } as unknown as RegistryService,
      refresh: async () => void happened.push(`refresh ${clusterId}`),
      close: async () => void happened.push(`close ${clusterId}`),
    };
  };
  const registries = new ClusterRegistries({ load: load ?? fake, clock, log: silentLog });
  return { clock, happened, registries, fake };
}

const nothing = async () => {};

test('a registry is loaded once, and is up to date for every call', async () => {
  const { registries, happened } = stage();
  await Promise.all([registries.use('a', nothing), registries.use('a', nothing)]);
  await registries.use('a', nothing);
  assert.deepEqual(happened, ['load a', 'refresh a', 'refresh a', 'refresh a']);
  registries.close();
});

test('a registry that is idle is released, and one in use stays', async () => {
  const { registries, happened, clock } = stage();
  let finish = () => {};
  const busy = registries.use('busy', () => new Promise<void>((resolve) => (finish = resolve)));
  await registries.use('idle', nothing);
  clock.advance(120_000);
  await registries.use('other', nothing);
  assert.equal(registries.loadedCount, 2);
  assert.ok(happened.includes('close idle'));
  assert.ok(!happened.includes('close busy'));
  finish();
  await busy;
  clock.advance(240_000);
  await Promise.resolve();
  assert.equal(registries.loadedCount, 0);
});

test('the one that was used least recently makes room, and never one in use', async () => {
  const { registries, happened } = stage();
  const ends: (() => void)[] = [];
  const users: Promise<void>[] = [];
  const occupy = (clusterId: string) =>
    users.push(registries.use(clusterId, () => new Promise<void>((resolve) => ends.push(resolve))));
  await registries.use('first', nothing);
  for (let count = 1; count < controlPlaneLimits.loadedRegistriesMax; count++) occupy(`c${count}`);
  await registries.use('second', nothing);
  assert.ok(happened.includes('close first'));
  assert.equal(registries.loadedCount, controlPlaneLimits.loadedRegistriesMax);
  occupy('second');
  await assert.rejects(registries.use('third', nothing), ClusterUnavailable);
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  for (const end of ends) end();
  await Promise.all(users);
  registries.close();
});

test('a registry that could not be loaded is tried again', async () => {
  let attempts = 0;
  const { registries } = stage(async () => {
    attempts++;
    throw new ClusterUnavailable('no leader');
  });
  await assert.rejects(registries.use('a', nothing), ClusterUnavailable);
  await assert.rejects(registries.use('a', nothing), ClusterUnavailable);
  assert.equal(attempts, 2);
  assert.equal(registries.loadedCount, 0);
});
