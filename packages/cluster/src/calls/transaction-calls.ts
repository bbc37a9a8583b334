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

const caller = { transactionalId: text, producerId: whole, producerEpoch: whole };
const origin = object<RequestOrigin>({ connection: text, request: whole });
const topicPartition = object<TopicPartition>({ topicId: text, partition: whole });

/** Calls about transactions. */
export const transactionCalls = {
  /** Assigns a transactional id to a producer, fences its previous producer, and aborts its open transaction. */
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
  /** Adds partitions to the open transaction, or opens one with them; all or none. */
  addPartitionsToTransaction: command<[request: PartitionsToAdd], TransactionAnswer>(
    tuple(object<PartitionsToAdd>({ ...caller, origin, partitions: list(topicPartition) })),
  ),
  /** Adds a group to the open transaction, whose offsets will follow, or opens one with it. */
  addOffsetsToTransaction: command<[request: OffsetsToAdd], TransactionAnswer>(
    tuple(object<OffsetsToAdd>({ ...caller, origin, groupId: text })),
  ),
  /**
   * Commits offsets of a group that take effect when the transaction commits. The group coordinator validates them
   * first.
   */
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
   * Commits or aborts: markers in all partitions, group offsets and the new state in one step.
   *
   * With `bumpsEpoch` every transaction has its own epoch, so a delayed call cannot end the next transaction. Without
   * it nothing in the request distinguishes two transactions of a producer. Such a call is executed only on the
   * connection that last used the transaction. On another connection it is answered CONCURRENT_TRANSACTIONS, and
   * executed when it is repeated on that connection. A live client retries by itself; a request from a connection that
   * its client has abandoned is never repeated there.
   */
  endTransaction: command<[request: TransactionToEnd], TransactionalProducer>(
    tuple(object<TransactionToEnd>({ ...caller, origin, isCommit: flag, bumpsEpoch: flag })),
  ),
  /** In the order of the ids; TRANSACTIONAL_ID_NOT_FOUND for unknown ones. */
  describeTransactions: query<[transactionalIds: readonly string[]], TransactionDescription[]>(
    tuple(list(text)),
    { splits: true },
  ),
  listTransactions: query<[filter: TransactionFilter], ListedTransaction[]>(
    tuple(object<TransactionFilter>({ states: list(text), producerIds: list(whole), openForMs: number })),
  ),
  /** Returns the producers of each partition, in the order of the partitions. */
  describeProducers: query<[partitions: readonly TopicPartition[]], ProducersAnswer[]>(
    tuple(list(topicPartition)),
    { splits: true },
  ),
};
