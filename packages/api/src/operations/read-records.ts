import { coreLimits } from '@weir/core';
import * as z from 'zod';
import {
  count,
  examples,
  flag,
  integer,
  list,
  prose,
  secret,
  text,
  time,
  timeOfCaller,
  topicName,
  word,
} from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** Partitions of one read. An agent reads all of them side by side. */
const partitionsMax = 500;
/** More than an agent sends of one record. */
const shownCharsMax = 2 * 1024 * 1024;

const credential = {
  kafka_user_name: text(256, 1)
    .optional()
    .describe(
      'The username of a Kafka credential of the cluster, whose ACLs apply. To produce, it is required if clients must log in or ACLs are on.',
    ),
  kafka_password: secret(1, apiLimits.passwordCharsMax)
    .optional()
    .describe('The password of the credential. It is used for this call only.'),
};

const format = () => z.enum(['auto', 'string', 'json', 'schema', 'base64']);

const part = z
  .object({
    text: prose(shownCharsMax).describe('The payload in its format, or its beginning.'),
    format: z
      .enum(['string', 'json', 'schema', 'base64'])
      .describe('The encoding of `text`. `schema` is JSON decoded by a schema.'),
    bytes: count().describe('The size of the payload in the log.'),
    is_cut: z.boolean().describe('Whether `text` is truncated.'),
    is_masked: z
      .boolean()
      .describe('Whether `•••` stands for it or for fields of it, by `service.record.masks` of the cluster.'),
    schema_id: count().nullable().describe('The schema that the payload names by an id.'),
    schema_guid: text(64).nullable().describe('The schema that it names by a GUID.'),
    schema_type: text(16).nullable().describe('AVRO, PROTOBUF or JSON.'),
    subjects: list(text(apiLimits.schemaSubjectCharsMax), 1_000).describe(
      'Subjects that have the schema and that the caller may read.',
    ),
    problem: prose().nullable().describe('Why it is not in the requested format.'),
  })
  .meta({ id: 'RecordPart', description: 'A key, a value, or the value of a header.' });

const timestamps = {
  timestamp: time().nullable().describe('The time of the record; `null` if it is out of range.'),
  timestamp_ms: z.int().describe('The timestamp in milliseconds, as the producer sent it.'),
};

const record = z
  .object({
    partition: count().describe('The partition.'),
    offset: count().describe('The offset.'),
    ...timestamps,
    key: part.nullable().describe('The key, if there is one.'),
    value: part.nullable().describe('The value; `null` for a tombstone, which deletes a key.'),
    headers: list(
      z.object({
        key: prose(shownCharsMax).describe('The name.'),
        value: part.nullable().describe('The value.'),
      }),
      20_000,
    ).describe('The headers, up to 16 KiB of them.'),
    header_count: count().describe('The number of headers.'),
    bytes: count().describe('The size of key, value and headers.'),
  })
  .meta({ id: 'TopicRecord', description: 'A record of a topic.' });

const recordCursor = () =>
  word(/^[a-zA-Z0-9_-]+$/, apiLimits.recordCursorCharsMax, 'is not a cursor of an earlier response');

const toWrite = (what: string) =>
  z
    .strictObject({
      text: prose(apiLimits.recordTextCharsMax).describe(`The ${what} in its format.`),
      format: z
        .enum(['string', 'json', 'schema', 'base64'])
        .default('string')
        .describe('The encoding of `text`: text, JSON, JSON to encode by a schema, or base64.'),
      schema_id: count(2 ** 31 - 1)
        .optional()
        .describe('With the format `schema`: the id of the schema to encode by.'),
    })
    .nullable()
    .default(null);

const examplePart = {
  text: '{"id":7}',
  format: 'json' as const,
  bytes: 8,
  is_cut: false,
  is_masked: false,
  schema_id: null,
  schema_guid: null,
  schema_type: null,
  subjects: [],
  problem: null,
};

const errors = [
  'unsupported_cluster_type',
  'kafka_credential_required',
  'invalid_kafka_credential',
  'kafka_access_denied',
  'no_query_engine',
  'too_many_queries',
] as const;

