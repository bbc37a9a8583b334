import type { RequestOrigin, TransactionState } from '@weir/cluster';
import type { PartitionLog } from '../log/partition-log.ts';

/** The highest epoch that is assigned to a producer. The one above is only for markers and fencing. */
export const producerEpochMax = 32_766;

export const noEpoch = -1;
export const noProducer = -1;

/**
 * The state of a transactional id: its current producer and its open transaction.
 *
 *     Empty ──batch, partition or group──▶ Ongoing ──end──▶ CompleteCommit, CompleteAbort
 *       ▲                                    ▲                  │          │
 *       └── a producer takes the id ─────────┼──────────────────┘          │
 *                                            └──batch, partition or group──┘
 *
 * Only `Transactions` changes it.
 */
export class Transaction {
  readonly transactionalId: string;
  producerId: number;
  epoch: number;
  /** The previous epoch, for a producer that lost the answer with the current one and retries; or `noEpoch`. */
  lastEpoch = noEpoch;
  /** The producer id before its epochs were used up, for the same reason; or `noProducer`. */
  previousProducerId = noProducer;
  timeoutMs: number;
  state: TransactionState = 'Empty';
  /** Whether the client has an epoch per transaction (KIP-890), according to its last call. */
  bumpsEpoch = false;
  /** When the open transaction began; -1 when none is open. */
  startMs = -1;
  /** When a producer last took the id or opened or ended a transaction. */
  updatedMs: number;
  /** Origin of the last request for the open transaction; only for clients that do not bump their epoch. */
  origin: RequestOrigin | undefined = undefined;
  /** Partitions of the open transaction with its first offset in each, or -1 before its first record there. */
  partitions = new Map<PartitionLog, number>();
  /** Groups whose offsets the open transaction may commit. */
  groups = new Set<string>();

  constructor(transactionalId: string, producerId: number, epoch: number, timeoutMs: number, nowMs: number) {
    this.transactionalId = transactionalId;
    this.producerId = producerId;
    this.epoch = epoch;
    this.timeoutMs = timeoutMs;
    this.updatedMs = nowMs;
  }

  get isOpen(): boolean {
    return this.state === 'Ongoing';
  }

  /** Returns a copy for a capture. */
  copy(): Transaction {
    const copy = new Transaction(
      this.transactionalId,
      this.producerId,
      this.epoch,
      this.timeoutMs,
      this.updatedMs,
    );
    return Object.assign(copy, this, { partitions: new Map(this.partitions), groups: new Set(this.groups) });
  }
}

/** Approximate memory of a transactional id, a partition and a group. */
const transactionBytes = 600;
const partitionBytes = 64;
const groupBytes = 64;

/** Characters count twice, as they may take two bytes. */
export function bytesOfId(transactionalId: string): number {
  return transactionBytes + 2 * transactionalId.length;
}

export function bytesOfContent(partitionCount: number, groupIds: Iterable<string>): number {
  let bytes = partitionBytes * partitionCount;
  for (const groupId of groupIds) bytes += groupBytes + 2 * groupId.length;
  return bytes;
}
