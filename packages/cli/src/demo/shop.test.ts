import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, systemClock } from '@weir/core';
import type { RegistryClient, RegistrySchema } from '@weir/registry';
import { loadFormat, PayloadEncoder, SchemaCache } from '@weir/registry/decoding';
import { demoSubjects, type SchemaTopic, schemaTopics } from './schemas.ts';
import { pageViewShare, Shop } from './shop.ts';

const count = 2_000;

function happenings(seed: number, nowMs = 1) {
  const shop = new Shop(seededRandom(seed));
  return Array.from({ length: count }, () => shop.next(nowMs));
}

test('a seed determines what happens', () => {
  assert.deepEqual(happenings(7), happenings(7));
  assert.notDeepEqual(happenings(7), happenings(8));
});

test('everything happens, and page views most of all', () => {
  const records = happenings(1).flatMap((happening) => happening.records);
  assert.deepEqual(new Set(records.map(({ topic }) => topic)), new Set(schemaTopics));
  const views = records.filter(({ topic }) => topic === 'page-views').length;
  assert.ok(Math.abs(views / count - pageViewShare) < 0.05, `${views}`);
});

test('the postings of a payment add up to 0, and it pays an order in full', () => {
  const totals = new Map<unknown, unknown>();
  for (const { kind, records } of happenings(3)) {
    const [first, ...postings] = records.map(({ value }) => value);
    if (kind === 'order') totals.set(first!.order_id, first!.total_cents);
    if (kind !== 'payment') continue;
    assert.equal(
      postings.reduce((sum, { amount_cents }) => sum + Number(amount_cents), 0),
      0,
    );
    if (first!.order_id !== 'o-0') assert.equal(first!.amount_cents, totals.get(first!.order_id));
  }
});

test('every record fits the last schema of its topic', async () => {
  const ids = new Map(schemaTopics.map((topic, index) => [topic, index + 1]));
  const schemaById = async (id: number): Promise<RegistrySchema | undefined> => {
    const { type, versions } = demoSubjects[schemaTopics[id - 1] as SchemaTopic];
    return { id, schema: versions.at(-1)!, schemaType: type, references: [] };
  };
  const registry = { place: 'here', schemaById, versionsOfId: async () => [] } as unknown as RegistryClient;
  const cache = new SchemaCache({ reader: registry, formatOf: loadFormat, clock: systemClock });
  const encoder = new PayloadEncoder({ cache, registry, clock: systemClock });
  for (const { topic, value } of happenings(5)
    .flatMap((happening) => happening.records)
    .slice(0, 300)) {
    const encoded = await (await encoder.open({ id: ids.get(topic)! })).encode(value);
    assert.ok(encoded!.length > 5, topic);
  }
});
