import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { eventEnvelope } from './envelope-schema.ts';
import { EventIds } from './event-id.ts';
import { eventTypeNames } from './event-types.ts';
import { eventTopicName, serializeEvent } from './record.ts';

const event = {
  id: 'e-1',
  source: 'ws:agent:vci_1:a-1',
  type: 'acl_logs',
  timeMs: Date.UTC(2026, 10, 15, 12, 0, 0, 7),
} as const;

test('an event is compact JSON in the order of its envelope', () => {
  assert.equal(
    serializeEvent({ ...event, data: { principal: 'User:ünal', kafka_api_key: 3 } }),
    '{"specversion":"1.0","id":"e-1","source":"ws:agent:vci_1:a-1","type":"acl_logs","time":"2026-11-15T12:00:00.007Z",' +
      '"datacontenttype":"application/json","data":{"principal":"User:ünal","kafka_api_key":3}}',
  );
});

test('the text of any event parses as an envelope with the same contents', () => {
  // A key `__proto__`, at any depth, is written, and the reader's schema then ignores it.
  const datas = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
    .filter((data) => !JSON.stringify(data).includes('"__proto__":'));
  const texts = fc.string({ minLength: 1, unit: 'binary' });
  fc.assert(
    fc.property(datas, fc.integer({ min: 0, max: 4e12 }), texts, texts, (data, timeMs, id, source) => {
      const text = serializeEvent({ ...event, id, source, timeMs, data: data as never });
      assert.equal(text, JSON.stringify(JSON.parse(text)));
      const read = eventEnvelope.parse(JSON.parse(text));
      assert.equal(JSON.stringify(read.data), JSON.stringify(data));
      assert.deepEqual([read.id, read.source, Date.parse(read.time)], [id, source, timeMs]);
    }),
  );
});

test('every type has its own topic', () => {
  assert.equal(eventTopicName('acl_logs'), '__service_events_acl_logs');
  assert.equal(new Set(eventTypeNames.map(eventTopicName)).size, eventTypeNames.length);
});

test('ids are unique UUIDs of version 7, ordered by time', () => {
  const made = new EventIds(seededRandom(7));
  // More in one millisecond than the counter of an id holds, and some in others.
  const times = [...Array<number>(10_000).fill(0), 1, 1, 2, 500, 500];
  const ids = times.map((ms) => made.next(1_763_200_000_000 + ms));
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.slice(-5).toSorted(), ids.slice(-5));
  assert.deepEqual(ids.slice(0, 4096).toSorted(), ids.slice(0, 4096));
});