export const recordDataOperations = [
  defineClusterOperation({
    name: 'read_records',
    title: 'Read records',
    summary: 'Read records of a topic, as a Kafka consumer without a group.',
    description:
      'Read access to the cluster alone does not show its data: the call needs the grant `read_records` or `admin` in the workspace, and ACLs do not apply; or a Kafka credential, whose ACLs apply. Only committed records are read. An answer has the newest or the oldest records by time across partitions; `older_cursor` and `newer_cursor` continue it. Every call is audited; calls of one caller for one topic within a minute are one entry with a count, partitions and offsets.',
    access: 'records',
    input: clusterInput({
      topic_name: topicName().describe('The topic.'),
      partitions: list(count(coreLimits.partitionsPerTopicMax), partitionsMax)
        .default([])
        .describe(`The partitions to read; none are all, of a topic with up to ${partitionsMax}.`),
      start: z
        .enum(['newest', 'oldest', 'offset', 'time'])
        .default('newest')
        .describe(
          'Where to begin: backwards from the end, or forwards from the beginning, an offset or a time.',
        ),
      offset: count().optional().describe('With `offset` as start: the first offset in each partition.'),
      time: timeOfCaller().optional().describe('With `time` as start: the time of the first records.'),
      cursor: recordCursor()
        .optional()
        .describe('`older_cursor` or `newer_cursor` of a response, instead of `start` and `partitions`.'),
      limit: integer(1, apiLimits.readRecordsMax).default(50).describe('The maximum number to return.'),
      contains: prose(apiLimits.containedCharsMax)
        .default('')
        .describe('Only records with this text in their key, value or headers.'),
      ignore_case: flag('Whether `contains` is found in any case.'),
      filter: prose(coreLimits.filterCharsMax)
        .default('')
        .describe(
          'Only records for which this is true, in the language of event filters, with the fields `key`, `value`, `headers`, `partition`, `offset` and `timestamp`, such as `value.total > 100`.',
        ),
      key_format: format().default('auto').describe('How to show keys.'),
      value_format: format()
        .default('auto')
        .describe(
          'How to show values: `auto` decodes what names a schema, and shows text as text and the rest as base64.',
        ),
      whole: flag('With a limit of 1: give up to 1 MiB of key and value, instead of 4 and 64 KiB.'),
      scan_records: integer(1, apiLimits.scannedRecordsMax)
        .default(100_000)
        .describe('The maximum number of records to scan.'),
      scan_bytes: integer(1, apiLimits.scannedBytesMax)
        .default(64 * 1024 * 1024)
        .describe('The maximum number of bytes to scan.'),
      scan_ms: integer(100, apiLimits.scanMsMax)
        .default(10_000)
        .describe('The maximum duration of the scan, in milliseconds.'),
      ...credential,
    }),
    output: z.object({
      records: list(record, apiLimits.readRecordsMax).describe(
        'Newest first, or oldest first when reading forwards.',
      ),
      scanned_records: count().describe('The number of scanned records.'),
      scanned_bytes: count().describe('Their size.'),
      matched_records: count().describe('The number of matching records.'),
      ms: count().describe('How long it took, in milliseconds.'),
      older_cursor: recordCursor()
        .nullable()
        .describe('Continues with older records; `null` at the beginning.'),
      newer_cursor: recordCursor()
        .nullable()
        .describe('Continues with newer records, including future ones.'),
      cut: z
        .enum(['records', 'bytes', 'time', 'answer_bytes'])
        .nullable()
        .describe('Which limit ended the scan early; the cursors continue it.'),
      problem: prose().nullable().describe('What could not be read.'),
    }),
    errors: [...errors, 'filter_syntax'],
    isGuessable: true,
    example: {
      input: { topic_name: 'orders', limit: 10 },
      output: {
        records: [
          {
            partition: 3,
            offset: 42,
            timestamp: examples.time,
            timestamp_ms: 1_769_860_800_000,
            key: null,
            value: examplePart,
            headers: [],
            header_count: 0,
            bytes: 8,
          },
        ],
        scanned_records: 1,
        scanned_bytes: 8,
        matched_records: 1,
        ms: 4,
        older_cursor: null,
        newer_cursor: 'WyJuZXdlciIsWzMsNDNdXQ',
        cut: null,
        problem: null,
      },
    },
  }),
  defineClusterOperation({
    name: 'produce_record',
    title: 'Produce a record',
    summary: 'Write one record to a topic, as a Kafka producer.',
    description:
      'The topic must exist. Without a partition, the key decides, as in Kafka clients. Internal retries do not write twice.',
    input: clusterInput({
      topic_name: topicName().describe('The topic.'),
      partition: count(coreLimits.partitionsPerTopicMax).optional().describe('The partition.'),
      key: toWrite('key').describe('The key, if there is one.'),
      value: toWrite('value').describe('The value; `null` is a tombstone, which deletes a key.'),
      headers: list(
        z.strictObject({
          key: prose(1_024).describe('The name.'),
          value: toWrite('value').describe('The value.'),
        }),
        apiLimits.recordHeadersMax,
      )
        .default([])
        .describe('The headers.'),
      time: timeOfCaller().optional().describe('The time of the record; by default, now.'),
      ...credential,
    }),
    output: z.object({
      partition: count().describe('The partition.'),
      offset: count().describe('The offset.'),
      ...timestamps,
    }),
    errors: [...errors, 'record_refused'],
    isGuessable: true,
    example: {
      input: {
        topic_name: 'orders',
        value: { text: '{"id":7}', format: 'json' },
      },
      output: { partition: 3, offset: 42, timestamp: examples.time, timestamp_ms: 1_769_860_800_000 },
    },
  }),
] as const;
