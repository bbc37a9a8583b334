import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, examples, list, text, time, topicId, topicName } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** Transactions of one partition that are listed. */
const transactionsMax = 1_000;

const transaction = z
  .object({
    producer_id: count().describe('The producer.'),
    first_offset: count().describe('The first offset of the transaction in the partition.'),
  })
  .meta({ id: 'RecordTransaction', description: 'A transaction that covers an offset.' });

const range = z
  .object({
    first_offset: count().describe('The first offset of the range.'),
    end_offset: count().describe('The offset after the range.'),
    file_id: text(32).describe('The file.'),
    level: count(15).describe('0 for a file with produced records, more for a compacted one.'),
    file_time: time().describe('When the file was started; for a compacted file, that of its newest source.'),
    key: text(1_024).describe('The key of the object in the bucket of the cluster.'),
    first_byte: count().describe('The position of the range in the file.'),
    byte_count: count().describe('Its size in bytes.'),
  })
  .meta({ id: 'RecordRange', description: 'A range of a file with batches of one partition.' });

const marker = z
  .object({
    result: z.enum(['commit', 'abort']).describe('Whether the transaction was committed or aborted.'),
    producer_id: count().describe('The producer.'),
    producer_epoch: count().describe('Its epoch.'),
    ended_at: time().describe('When the transaction ended.'),
  })
  .meta({
    id: 'RecordMarker',
    description: 'The marker at the end of a transaction, which takes one offset.',
  });

export const recordOperations = [
  defineClusterOperation({
    name: 'locate_record',
    title: 'Locate a record',
    summary: 'Describe where the record with an offset is stored.',
    description:
      'The result comes from the metadata of the cluster; no file is read. Whether the batch of the record is transactional is in the file: if its producer is not among the transactions here, its transaction was committed.',
    input: clusterInput({
      topic_name: topicName().describe('The topic.'),
      partition: count(coreLimits.partitionsPerTopicMax).describe('The partition.'),
      offset: count().describe('The offset.'),
    }),
    output: z.object({
      topic_id: topicId().describe('The topic.'),
      log_start_offset: count().describe('The first offset that can be read.'),
      end_offset: count().describe('The offset after the last record.'),
      last_stable_offset: count().describe(
        'The last stable offset: readers of committed records read up to here.',
      ),
      place: z
        .enum(['file', 'marker', 'before_log_start', 'beyond_end'])
        .describe(
          'file: in the range of a file. marker: no record, but the end of a transaction, which is in no file. before_log_start: deleted, or past its retention. beyond_end: not written yet.',
        ),
      range: range.nullable().describe('Its location, if it is in a file.'),
      marker: marker.nullable().describe('The transaction marker at this offset.'),
      aborted_transactions: list(transaction, transactionsMax).describe(
        'The aborted transactions around the offset.',
      ),
      open_transactions: list(transaction, transactionsMax).describe(
        'Open transactions that began at or before it.',
      ),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { topic_name: 'orders', partition: 3, offset: 42 },
      output: {
        topic_id: examples.topicId,
        log_start_offset: 0,
        end_offset: 1_000,
        last_stable_offset: 1_000,
        place: 'file',
        range: {
          first_offset: 40,
          end_offset: 50,
          file_id: '019c139ee0000000012345678abcdef0',
          level: 0,
          file_time: examples.time,
          key: `service/${examples.cluster}/f0/019c139ee0000000012345678abcdef0`,
          first_byte: 68,
          byte_count: 1_200,
        },
        marker: null,
        aborted_transactions: [],
        open_transactions: [],
      },
    },
  }),
] as const;
