import { bool, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const addPartitionsToTxnTopic = {
  name: string(),
  partitions: listOf(int32),
};

const addPartitionsToTxnPartitionResult = {
  partitionIndex: int32(),
  partitionErrorCode: int16(),
};

const addPartitionsToTxnTopicResult = {
  name: string(),
  resultsByPartition: structs(addPartitionsToTxnPartitionResult),
};

/**
 * TODO
 */
export const addPartitionsToTxn = defineApi({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: '0-5',
  flexible: '3+',
  request: {
    transactions: structs(
      {
        transactionalId: string(),
        producerId: int64(),
        producerEpoch: int16(),
        verifyOnly: bool({ default: false }),
        topics: structs(addPartitionsToTxnTopic),
      },
      { versions: '4+' },
    ),
    v3AndBelowTransactionalId: string({ versions: '0-3' }),
    v3AndBelowProducerId: int64({ versions: '0-3' }),
    v3AndBelowProducerEpoch: int16({ versions: '0-3' }),
    v3AndBelowTopics: structs(addPartitionsToTxnTopic, { versions: '0-3' }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16({ versions: '4+', ignorable: true }),
    resultsByTransaction: structs(
      {
        transactionalId: string(),
        topicResults: structs(addPartitionsToTxnTopicResult),
      },
      { versions: '4+' },
    ),
    resultsByTopicV3AndBelow: structs(addPartitionsToTxnTopicResult, { versions: '0-3' }),
  },
});
