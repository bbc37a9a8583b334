import type { RouteDefinition } from '@weir/http';
import { boundedInteger, integer, type JsonSchema, list, object, text } from '@weir/http';
import { int32Max, partitionBounds } from '../../definitions/record-schema.ts';
import { bodyTypes, formats, proxyTypes, recordTypes } from '../media-types.ts';

/** Definitions of consumer instances of Confluent's REST proxy. */

export const minBytesBounds = { min: -1, max: 10_000_000, absent: -1 } as const;
export const commitOffsetBounds = { min: 0, max: Number.MAX_SAFE_INTEGER - 1 } as const;

const instance = '/consumers/{group}/instances/{instance}';
const example = '/consumers/billing/instances/one';
const groupParameter = { group: { in: 'path', schema: text('The consumer group.') } } as const;
const parameters = {
  ...groupParameter,
  instance: { in: 'path', schema: text('The name of the instance.') },
} as const;

const missing = 'The caller does not have this instance on this agent (40403).';
const missingPartition =
  'The caller does not have this instance on this agent (40403), or the topic was not found (40401).';
const wrongState =
  'The subscription or assignment of the instance does not allow it, or it lacks a partition (40903).';
const wrongFields = 'The body has a wrong field (422).';
const kafkaError = 'An error of Kafka (50002), or one after which to try again (50003).';
const denied = 'A login without the right (40301), or what is 403 for all routes.';

const placeFields = { topic: text(), partition: boundedInteger(partitionBounds) } as const;
const places: JsonSchema = object({ partitions: list(object(placeFields)) });
const placesExample = { partitions: [{ topic: 'orders', partition: 0 }] } as const;
const offsetFields = { ...placeFields, offset: boundedInteger(commitOffsetBounds) } as const;
const metadata = { metadata: text() } as const;

const common = {
  operation: 'rest_proxy_consumers',
  access: 'data',
  clientId: 'http-consumer-client',
  parameters,
  errors: { 404: missing },
} as const;

/** A change of an instance, which has no answer. */
const change = {
  ...common,
  method: 'POST',
  answer: { status: 204, types: [], description: 'Done.' },
  errors: { 404: missing, 409: wrongState, 422: wrongFields },
} as const;

const seek = {
  ...change,
  right: '`DESCRIBE` on the topic, except for offsets.',
  errors: { ...change.errors, 403: denied, 404: missingPartition, 500: kafkaError },
} as const;

export const createDefinition = {
  ...common,
  method: 'POST',
  id: 'rest_proxy_create_consumer',
  path: '/consumers/{group}',
  summary: 'Creates a consumer instance of a group on this agent.',
  parameters: groupParameter,
  body: {
    types: bodyTypes,
    schema: object(
      {},
      {
        name: text('The name of the instance; generated if absent.'),
        id: text('The same by its older name.'),
        format: { type: 'string', enum: [...formats], default: 'binary', description: 'Of keys and values.' },
        'auto.offset.reset': {
          type: 'string',
          enum: ['earliest', 'latest', 'none', 'smallest', 'largest'],
          default: 'latest',
          description:
            'Where to begin without a committed offset. The last two are older names of the first two.',
        },
        'auto.commit.enable': {
          type: ['string', 'boolean'],
          default: 'true',
          description: 'Whether what was read is committed without a request.',
        },
        'fetch.min.bytes': boundedInteger(
          minBytesBounds,
          'Bytes after which a read waits for no more; -1: it waits for its timeout.',
        ),
        'consumer.request.timeout.ms': {
          type: 'integer',
          maximum: int32Max,
          default: 1_000,
          description: 'How long a read waits for records, at most 10,000.',
        },
      },
    ),
  },
  answer: {
    types: proxyTypes,
    schema: object({
      instance_id: text('The name of the instance.'),
      base_uri: text('The address of the instance, which is on this agent alone.'),
    }),
    description: 'The instance.',
  },
  errors: {
    409: 'The caller has an instance of that name in the group (40902).',
    422: 'The body has a wrong field (422) or setting (40001, 42204).',
    429: 'The caller or the agent has too many instances.',
  },
  example: {
    target: '/consumers/billing',
    body: { name: 'one', format: 'json', 'auto.offset.reset': 'earliest', 'fetch.min.bytes': 0 },
    answer: { instance_id: 'one', base_uri: `http://localhost:8080${example}` },
  },
} as const satisfies RouteDefinition;

