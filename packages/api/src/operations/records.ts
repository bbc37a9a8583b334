import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, examples, list, text, time, topicId, topicName } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** Transactions of one partition that are listed. */
const transactionsMax = 1_000;

const transaction = z
  .object({
    producer_id: count().describe('The producer.'),
    first_offset: count().describe('Where the transaction begins in the partition.'),
  })
  .meta({ id: 'RecordTransaction', description: 'A transaction that covers an offset.' });

const range = z
  .object({
    first_offset: count().describe('The first offset of the range.'),
    end_offset: count().describe('The offset after the range.'),
    file_id: text(32).describe('The file.'),
    level: count(15).describe(
      '0 for a file that an agent wrote for producers, more for one of a compaction.',
    ),
    file_time: time().describe('When the file was begun; of a compacted file, the newest that went into it.'),
    key: text(1_024).describe('The key of the object in the bucket of the cluster.'),
    first_byte: count().describe('Where the range begins in the file.'),
    byte_count: count().describe('How many bytes it has.'),
  })
  .meta({ id: 'RecordRange', description: 'A range of a file with batches of one partition.' });

const marker = z
  .object({
    result: z.enum(['commit', 'abort']).describe('How the transaction ended.'),
    producer_id: count().describe('The producer.'),
    producer_epoch: count().describe('Its epoch.'),
    ended_at: time().describe('When the transaction ended.'),
  })
  .meta({ id: 'RecordMarker', description: 'The end of a transaction, which takes one offset.' });

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
      last_stable_offset: count().describe('Readers of committed records get what is before it.'),
      place: z
        .enum(['file', 'marker', 'before_log_start', 'beyond_end'])
        .describe(
          'file: in the range of a file. marker: no record, but the end of a transaction, which is in no file. before_log_start: deleted, or past its retention. beyond_end: not written yet.',
        ),
      range: range.nullable().describe('Where it is, unless it is in no file.'),
      marker: marker.nullable().describe('The end of a transaction that has this offset.'),
      aborted_transactions: list(transaction, transactionsMax).describe(
        'The aborted transactions around the offset.',
      ),
      open_transactions: list(transaction, transactionsMax).describe(
        'The open ones that began at or before it.',
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
