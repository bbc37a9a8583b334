import type { RouteDefinition } from '@weir/http';
import { base64OrNull, boundedInteger, integer, list, object, text } from '@weir/http';
import { errorCodeSchema, headersSchema, int32Max, offsetBounds, partitionBounds } from './record-schema.ts';

/** Bounds of the integers of a produce. The default is `request.timeout.ms` of a Kafka producer. */
export const produceBounds = {
  partition: partitionBounds,
  timestamp: offsetBounds,
  timeout_ms: { min: 0, max: int32Max, absent: 30_000 },
} as const;

const record = object(
  {},
  {
    key: base64OrNull(),
    value: base64OrNull(),
    timestamp: boundedInteger(produceBounds.timestamp, 'Milliseconds since 1970; now if absent.'),
    headers: headersSchema,
  },
);

const producedPartition = object(
  {
    partition: integer('-1 for records to which no partition could be given.'),
    error_code: errorCodeSchema,
    base_offset: integer('The offset of the first record; -1 after an error.'),
    log_append_time_ms: integer('-1 unless the topic stamps records itself.'),
  },
  { error_message: text('Present if `error_code` is not 0.') },
);

export const produceDefinition = {
  id: 'produce',
  operation: 'produce',
  method: 'POST',
  path: '/v1/kafka/produce',
  summary: 'Writes records to up to 10,000 partitions, and answers when all of them are durable.',
  access: 'data',
  right: '`WRITE` on the topic; without it the partition has `error_code` 29.',
  clientId: 'http-produce-client',
  body: {
    types: ['application/json'],
    schema: object(
      {
        topics: list(
          object({
            topic: text(),
            partitions: list(
              object(
                { records: list(record) },
                {
                  partition: boundedInteger(
                    produceBounds.partition,
                    "If absent, records go where Kafka's clients send their key; those without a key go to one partition after the other, request by request.",
                  ),
                },
              ),
            ),
          }),
        ),
      },
      { timeout_ms: boundedInteger(produceBounds.timeout_ms) },
    ),
  },
  answer: {
    types: ['application/json'],
    schema: object({ topics: list(object({ topic: text(), partitions: list(producedPartition) })) }),
    description: 'The outcome of the records of each partition.',
  },
  example: {
    target: '/v1/kafka/produce',
    body: {
      topics: [{ topic: 'orders', partitions: [{ records: [{ key: 'YQ==', value: 'aGVsbG8=' }] }] }],
    },
    answer: {
      topics: [
        {
          topic: 'orders',
          partitions: [{ partition: 0, error_code: 0, base_offset: 0, log_append_time_ms: -1 }],
        },
      ],
    },
  },
} as const satisfies RouteDefinition;
