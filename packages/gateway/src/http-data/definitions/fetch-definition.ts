import type { RouteDefinition } from '@weir/http';
import { boundedInteger, integer, type JsonSchema, list, object, text } from '@weir/http';
import { gatewayLimits } from '../../limits.ts';
import {
  errorCodeSchema,
  formatFields,
  int32Max,
  offsetBounds,
  partitionBounds,
  recordSchema,
} from './record-schema.ts';

/** Bounds and defaults of the integers of a fetch. Defaults are those of a Kafka consumer. */
export const fetchBounds = {
  partition: partitionBounds,
  fetch_offset: offsetBounds,
  partition_max_bytes: { min: 1, max: int32Max, absent: 1024 * 1024 },
  max_bytes: { min: 1, max: int32Max, absent: 50 * 1024 * 1024 },
  max_wait_ms: { min: 0, max: gatewayLimits.httpWaitMsMax, absent: 500 },
  min_bytes: { min: 0, max: int32Max, absent: 1 },
  isolation_level: { min: 0, max: 1, absent: 0 },
} as const;

const position = object(
  {
    partition: boundedInteger(fetchBounds.partition),
    fetch_offset: boundedInteger(fetchBounds.fetch_offset, 'The first offset to read.'),
  },
  {
    partition_max_bytes: boundedInteger(
      fetchBounds.partition_max_bytes,
      'The most of the partition, as stored. At least one batch is read.',
    ),
  },
);

const bodySchema = object(
  { topics: list(object({ topic: text(), partitions: list(position) })) },
  {
    max_bytes: boundedInteger(fetchBounds.max_bytes, 'The most of one response, as stored.'),
    max_wait_ms: boundedInteger(fetchBounds.max_wait_ms, 'How long to wait for records if there are none.'),
    min_bytes: boundedInteger(
      fetchBounds.min_bytes,
      'Accepted as in Kafka; an agent answers as soon as it has records.',
    ),
    isolation_level: boundedInteger(
      fetchBounds.isolation_level,
      '1 leaves out records of transactions that are open or aborted.',
    ),
    ...formatFields,
  },
);

const fetchedPartition = object(
  {
    partition: integer(),
    error_code: errorCodeSchema,
    high_watermark: integer('The offset behind the last record.'),
    last_stable_offset: integer('The offset up to which no transaction is open.'),
    log_start_offset: integer('The first offset that there is.'),
    records: list(recordSchema),
    next_offset: integer('Where to read on. It is behind markers and aborted records, which are not shown.'),
  },
  { problem: text('Why a Kafka client has to read on: the next batch is too large for HTTP.') },
);

const noSchemas = 'The agent has no schema registry for the format `schema`.';

const fetchDefinition = {
  operation: 'fetch',
  path: '/v1/kafka/fetch',
  summary:
    'Reads up to 10,000 partitions, each from one offset on. Long answers are sent in pieces as fast as the client reads them.',
  access: 'data',
  right: '`READ` on the topic; without it the partition has `error_code` 29.',
  clientId: 'http-fetch-client',
  body: { types: ['application/json'], schema: bodySchema },
  answer: {
    types: ['application/json'],
    schema: object({ topics: list(object({ topic: text(), partitions: list(fetchedPartition) })) }),
    description: 'The records, and how far each partition was read.',
  },
  errors: { 422: noSchemas },
  example: {
    target: '/v1/kafka/fetch',
    body: { topics: [{ topic: 'orders', partitions: [{ partition: 0, fetch_offset: 0 }] }] },
    answer: {
      topics: [
        {
          topic: 'orders',
          partitions: [
            {
              partition: 0,
              error_code: 0,
              high_watermark: 1,
              last_stable_offset: 1,
              log_start_offset: 0,
              records: [{ offset: 0, timestamp: 1767225600000, key: 'YQ==', value: 'aGVsbG8=', headers: [] }],
              next_offset: 1,
            },
          ],
        },
      ],
    },
  },
} as const satisfies Omit<RouteDefinition, 'id' | 'method'>;

export const fetchByGet = { ...fetchDefinition, id: 'fetch_by_get', method: 'GET' } as const;
export const fetchByPost = { ...fetchDefinition, id: 'fetch', method: 'POST' } as const;

const placedRecord: JsonSchema = {
  ...recordSchema,
  properties: { topic: text(), partition: integer(), ...recordSchema.properties },
  required: ['topic', 'partition', ...(recordSchema.required ?? [])],
};

const singleRecord = {
  operation: 'fetch_single_record',
  method: 'GET',
  access: 'data',
  right: '`READ` on the topic; without it the response is 400 with the code 29.',
  clientId: 'http-fetch-single-record-client',
  answer: {
    types: ['application/json'],
    schema: placedRecord,
    description: 'The record.',
  },
  errors: {
    400: 'A parameter is missing or out of bounds, or the caller may not read the topic (29).',
    404: 'No topic (40401), no partition (40402), or no record at the offset (404).',
    422: `${noSchemas} Or the batch of the record is too large for HTTP.`,
  },
} as const;

const singleRecordExample = {
  topic: 'orders',
  partition: 0,
  offset: 0,
  timestamp: 1767225600000,
  key: 'YQ==',
  value: 'aGVsbG8=',
  headers: [],
} as const;

function placeParameters(from: 'path' | 'query') {
  const at = { in: from, isRequired: true } as const;
  return {
    topic: { ...at, schema: text() },
    partition: { ...at, schema: boundedInteger(partitionBounds) },
    offset: { ...at, schema: boundedInteger(offsetBounds) },
    key_format: { in: 'query', schema: formatFields.key_format },
    value_format: { in: 'query', schema: formatFields.value_format },
  } as const;
}

export const singleRecordByQuery = {
  ...singleRecord,
  id: 'fetch_single_record',
  path: '/v1/kafka/fetch_single_record',
  summary: 'Reads one record.',
  parameters: placeParameters('query'),
  example: {
    target: '/v1/kafka/fetch_single_record?topic=orders&partition=0&offset=0',
    answer: singleRecordExample,
  },
} as const satisfies RouteDefinition;

export const singleRecordByPath = {
  ...singleRecord,
  id: 'fetch_single_record_by_path',
  path: '/v1/kafka/topics/{topic}/partitions/{partition}/records/{offset}',
  summary: 'Reads one record, whose place is in the path.',
  parameters: placeParameters('path'),
  example: {
    target: '/v1/kafka/topics/orders/partitions/0/records/0',
    answer: singleRecordExample,
  },
} as const satisfies RouteDefinition;
