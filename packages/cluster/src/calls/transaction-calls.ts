import type { OffsetToCommit, TopicPartition } from '../ports/groups-port.ts';
import type {
  ListedTransaction,
  OffsetsToAdd,
  PartitionsToAdd,
  ProducersAnswer,
  RequestOrigin,
  TransactionAnswer,
  TransactionalProducer,
  TransactionalProducerToInit,
  TransactionDescription,
  TransactionFilter,
  TransactionOffsetsAnswer,
  TransactionOffsetsToCommit,
  TransactionToEnd,
} from '../ports/transactions-port.ts';
import { flag, list, nullable, number, object, optional, text, tuple, whole } from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { commitOrigin } from './group-calls.ts';

/** A producer as it names itself in calls about its transactions. */
const caller = { transactionalId: text, producerId: whole, producerEpoch: whole };
const origin = object<RequestOrigin>({ connection: text, request: whole });
const topicPartition = object<TopicPartition>({ topicId: text, partition: whole });

/** The calls about transactions. */
export const transactionCalls = {
  /** Gives a transactional id to a producer, which fences the one that had it, and aborts what was left open. */
  initTransactionalProducer: command<[request: TransactionalProducerToInit], TransactionalProducer>(
    tuple(
      object<TransactionalProducerToInit>({
        transactionalId: text,
        timeoutMs: number,
        producerId: whole,
        producerEpoch: whole,
      }),
    ),
  ),
  /** Adds partitions to the open transaction, or opens one with them. All of them or none. */
  addPartitionsToTransaction: command<[request: PartitionsToAdd], TransactionAnswer>(
    tuple(object<PartitionsToAdd>({ ...caller, origin, partitions: list(topicPartition) })),
  ),
  /** Says that offsets of a group will follow in the open transaction, or opens one with it. */
  addOffsetsToTransaction: command<[request: OffsetsToAdd], TransactionAnswer>(
    tuple(object<OffsetsToAdd>({ ...caller, origin, groupId: text })),
  ),
  /** Offsets of a group that count when the transaction commits. The coordinator of groups admits them first. */
  commitTransactionOffsets: leaderCall<[request: TransactionOffsetsToCommit], TransactionOffsetsAnswer>(
    tuple(
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
    { onRetry: 'dedupe-durable' },
  ),
  /**
   * Commits or aborts: markers in all partitions, offsets of groups and the new state, all at once.
   *
   * With `bumpsEpoch` every transaction has an epoch of its own, so that a call that was under way for too long cannot end
   * the next one. Without it nothing in the request tells two transactions of a producer apart. Such a call is done only
   * when it comes on the connection that the transaction was last heard of; on another one it is answered
   * CONCURRENT_TRANSACTIONS, and done when it comes once more on the same one. A client that lives tries again by itself; a request
   * from a connection that its client has given up is never repeated there.
   */
  endTransaction: command<[request: TransactionToEnd], TransactionalProducer>(
    tuple(object<TransactionToEnd>({ ...caller, origin, isCommit: flag, bumpsEpoch: flag })),
  ),
  /** In the order of the ids; TRANSACTIONAL_ID_NOT_FOUND for those that are not known. */
  describeTransactions: query<[transactionalIds: readonly string[]], TransactionDescription[]>(
    tuple(list(text)),
    { splits: true },
  ),
  listTransactions: query<[filter: TransactionFilter], ListedTransaction[]>(
    tuple(object<TransactionFilter>({ states: list(text), producerIds: list(whole), openForMs: number })),
  ),
  /** Who wrote to partitions, in the order of the partitions. */
  describeProducers: query<[partitions: readonly TopicPartition[]], ProducersAnswer[]>(
    tuple(list(topicPartition)),
    { splits: true },
  ),
};
