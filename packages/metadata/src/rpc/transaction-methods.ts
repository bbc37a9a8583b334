import type { OffsetToCommit, TopicPartition } from '../cluster/groups-port.ts';
import type {
  OffsetsToAdd,
  PartitionsToAdd,
  RequestOrigin,
  TransactionalProducerToInit,
  TransactionFilter,
  TransactionOffsetsToCommit,
  TransactionsPort,
  TransactionToEnd,
} from '../cluster/transactions-port.ts';
import { commitOrigin } from './group-methods.ts';
import type { Method } from './methods.ts';
import { flag, list, nullable, number, object, optional, text, tuple, whole } from './shape.ts';

/** A producer as it names itself in calls about its transactions. */
const caller = { transactionalId: text, producerId: whole, producerEpoch: whole };
const origin = object<RequestOrigin>({ connection: text, request: whole });
const topicPartition = object<TopicPartition>({ topicId: text, partition: whole });

/** The calls about transactions. */
export const transactionMethods = {
  initTransactionalProducer: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(
      object<TransactionalProducerToInit>({
        transactionalId: text,
        timeoutMs: number,
        producerId: whole,
        producerEpoch: whole,
      }),
    ),
  },
  addPartitionsToTransaction: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(object<PartitionsToAdd>({ ...caller, origin, partitions: list(topicPartition) })),
  },
  addOffsetsToTransaction: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(object<OffsetsToAdd>({ ...caller, origin, groupId: text })),
  },
  commitTransactionOffsets: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(
      object<TransactionOffsetsToCommit>({
        ...caller,
        groupId: text,
        generationIdOrMemberEpoch: whole,
        memberId: text,
        groupInstanceId: nullable(text),
        origin: optional(commitOrigin),
        addsGroup: flag,
        offsets: list(
          object<OffsetToCommit>({
            topicId: text,
            partition: whole,
            offset: number,
            leaderEpoch: whole,
            metadata: text,
          }),
        ),
      }),
    ),
  },
  endTransaction: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(object<TransactionToEnd>({ ...caller, origin, isCommit: flag, bumpsEpoch: flag })),
  },
  describeTransactions: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(text)) },
  listTransactions: {
    again: 'repeated',
    deadlineMs: 30_000,
    args: tuple(
      object<TransactionFilter>({ states: list(text), producerIds: list(whole), openForMs: number }),
    ),
  },
  describeProducers: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(topicPartition)) },
} as const satisfies {
  readonly [M in keyof TransactionsPort]: Method<Parameters<TransactionsPort[M]>>;
};