export const subscribeDefinition = {
  ...change,
  id: 'rest_proxy_subscribe',
  path: `${instance}/subscription`,
  summary:
    'Subscribes the instance to topics, by names or by a pattern. It joins the group with its next read.',
  body: {
    types: bodyTypes,
    schema: object(
      {},
      { topics: list(text()), topic_pattern: text('RE2 syntax; it has to match whole names.') },
    ),
  },
  example: { target: `${example}/subscription`, body: { topics: ['orders'] } },
} as const satisfies RouteDefinition;

export const subscriptionDefinition = {
  ...common,
  method: 'GET',
  id: 'rest_proxy_subscription',
  path: `${instance}/subscription`,
  summary: 'Lists the topics that the instance is subscribed to.',
  answer: { types: proxyTypes, schema: object({ topics: list(text()) }), description: 'The topics.' },
  example: { target: `${example}/subscription`, answer: { topics: ['orders'] } },
} as const satisfies RouteDefinition;

export const unsubscribeDefinition = {
  ...change,
  method: 'DELETE',
  id: 'rest_proxy_unsubscribe',
  path: `${instance}/subscription`,
  summary: 'Ends the subscription or assignment. The instance leaves the group.',
  errors: { 404: missing },
  example: { target: `${example}/subscription` },
} as const satisfies RouteDefinition;

export const assignDefinition = {
  ...change,
  id: 'rest_proxy_assign',
  path: `${instance}/assignments`,
  summary: 'Assigns partitions to the instance by hand.',
  body: { types: bodyTypes, schema: places },
  example: { target: `${example}/assignments`, body: placesExample },
} as const satisfies RouteDefinition;

export const assignmentsDefinition = {
  ...common,
  method: 'GET',
  id: 'rest_proxy_assignments',
  path: `${instance}/assignments`,
  summary: 'Lists the partitions that the instance reads.',
  answer: {
    types: proxyTypes,
    schema: object({ partitions: list(object({ topic: text(), partition: integer() })) }),
    description: 'The partitions, by hand or by the group.',
  },
  example: { target: `${example}/assignments`, answer: placesExample },
} as const satisfies RouteDefinition;

export const seekDefinition = {
  ...seek,
  id: 'rest_proxy_seek',
  path: `${instance}/positions`,
  summary: 'Moves the instance to offsets, or to the first records at or after a time.',
  body: {
    types: bodyTypes,
    schema: object(
      {},
      {
        offsets: list(object(offsetFields, metadata)),
        timestamps: list(object({ ...placeFields, timestamp: text('ISO 8601.') }, metadata)),
      },
    ),
  },
  example: {
    target: `${example}/positions`,
    body: { offsets: [{ topic: 'orders', partition: 0, offset: 1 }] },
  },
} as const satisfies RouteDefinition;

export const seekToBeginningDefinition = {
  ...seek,
  id: 'rest_proxy_seek_to_beginning',
  path: `${instance}/positions/beginning`,
  summary: 'Moves the instance to the first records of partitions; of all if the list is empty.',
  body: { types: bodyTypes, schema: places },
  example: { target: `${example}/positions/beginning`, body: placesExample },
} as const satisfies RouteDefinition;

export const seekToEndDefinition = {
  ...seek,
  id: 'rest_proxy_seek_to_end',
  path: `${instance}/positions/end`,
  summary: 'Moves the instance behind the last records of partitions; of all if the list is empty.',
  body: { types: bodyTypes, schema: places },
  example: { target: `${example}/positions/end`, body: placesExample },
} as const satisfies RouteDefinition;

const timeoutAndSize = {
  timeout: {
    in: 'query',
    schema: integer('Milliseconds to wait for records, if less than the instance would.'),
  },
  max_bytes: { in: 'query', schema: integer('The most of keys and values, at most 8 MiB.') },
} as const;

