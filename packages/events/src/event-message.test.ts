import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRecord } from './envelope.ts';
import { eventMessage } from './event-message.ts';

test('every event has a message of one line', () => {
  const cases: [data: EventRecord['data'], message: string][] = [
    [{ log_level: 'warn', message: 'denied', operation: 'READ' }, 'denied'],
    [{ diagnostic_id: 'small_files', title: 'Files are small', transition: 'failed' }, 'Files are small'],
    [{ metric_name: 'service_topics_count', value: 3, tags: {} }, 'service_topics_count 3'],
    [
      {
        metric_name: 'service_consumer_group_lag',
        value: 12.5,
        tags: { topic: 'orders', consumer_group: 'a"b' },
      },
      'service_consumer_group_lag{topic="orders",consumer_group="a\\"b"} 12.5',
    ],
    [{ log_level: 'info', type: 'started', topic: 'orders' }, '{"type":"started","topic":"orders"}'],
    [{ message: 7 }, '{"message":7}'],
  ];
  for (const [data, message] of cases) assert.equal(eventMessage({ data }), message);
});
