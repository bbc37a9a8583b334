import * as s from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import type { GroupError } from './groups/group-names.ts';
import {
  type CommitMark,
  commitOrigin,
  type OffsetsCommitter,
  type OffsetToCommit,
} from './groups/group-offset-calls.ts';
import type { TopicPartition } from './topic-partition.ts';

/** A transactional producer as it identifies itself in every call. */
export interface TransactionalCaller {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** Origin of a request, to detect requests that were delayed in flight. */
const origin = s.struct({
  /** Unique among all connections of all agents, ever; for example the agent's id and a number. */
  connection: s.text,
  /** Increases with every request of the connection. */
  request: s.whole,
});
export type RequestOrigin = s.TypeOf<typeof origin>;

const transactionalProducerToInit = s.struct({
  transactionalId: s.text,
  timeoutMs: s.number,
  /** Current id and epoch of a producer that continues after an error; -1 and -1 for a new one. */
  producerId: s.whole,
  producerEpoch: s.whole,
});
export type TransactionalProducerToInit = s.TypeOf<typeof transactionalProducerToInit>;

export interface PartitionsToAdd extends TransactionalCaller {
  readonly origin: RequestOrigin;
  readonly partitions: readonly TopicPartition[];
}

export interface OffsetsToAdd extends TransactionalCaller {
  readonly origin: RequestOrigin;
  readonly groupId: string;
}

export interface TransactionOffsetsToCommit extends TransactionalCaller, OffsetsCommitter {
  /**
   * TxnOffsetCommit v5 and later: the commit adds its group to the transaction, and opens a transaction if none is
   * open.
   */
  readonly addsGroup: boolean;
  readonly offsets: readonly OffsetToCommit[];
}

export interface TransactionOffsetsAnswer {
  /** The mark after this commit. */
  readonly mark?: CommitMark | undefined;
  /** Error of the commit as a whole; then no offset was accepted and `offsets` is empty. */
  readonly error: TransactionError | GroupError;
  readonly message: string | null;
  /** In the order of the request. */
  readonly offsets: readonly GroupError[];
}

export interface TransactionToEnd extends TransactionalCaller {
  readonly origin: RequestOrigin;
  readonly isCommit: boolean;
  /** EndTxn v5 and later: the producer continues with the id and epoch of the answer. */
  readonly bumpsEpoch: boolean;
}

export type TransactionError =
  | 'NONE'
  | 'INVALID_REQUEST'
  | 'INVALID_TRANSACTION_TIMEOUT'
  | 'INVALID_PRODUCER_ID_MAPPING'
  | 'PRODUCER_FENCED'
  | 'INVALID_TXN_STATE'
  | 'CONCURRENT_TRANSACTIONS'
  | 'UNKNOWN_TOPIC_OR_PARTITION'
  /** The cluster has reached its limit of transactional ids, or of memory for open transactions. */
  | 'POLICY_VIOLATION';

export interface TransactionAnswer {
  readonly error: TransactionError;
  /** What was wrong and what to do, for the log of an agent; `null` without an error. */
  readonly message: string | null;
}

/** Id and epoch with which the producer continues; -1 and -1 on error. */
export interface TransactionalProducer extends TransactionAnswer {
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** Kafka's names. Its prepare and dead states do not exist here. */
export const transactionStates = ['Empty', 'Ongoing', 'CompleteCommit', 'CompleteAbort'] as const;

export type TransactionState = (typeof transactionStates)[number];

export interface TransactionDescription {
  readonly error: 'NONE' | 'TRANSACTIONAL_ID_NOT_FOUND';
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly state: TransactionState;
  readonly timeoutMs: number;
  /** -1 when no transaction is open. */
  readonly startMs: number;
  /** Partitions of the open transaction, without those of topics that have been deleted since. */
  readonly partitions: readonly TopicPartition[];
}

const transactionFilter = s.struct({
  /** Empty for all. */
  states: s.list(s.text),
  /** Empty for all. */
  producerIds: s.list(s.whole),
  /** Only transactions open for at least this long; negative for all. */
  openForMs: s.number,
});
export type TransactionFilter = s.TypeOf<typeof transactionFilter>;

export interface ListedTransaction {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly state: TransactionState;
}

export interface ProducersAnswer {
  readonly error: 'NONE' | 'UNKNOWN_TOPIC_ID' | 'UNKNOWN_TOPIC_OR_PARTITION';
  readonly producers: readonly ProducerDescription[];
}

interface ProducerDescription {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly lastSequence: number;
  /** Time of its last append. */
  readonly lastTimestampMs: number;
  /** The first offset of its open transaction in this partition; -1 if none is open. */
  readonly transactionStartOffset: number;
}

const caller = { transactionalId: s.text, producerId: s.whole, producerEpoch: s.whole };

const topicPartition = s.object<TopicPartition>({ topicId: s.text, partition: s.whole });

/** Calls about transactions. */
export const transactionCalls = {
  /** Assigns a transactional id to a producer, fences its previous producer, and aborts its open transaction. */
  initTransactionalProducer: command<[request: TransactionalProducerToInit], TransactionalProducer>(
    s.tuple(transactionalProducerToInit),
  ),
  /** Adds partitions to the open transaction, or opens one with them; all or none. */
  addPartitionsToTransaction: command<[request: PartitionsToAdd], TransactionAnswer>(
    s.tuple(s.object<PartitionsToAdd>({ ...caller, origin, partitions: s.list(topicPartition) })),
  ),
  /** Adds a group to the open transaction, whose offsets will follow, or opens one with it. */
  addOffsetsToTransaction: command<[request: OffsetsToAdd], TransactionAnswer>(
    s.tuple(s.object<OffsetsToAdd>({ ...caller, origin, groupId: s.text })),
  ),
  /**
   * Commits offsets of a group that take effect when the transaction commits. The group coordinator validates them
   * first.
   */
  commitTransactionOffsets: leaderCall<[request: TransactionOffsetsToCommit], TransactionOffsetsAnswer>(
    s.tuple(
      s.object<TransactionOffsetsToCommit>({
        ...caller,
        groupId: s.text,
        generationIdOrMemberEpoch: s.whole,
        memberId: s.text,
        groupInstanceId: s.nullable(s.text),
        origin: s.optional(commitOrigin),
        addsGroup: s.flag,
        offsets: s.list(
          s.object<OffsetToCommit>({
            topicId: s.text,
            partition: s.whole,
            offset: s.number,
            leaderEpoch: s.whole,
            metadata: s.text,
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
   * executed when it is repeated on that connection. An agent repeats it while its client stays connected, and so does
   * a live client; a request from a connection that its client has abandoned is never repeated there.
   */
  endTransaction: command<[request: TransactionToEnd], TransactionalProducer>(
    s.tuple(s.object<TransactionToEnd>({ ...caller, origin, isCommit: s.flag, bumpsEpoch: s.flag })),
  ),
  /** In the order of the ids; TRANSACTIONAL_ID_NOT_FOUND for unknown ones. */
  describeTransactions: query<[transactionalIds: readonly string[]], TransactionDescription[]>(
    s.tuple(s.list(s.text)),
    { splits: true },
  ),
  listTransactions: query<[filter: TransactionFilter], ListedTransaction[]>(s.tuple(transactionFilter)),
  /** Returns the producers of each partition, in the order of the partitions. */
  describeProducers: query<[partitions: readonly TopicPartition[]], ProducersAnswer[]>(
    s.tuple(s.list(topicPartition)),
    { splits: true },
  ),
};