export const recordsDefinition = {
  ...common,
  method: 'GET',
  id: 'rest_proxy_records',
  path: `${instance}/records`,
  summary: 'Reads the next records. The instance joins its group if it has to.',
  right: '`READ` on the topic and on the group; `READ` on a subject that has the schema.',
  parameters: { ...parameters, ...timeoutAndSize },
  answer: {
    types: [...proxyTypes, ...recordTypes],
    schema: list(
      object({
        topic: text(),
        key: { description: 'In the format of the instance; null if there is none.' },
        value: { description: 'In the format of the instance; null if there is none.' },
        partition: integer(),
        offset: integer(),
      }),
    ),
    description: 'The records. There may be none.',
  },
  errors: {
    403: denied,
    404: missing,
    406: 'The instance has another format (40601), or none of the types is in `Accept`.',
    408: 'The next record is not in the format of the instance (40801).',
    409: 'The instance has no subscription or assignment (40903), or a partition without an offset to begin at.',
    422: 'The agent has no schema registry for the format.',
    500: kafkaError,
  },
  example: {
    target: `${example}/records?timeout=500&max_bytes=300000`,
    answer: [{ topic: 'orders', key: 'a', value: { total: 7 }, partition: 0, offset: 0 }],
  },
} as const satisfies RouteDefinition;

export const topicRecordsDefinition = {
  ...recordsDefinition,
  id: 'rest_proxy_topic_records',
  path: `${instance}/topics/{topic}`,
  summary: 'Reads the next records of a topic, as in API v1: the first read subscribes the instance to it.',
  parameters: {
    ...parameters,
    topic: { in: 'path', schema: text('The only topic of the instance.') },
    ...timeoutAndSize,
  },
  errors: {
    ...recordsDefinition.errors,
    404: missingPartition,
    409: 'The instance has another subscription or an assignment (40901), or a partition without an offset to begin at.',
  },
  example: {
    target: `${example}/topics/orders?max_bytes=300000`,
    answer: [{ topic: 'orders', key: 'a', value: { total: 7 }, partition: 0, offset: 0 }],
  },
} as const satisfies RouteDefinition;

export const commitDefinition = {
  ...common,
  method: 'POST',
  id: 'rest_proxy_commit_offsets',
  path: `${instance}/offsets`,
  summary: 'Commits what was read, or the offsets of the last records that were.',
  right: '`READ` on the group and on the topics.',
  body: { types: bodyTypes, schema: object({}, { offsets: list(object(offsetFields, metadata)) }) },
  answer: { types: proxyTypes, schema: list(object({})), description: 'An empty list.' },
  errors: { 403: denied, 404: missingPartition, 422: wrongFields, 500: kafkaError },
  example: {
    target: `${example}/offsets`,
    body: { offsets: [{ topic: 'orders', partition: 0, offset: 0 }] },
    answer: [],
  },
} as const satisfies RouteDefinition;

export const committedDefinition = {
  ...common,
  method: 'GET',
  id: 'rest_proxy_committed_offsets',
  path: `${instance}/offsets`,
  summary: 'Lists the committed offsets of partitions. Those without one are left out.',
  right: '`DESCRIBE` on the group and on the topics.',
  body: { types: bodyTypes, schema: places },
  answer: {
    types: proxyTypes,
    schema: object({
      offsets: list(object({ topic: text(), partition: integer(), offset: integer(), metadata: text() })),
    }),
    description: 'The offsets of the next records.',
  },
  errors: {
    403: denied,
    404: 'The caller does not have this instance on this agent (40403), or the body names no partition (40402).',
    422: wrongFields,
    500: kafkaError,
  },
  example: {
    target: `${example}/offsets`,
    body: placesExample,
    answer: { offsets: [{ topic: 'orders', partition: 0, offset: 1, metadata: '' }] },
  },
} as const satisfies RouteDefinition;

export const deleteDefinition = {
  ...change,
  method: 'DELETE',
  id: 'rest_proxy_delete_consumer',
  path: instance,
  summary: 'Ends the instance. It commits, if it does so by itself, and leaves the group.',
  errors: { 404: missing },
  example: { target: example },
} as const satisfies RouteDefinition;
