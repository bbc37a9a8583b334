import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { TestReader, textFormat } from '../../testing/index.ts';
import { RegistryUnavailable } from '../client/client-error.ts';
import type { SchemaType } from '../schema-format.ts';
import { SchemaCache } from './schema-cache.ts';

function stage(bytesMax?: number) {
  const clock = new HandClock();
  const reader = new TestReader();
  const cache = new SchemaCache({
    reader,
    formatOf: textFormat,
    clock,
    ...(bytesMax === undefined ? {} : { bytesMax }),
  });
  const state = (ref: number | string) => cache.state(ref, clock.monotonicMs());
  const isRegistered = (ref: number | string, subject: string) =>
    cache.isRegistered(ref, subject, clock.monotonicMs());
  return { clock, reader, cache, state, isRegistered };
}

test('a schema is fetched once, with its subjects', async () => {
  const { reader, cache, state, isRegistered } = stage();
  reader.add(7, 'a', ['t-value']);
  assert.equal(state(7).kind, 'unknown');
  await Promise.all([cache.load(7), cache.load(7)]);
  assert.deepEqual(reader.asked, ['id 7', 'subjects of 7']);
  assert.equal(state(7).kind, 'found');
  assert.equal(isRegistered(7, 't-value'), true);
  assert.equal(isRegistered(7, 'other'), false);
});

test('what a registry does not have is asked for again after a second', async () => {
  const { clock, reader, cache, state, isRegistered } = stage();
  await cache.load(7);
  assert.equal(state(7).kind, 'missing');
  reader.add(7, 'a', ['s']);
  clock.advance(1_000);
  assert.equal(state(7).kind, 'missing');
  clock.advance(1);
  assert.equal(state(7).kind, 'unknown');
  await cache.load(7);
  assert.equal(isRegistered(7, 'new'), false);
  reader.add(7, 'a', ['new']);
  clock.advance(1_001);
  assert.equal(isRegistered(7, 'new'), 'unknown');
  await cache.load(7);
  assert.equal(isRegistered(7, 'new'), true);
  assert.equal(reader.asked.filter((what) => what === 'id 7').length, 2, 'the schema itself is kept');
});

test('while the registry is away, known schemas stay and others are unavailable', async () => {
  const { clock, reader, cache, state, isRegistered } = stage();
  reader.add(7, 'a', ['s']);
  await cache.load(7);
  reader.failure = new RegistryUnavailable('http://registry: away');
  clock.advance(100_000);
  assert.equal(state(7).kind, 'found');
  await cache.load(7);
  assert.equal(state(7).kind, 'found');
  assert.equal(isRegistered(7, 's'), true);
  assert.deepEqual(isRegistered(7, 'other'), { kind: 'unavailable', problem: 'http://registry: away' });
  await cache.load(8);
  assert.deepEqual(state(8), { kind: 'unavailable', problem: 'http://registry: away' });
  reader.failure = undefined;
  clock.advance(1_001);
  assert.equal(state(8).kind, 'unknown');
  assert.equal(isRegistered(7, 'other'), 'unknown');
});

test('subjects are fetched again in the background', async () => {
  const { clock, reader, cache, state, isRegistered } = stage();
  reader.add(7, 'a', ['s']);
  await cache.load(7);
  clock.advance(60_000);
  state(7);
  assert.equal(reader.asked.length, 2);
  clock.advance(1);
  reader.add(7, 'a', ['new']);
  assert.equal(state(7).kind, 'found');
  await cache.load(7);
  assert.deepEqual(reader.asked.slice(2), ['subjects of 7']);
  assert.equal(isRegistered(7, 'new'), true);
});

test('a schema that cannot be parsed is found, with the reason', async () => {
  const { reader, cache, state } = stage();
  reader.add(7, 'invalid', ['s']);
  await cache.load(7);
  const found = state(7);
  assert.ok(found.kind === 'found');
  assert.equal(found.schema.codec, undefined);
  assert.equal(found.schema.problem, 'the text says so');
});

test('a schema takes the memory of all that it refers to', async () => {
  const { reader, cache } = stage();
  const part = { schema: 'a'.repeat(100_000), schemaType: 'AVRO', references: [] } as const;
  const references = [{ name: 'p', subject: 'part', version: 1 }];
  reader.schemaById = async () => ({ schema: 'a', schemaType: 'AVRO', references, subjects: new Set() });
  reader.schemaOfVersion = async () => part;
  await cache.load(7);
  assert.ok(cache.bytes >= part.schema.length, `${cache.bytes} bytes`);
});

test('the subjects of a schema count, also those that come later', async () => {
  const { clock, reader, cache } = stage();
  const subjects = (name: string) => Array.from({ length: 1_000 }, (_, at) => `${name}-${at}`);
  reader.add(7, 'a', subjects('first'));
  await cache.load(7);
  const { bytes } = cache;
  assert.ok(bytes > 1_000 * 64, `${bytes} bytes`);
  reader.add(7, 'a', subjects('second'));
  clock.advance(60_001);
  await cache.load(7);
  assert.ok(cache.bytes > 1.9 * bytes, `${cache.bytes} bytes`);
});

test('large schemas are parsed one at a time, with pauses', async () => {
  const clock = new HandClock();
  const reader = new TestReader();
  let parsed = 0;
  const formatOf = (type: SchemaType) => ({
    ...textFormat(type),
    parse({ text }: { readonly text: string }) {
      parsed += 1;
      clock.advance(5);
      return { type, canonicalText: text };
    },
  });
  const cache = new SchemaCache({ reader, formatOf, clock });
  for (let id = 1; id <= 3; id++) reader.add(id, 'a'.repeat(100_000));
  reader.add(4, 'a');
  const loads = [1, 2, 3].map((id) => cache.load(id));
  await settle();
  assert.equal(parsed, 1);
  await cache.load(4);
  assert.equal(parsed, 2, 'small ones do not wait');
  clock.advance(44);
  await settle();
  assert.equal(parsed, 2);
  for (let times = 0; times < 3; times++) {
    clock.advance(50);
    await settle();
  }
  await Promise.all(loads);
  assert.equal(parsed, 4);
});

test('memory is bounded, and what is used stays', async () => {
  const { reader, cache, state } = stage(20_000);
  for (let id = 0; id < 100; id++) reader.add(id, 'a'.repeat(100), []);
  for (let id = 0; id < 100; id++) {
    await cache.load(id);
    assert.equal(state(0).kind, 'found');
    assert.ok(cache.bytes <= 20_000);
  }
  assert.equal(state(1).kind, 'unknown');
  assert.equal(state(99).kind, 'found');
});

test('a closed cache fetches no more', async () => {
  const { reader, cache, state } = stage();
  reader.add(7, 'a');
  cache.close();
  await cache.load(7);
  assert.equal(state(7).kind, 'unavailable');
  assert.deepEqual(reader.asked, []);
});
