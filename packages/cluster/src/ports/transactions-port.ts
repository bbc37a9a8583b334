import type {
  CommitMark,
  GroupError,
  OffsetsCommitter,
  OffsetToCommit,
  TopicPartition,
} from './groups-port.ts';

/** A producer as it names itself in every call. */
export interface TransactionalCaller {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** Where a request came from, to tell requests that were under way for too long. */
export interface RequestOrigin {
  /** A text that no other connection of any agent ever had, for instance the agent's id and a number. */
  readonly connection: string;
  /** Grows with every request of the connection. */
  readonly request: number;
}

export interface TransactionalProducerToInit {
  readonly transactionalId: string;
  readonly timeoutMs: number;
  /** What the producer has already, when it goes on after an error; -1 and -1 for one that is new. */
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
  /** TxnOffsetCommit v5 and later: the group joins the transaction by itself, and opens one when none is open. */
  readonly addsGroup: boolean;
  readonly offsets: readonly OffsetToCommit[];
}

export interface TransactionOffsetsAnswer {
  /** Behind this commit. */
  readonly mark?: CommitMark | undefined;
  /** What is wrong as a whole: no offset was taken then, and `offsets` is empty. */
  readonly error: TransactionError | GroupError;
  readonly message: string | null;
  /** In the order of the request. */
  readonly offsets: readonly GroupError[];
}

export interface TransactionToEnd extends TransactionalCaller {
  readonly origin: RequestOrigin;
  readonly isCommit: boolean;
  /** EndTxn v5 and later: the producer goes on with the id and epoch of the answer. */
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
  /** The cluster holds as many transactional ids, or as much in one transaction, as it can. */
  | 'POLICY_VIOLATION';

export interface TransactionAnswer {
  readonly error: TransactionError;
  /** What was wrong and what to do, for the log of an agent; `null` without an error. */
  readonly message: string | null;
}

/** With what the producer goes on; -1 and -1 on error. */
export interface TransactionalProducer extends TransactionAnswer {
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** Kafka's names. Its states of preparing and of being dead do not exist here. */
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
  /** Of the open transaction. Partitions of topics that were deleted meanwhile are left out. */
  readonly partitions: readonly TopicPartition[];
}

export interface TransactionFilter {
  /** Empty for all. */
  readonly states: readonly string[];
  /** Empty for all. */
  readonly producerIds: readonly number[];
  /** Only those that are open for at least this long; below 0 for all. */
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
  /** When it wrote last. */
  readonly lastTimestampMs: number;
  /** The first offset of its open transaction in this partition, or -1. */
  readonly transactionStartOffset: number;
}
