import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import { fieldListService } from '../../testing/index.ts';
import { MemoryRegistryStore } from '../../testing/memory-registry-store.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryService } from './registry-service.ts';

const versions = 100;

/** A clock on which every look takes some milliseconds, and which counts the turns that others had. */
function slowClock() {
  const counted = { turns: 0, lookMs: 0 };
  let monotonicMs = 0;
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => (monotonicMs += counted.lookMs),
    after(delayMs, run) {
      if (delayMs === 0) counted.turns++;
      return systemClock.after(delayMs, run);
    },
  };
  return { clock, counted };
}

async function stage(schemaOf: (version: number) => object) {
  const { clock, counted } = slowClock();
  const store = new MemoryRegistryStore();
  const service = fieldListService({ store, clock });
  await service.register('base', { schema: 'x?' });
  await service.putConfig('s', { compatibility: 'NONE' });
  for (let version = 1; version <= versions; version++) await service.register('s', schemaOf(version));
  await service.putConfig('s', { compatibility: 'FULL_TRANSITIVE' });
  counted.lookMs = 1;
  return { service, store, counted };
}

const plain = (version: number) => ({ schema: `f${version}?` });
const referring = (version: number) => ({
  schema: `f${version}? @base`,
  references: [{ name: 'base', subject: 'base', version: 1 }],
});
const described = (version: number) => ({
  ...plain(version),
  metadata: { properties: { number: String(version), 'confluent:version': String(version) } },
});

describe('other requests have their turns while', () => {
  // what is registered, the request, and how many turns others have at least
  const cases: [
    title: string,
    schemaOf: (version: number) => object,
    request: (service: RegistryService) => Promise<unknown>,
    turnsMin: number,
  ][] = [
    [
      'a schema is compared with many versions',
      plain,
      (service) => service.checkCompatibility('s', undefined, { schema: 'new?' }),
      15,
    ],
    [
      'a schema is registered after many versions',
      plain,
      (service) => service.register('s', { schema: 'new?' }),
      15,
    ],
    [
      'the versions have references, and their comparisons are not remembered',
      referring,
      (service) => service.checkCompatibility('s', undefined, referring(0)),
      3,
    ],
    [
      'a schema is looked for in many versions',
      described,
      (service) => service.lookUpSchema('s', { schema: 'f1?', metadata: { properties: { number: '1' } } }),
      15,
    ],
    [
      'metadata is looked for in many versions',
      described,
      (service) => service.latestWithMetadata('s', { keys: ['number'], values: ['1'] }),
      15,
    ],
    ['schemas are listed', plain, (service) => service.listSchemas({ ruleType: 'CEL' }), 15],
  ];
  for (const [title, schemaOf, request, turnsMin] of cases)
    it(title, async () => {
      const { service, counted } = await stage(schemaOf);
      await request(service);
      assert.ok(counted.turns >= turnsMin, `${counted.turns} turns`);
      await service.end();
    });
});

it('a decision whose caller has gone is not made', async () => {
  const { service, store, counted } = await stage(plain);
  const gone = new AbortController();
  const registered = service
    .forCaller({ client: 'ann', signal: gone.signal })
    .register('s', { schema: 'new?' });
  const { revision } = store.registry;
  gone.abort();
  await assert.rejects(registered, (error) => error instanceof RegistryError && error.code === 50002);
  assert.ok(counted.turns < 5, `${counted.turns} turns`);
  assert.equal(store.registry.revision, revision);
  await service.end();
});
