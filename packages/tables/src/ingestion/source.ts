/** The port to the topic that a table is made of. Its adapter reads a Kafka cluster; tests have one in memory. */
import type { SourceRecord } from '../rows/row-reader.ts';

export interface Source {
  /** Asks the cluster for the topic as it is now. Rejects if the topic cannot be found or the cluster not reached. */
  describe(): Promise<SourceTopic>;
  /** Begins to read; the owner closes the reader. */
  open(positions: ReadonlyMap<number, bigint>): SourceReader;
}

export interface SourceTopic {
  /** Given by the cluster when it made the topic; absent where it has none. */
  readonly topicId?: string | undefined;
  readonly partitions: readonly SourcePartition[];
}

export interface SourcePartition {
  readonly partition: number;
  /** The first offset that the log has. */
  readonly logStart: bigint;
  /** The offset after the last record that readers may see. */
  readonly endOffset: bigint;
}

/**
 * Reads partitions side by side. It fetches ahead only a little: what was not asked for with `next` is bounded in
 * bytes. An idle reader costs next to nothing: it waits in the cluster, and has no timers that run every second.
 */
export interface SourceReader {
  /**
   * Waits for what happens next. It is asked again only after the answer. Records of a partition come in order. Rejects
   * if the cluster cannot be read, after attempts of its own; the reader is of no use then.
   */
  next(): Promise<SourceEvent>;
  /** Reads a partition from another offset on, or a partition that is new. Records fetched before are forgotten. */
  seek(partition: number, offset: bigint): void;
  /** Reads the partition no more. */
  stop(partition: number): void;
  /** Ends it; a `next` that waits rejects. */
  close(): Promise<void>;
}

export type SourceEvent = SourceBatch | OutOfRange | NewPartitions;

export interface SourceBatch {
  readonly kind: 'batch';
  readonly partition: number;
  /** Without those of transactions that were aborted; may be empty. At most `sourceBatchRecordsMax`. */
  readonly records: readonly SourceRecord[];
  /** Where to go on: after the records, and after what readers do not see. */
  readonly nextOffset: bigint;
  /** As the answer had it. */
  readonly endOffset: bigint;
}

/** The log does not have the offset: it begins later, or ends before. The partition is not read until a `seek`. */
export interface OutOfRange extends SourcePartition {
  readonly kind: 'out-of-range';
}

/** Partitions were added to the topic. They are not read until a `seek`. */
export interface NewPartitions {
  readonly kind: 'new-partitions';
  readonly partitions: readonly SourcePartition[];
}
