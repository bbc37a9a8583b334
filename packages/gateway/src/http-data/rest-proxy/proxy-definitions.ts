import type { RouteDefinition } from '@weir/http';
import { boundedInteger, integer, type JsonSchema, list, object, orNull, text } from '@weir/http';
import { partitionBounds } from '../definitions/record-schema.ts';
import { proxyTypes, recordTypes } from './media-types.ts';

/** Definitions of what the API v2 of Confluent's REST proxy writes and lists. */

const topicParameter = { topic: { in: 'path', schema: text() } } as const;
const partitionParameters = {
  ...topicParameter,
  partition: { in: 'path', schema: boundedInteger(partitionBounds) },
} as const;

const denied = 'A login without the right (40301), or what is 403 for all routes.';
const topicMissing = 'The topic was not found (40401).';
const partitionMissing = 'The topic (40401) or partition (40402) was not found.';

const keyAndValue = {
  key: { description: 'In the format of the content type; null or absent means no key.' },
  value: { description: 'In the format of the content type; null or absent means no value.' },
} as const;

const recordSchemas = {
  ofTopic: object({}, { ...keyAndValue, partition: orNull(boundedInteger(partitionBounds)) }),
  ofPartition: object({}, keyAndValue),
} as const;

function producedBody(record: JsonSchema): JsonSchema {
  return {
    ...object(
      { records: list({ ...record, additionalProperties: false }, { minItems: 1 }) },
      {
        key_schema: orNull(text('Text of the schema of keys, which the subject `{topic}-key` has or gets.')),
        key_schema_id: orNull(integer('Id of the schema of keys.')),
        value_schema: orNull(
          text('Text of the schema of values, which the subject `{topic}-value` has or gets.'),
        ),
        value_schema_id: orNull(integer('Id of the schema of values.')),
      },
    ),
    additionalProperties: false,
  };
}

const produceDefinition = {
  operation: 'rest_proxy_produce',
  method: 'POST',
  access: 'data',
  right:
    '`WRITE` on the topic. The text of a schema takes `WRITE` on its subject, and an id `READ` on a subject that has the schema.',
  clientId: 'http-produce-client',
  answer: {
    types: proxyTypes,
    schema: object({
      offsets: list(
        object({
          partition: orNull(integer()),
          offset: orNull(integer()),
          error_code: orNull(integer('1: the record is refused; 2: try again.')),
          error: orNull(text()),
        }),
        { description: 'In the order of the records.' },
      ),
      key_schema_id: orNull(integer('Of the schema that was used.')),
      value_schema_id: orNull(integer('Of the schema that was used.')),
    }),
    description: 'The place of each record, or what is wrong with it.',
  },
  errors: {
    403: denied,
    422: 'The body has a wrong field (422), keys or values without a schema (42201, 42202) or that do not fit it (42203), or the schema is invalid, incompatible or missing (42205).',
    500: 'An error of Kafka (50002), or one after which to try again (50003).',
  },
} as const;

const producedAnswer = {
  offsets: [{ partition: 0, offset: 0, error_code: null, error: null }],
  key_schema_id: null,
  value_schema_id: null,
} as const;

export const produceToTopic = {
  ...produceDefinition,
  id: 'rest_proxy_produce',
  path: '/topics/{topic}',
  summary: 'Writes records to a topic. The content type says in which format keys and values are.',
  parameters: topicParameter,
  body: { types: recordTypes, schema: producedBody(recordSchemas.ofTopic) },
  errors: { ...produceDefinition.errors, 404: topicMissing },
  example: {
    target: '/topics/orders',
    headers: { 'content-type': 'application/vnd.kafka.json.v2+json' },
    body: { records: [{ key: 'a', value: { total: 7 } }] },
    answer: producedAnswer,
  },
} as const satisfies RouteDefinition;

export const produceToPartition = {
  ...produceDefinition,
  id: 'rest_proxy_produce_to_partition',
  path: '/topics/{topic}/partitions/{partition}',
  summary: 'Writes records to one partition.',
  parameters: partitionParameters,
  body: { types: recordTypes, schema: producedBody(recordSchemas.ofPartition) },
  errors: { ...produceDefinition.errors, 404: partitionMissing },
  example: {
    target: '/topics/orders/partitions/0',
    headers: { 'content-type': 'application/vnd.kafka.binary.v2+json' },
    body: { records: [{ key: 'YQ==', value: 'aGVsbG8=' }] },
    answer: producedAnswer,
  },
} as const satisfies RouteDefinition;

const partitionSchema = object({
  partition: integer(),
  leader: integer(),
  replicas: list(object({ broker: integer(), leader: { type: 'boolean' }, in_sync: { type: 'boolean' } })),
});

const partitionExample = {
  partition: 0,
  leader: 1,
  replicas: [{ broker: 1, leader: true, in_sync: true }],
} as const;

const listing = {
  operation: 'rest_proxy_topics',
  method: 'GET',
  access: 'data',
  right: '`DESCRIBE` on the topic.',
  clientId: 'http-topics-client',
} as const;

export const brokersDefinition = {
  ...listing,
  id: 'rest_proxy_brokers',
  path: '/brokers',
  summary: 'Lists the ids of brokers: agents that take Kafka clients of the zone of this one.',
  right: 'None.',
  answer: { types: proxyTypes, schema: object({ brokers: list(integer()) }), description: 'Ids of brokers.' },
  example: { target: '/brokers', answer: { brokers: [1] } },
} as const satisfies RouteDefinition;

export const topicsDefinition = {
  ...listing,
  id: 'rest_proxy_topics',
  path: '/topics',
  summary: 'Lists the names of topics that the caller may see.',
  right: '`DESCRIBE` on a topic shows it.',
  answer: { types: proxyTypes, schema: list(text()), description: 'Names of topics.' },
  example: { target: '/topics', answer: ['orders'] },
} as const satisfies RouteDefinition;

export const topicDefinition = {
  ...listing,
  id: 'rest_proxy_topic',
  path: '/topics/{topic}',
  summary: 'Describes a topic.',
  right: '`DESCRIBE` and `DESCRIBE_CONFIGS` on the topic.',
  parameters: topicParameter,
  answer: {
    types: proxyTypes,
    schema: object({
      name: text(),
      configs: { type: 'object', additionalProperties: orNull(text()), description: 'By name.' },
      partitions: list(partitionSchema),
    }),
    description: 'The topic.',
  },
  errors: { 403: denied, 404: topicMissing },
  example: {
    target: '/topics/orders',
    answer: { name: 'orders', configs: { 'retention.ms': '604800000' }, partitions: [partitionExample] },
  },
} as const satisfies RouteDefinition;

export const partitionsDefinition = {
  ...listing,
  id: 'rest_proxy_partitions',
  path: '/topics/{topic}/partitions',
  summary: 'Lists the partitions of a topic.',
  parameters: topicParameter,
  answer: { types: proxyTypes, schema: list(partitionSchema), description: 'The partitions.' },
  errors: { 403: denied, 404: topicMissing },
  example: { target: '/topics/orders/partitions', answer: [partitionExample] },
} as const satisfies RouteDefinition;

export const partitionDefinition = {
  ...listing,
  id: 'rest_proxy_partition',
  path: '/topics/{topic}/partitions/{partition}',
  summary: 'Describes a partition.',
  parameters: partitionParameters,
  answer: { types: proxyTypes, schema: partitionSchema, description: 'The partition.' },
  errors: { 403: denied, 404: partitionMissing },
  example: { target: '/topics/orders/partitions/0', answer: partitionExample },
} as const satisfies RouteDefinition;
