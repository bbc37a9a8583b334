import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueText } from '@weir/broker/testing';
import { seededRandom } from '@weir/core';
import { type EventData, EventIds, eventTypeNames, serializeEvent } from '@weir/events';
import fc from 'fast-check';
import { EventWriter } from './event-writer.ts';

const source = 'ws:agent:vci_1:ü"1';
const common = { agent_id: 'a', hostname_fqdn: 'h"ü' };
const startMs = Date.UTC(2026, 10, 15);

function dataOf(text: string): unknown {
  return (JSON.parse(text) as { readonly data: unknown }).data;
}

test('common fields follow the payload of an event, and override it', () => {
  const writer = new EventWriter({ source, common, random: seededRandom(1) });
  const cases: [data: Record<string, unknown>, text: string][] = [
    [{ message: 'm' }, '{"message":"m","agent_id":"a","hostname_fqdn":"h\\"ü"}'],
    [{}, '{"agent_id":"a","hostname_fqdn":"h\\"ü"}'],
    [{ left_out: undefined }, '{"agent_id":"a","hostname_fqdn":"h\\"ü"}'],
    [{ agent_id: 'b', message: 'm' }, '{"agent_id":"a","message":"m","hostname_fqdn":"h\\"ü"}'],
  ];
  for (const [data, text] of cases) {
    const written = valueText(writer.event('acl_logs', startMs, data as never));
    assert.ok(written.endsWith(`,"data":${text}}`), written);
  }
});

test('events are written byte for byte as serializeEvent does', () => {
  const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' }));
  const keys = fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('agent_id', 'message'))
    .filter((key) => key !== '__proto__');
  const events = fc.array(
    fc.record({
      type: fc.constantFrom(...eventTypeNames),
      // Few times, so that many events share one; and extreme times, which need more digits.
      timeMs: fc.oneof(fc.integer({ min: startMs, max: startMs + 2 }), fc.constantFrom(0, -1, 8.64e15)),
      data: fc.dictionary(keys, values),
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(events, fc.nat(), (all, seed) => {
      const writer = new EventWriter({ source, common, random: seededRandom(seed) });
      const ids = new EventIds(seededRandom(seed));
      for (const { type, timeMs, data } of all) {
        const merged = { ...data, ...common };
        const expected = serializeEvent({
          id: ids.next(timeMs),
          source,
          type,
          timeMs,
          data: merged as never,
        });
        const written = valueText(writer.event(type, timeMs, data as EventData));
        // The payload is the same, but in another order if it contains common fields itself.
        assert.equal(
          written.slice(0, written.indexOf('"data":')),
          expected.slice(0, expected.indexOf('"data":')),
        );
        assert.deepEqual(dataOf(written), dataOf(expected));
        assert.equal(written, JSON.stringify(JSON.parse(written)));
      }
    }),
  );
});

test('more events in a millisecond than an id can count still have unique ids', () => {
  const writer = new EventWriter({ source, common, random: seededRandom(1) });
  const ids = Array.from({ length: 5_000 }, () => {
    const written = valueText(writer.event('acl_logs', startMs, {}));
    return (JSON.parse(written) as { readonly id: string }).id;
  });
  assert.equal(new Set(ids).size, ids.length);
});
