import { bool, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const topicPartitions = {
  name: string(),
  partitions: listOf(int32),
};

const partitionResult = {
  partitionIndex: int32(),
  partitionErrorCode: int16(),
};

const topicResult = {
  name: string(),
  resultsByPartition: structs(partitionResult),
};

/**
 * A transactional producer adds partitions to its transaction before it writes to them.
 *
 * v1 throttles after the answer (KIP-219), v2 adds PRODUCER_FENCED, sent as INVALID_PRODUCER_EPOCH below
 * (KIP-588), v3 the flexible encoding, v4 batches of transactions, v5 TRANSACTION_ABORTABLE (both KIP-890).
 * Up to v3 one partition that is unknown or forbidden fails all: the others are OPERATION_NOT_ATTEMPTED.
 * v4+ is for brokers, which verify transactions with it, and needs CLUSTER_ACTION in Kafka. @platformatic/kafka sends
 * the highest version that is offered all the same, so a server had better serve producers in it too.
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
        /** Only checks that the partitions are in the ongoing transaction. */
        verifyOnly: bool({ default: false }),
        topics: structs(topicPartitions),
      },
      { versions: '4+' },
    ),
    v3AndBelowTransactionalId: string({ versions: '0-3' }),
    v3AndBelowProducerId: int64({ versions: '0-3' }),
    v3AndBelowProducerEpoch: int16({ versions: '0-3' }),
    v3AndBelowTopics: structs(topicPartitions, { versions: '0-3' }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16({ versions: '4+', ignorable: true }),
    resultsByTransaction: structs(
      {
        transactionalId: string(),
        topicResults: structs(topicResult),
      },
      { versions: '4+' },
    ),
    resultsByTopicV3AndBelow: structs(topicResult, { versions: '0-3' }),
  },
});
