import type { ManagedTopic } from '@weir/cluster';
import type { AppendOutcome, ProducedBatch } from '../write-path/produced-batch.ts';

export interface SourceWrite {
  readonly migration: ManagedTopic;
  /** Of one topic, at most one per partition. Their bytes may be used until the promise settles, and not after. */
  readonly batches: readonly ProducedBatch[];
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  /** Asked at the moment at which something is about to be sent. Nothing is sent after it has said no. */
  readonly maySend: () => boolean;
}

/** Passes what clients write on to the clusters that are being migrated. */
export interface SourceWriter {
  /**
   * Writes batches to a topic of the source as its client, and returns what its brokers say of each, and how long they
   * want no more of them. Writes of the same partition reach their broker in the order of the calls. Never rejects.
   */
  write(write: SourceWrite): Promise<AppendOutcome>;
}
