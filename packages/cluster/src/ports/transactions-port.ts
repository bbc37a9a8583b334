import type {
  CommitMark,
  GroupError,
  OffsetsCommitter,
  OffsetToCommit,
  TopicPartition,
} from './groups-port.ts';

/** A transactional producer as it identifies itself in every call. */
export interface TransactionalCaller {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** Origin of a request, to detect requests that were delayed in flight. */
export interface RequestOrigin {
  /** Unique among all connections of all agents, ever; for example the agent's id and a number. */
  readonly connection: string;
  /** Increases with every request of the connection. */
  readonly request: number;
}

export interface TransactionalProducerToInit {
  readonly transactionalId: string;
  readonly timeoutMs: number;
  /** Current id and epoch of a producer that continues after an error; -1 and -1 for a new one. */
  readonly producerId: number;
  readonly producerEpoch: number;
}

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

export interface TransactionFilter {
  /** Empty for all. */
  readonly states: readonly string[];
  /** Empty for all. */
  readonly producerIds: readonly number[];
  /** Only transactions open for at least this long; negative for all. */
  readonly openForMs: number;
}

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
