import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsumeMessage } from 'amqplib';
import { headersOf, metadataOf } from './amqp-metadata.ts';

const fields = { consumerTag: 't', deliveryTag: 1, redelivered: true, exchange: '', routingKey: 'k' };
const always = {
  amqp_priority: '0',
  amqp_consumer_tag: 't',
  amqp_delivery_tag: '1',
  amqp_redelivered: 'true',
  amqp_routing_key: 'k',
};

function shown(headers: object): object {
  const message = { fields, properties: { headers }, content: Buffer.alloc(0) } as unknown as ConsumeMessage;
  return Object.fromEntries(metadataOf(message));
}

test('headers are metadata, those of tables with the key of the table', () => {
  // biome-ignore format: a table
  const cases: readonly [headers: object, expected: object][] = [
    [{ 'a-b': 'x', empty: '', none: null },                          { a_b: 'x' }],
    [{ yes: true, n: 1.5, bytes: Buffer.from('raw') },               { yes: 'true', n: '1.5', bytes: 'raw' }],
    [{ 'x-death': [{ queue: 'q', count: 2 }, 'two'] },               { x_death_0_queue: 'q', x_death_0_count: '2', x_death_1: 'two' }],
    [{ at: { '!': 'timestamp', value: 1_700_000_000 } },             { at: '2023-11-14T22:13:20Z' }],
    [{ price: { '!': 'decimal', value: { digits: 12_345, places: 2 } } }, { price: '123.45' }],
    [{ f: { '!': 'float', value: 0.5 } },                            { f: '0.5' }],
  ];
  for (const [headers, expected] of cases) assert.deepEqual(shown(headers), { ...expected, ...always });
});

test('tables within tables end somewhere', () => {
  let table: object = { end: 1 };
  for (let depth = 0; depth < 10_000; depth++) table = { t: table };
  assert.deepEqual(shown({ table }), always);
});

test('metadata are headers', () => {
  const metadata = new Map<string, string | number | boolean | null>([
    ['a_b', 'x'],
    ['n', 1],
    ['yes', true],
    ['none', null],
    ['kafka_topic', 't'],
  ]);
  assert.deepEqual(headersOf(metadata, ['kafka_']), { 'a-b': 'x', n: 1, yes: true, none: 'null' });
});
