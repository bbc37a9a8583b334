import type { ClusterView } from '../cluster/cluster-view.ts';
import type { FlushLimits } from './data-file.ts';
import type { UploadOptions } from './file-uploads.ts';
import type { OwnSequence, OwnSequences } from './own-sequences.ts';
import type { AppendOutcome, ProducedBatch } from './produced-batch.ts';

export interface WritePathOptions extends UploadOptions {
  readonly cluster: ClusterView;
  readonly flush: FlushLimits;
  /** Limit on files that are closed and not yet committed. */
  readonly inflightFilesMax: number;
  /** Limit on bytes that are not yet in the store. As many bytes again may wait for room. */
  readonly bufferedBytesMax: number;
  /**
   * For topics whose records are acknowledged as soon as they are stored. If absent, all are when they are committed.
   * Uploads are not sent twice then: both files would be committed if the agent dies.
   */
  readonly sequences?: OwnSequences | undefined;
  /** Limit on files that are acknowledged and not committed, where the others may be left to a job. */
  readonly sealedFilesMax?: number | undefined;
  /** Learns of files whose records are acknowledged before their commit. */
  readonly lateCommits?: LateCommits | undefined;
}

export interface LateCommits {
  acknowledged(): void;
  /** The file was committed after this time; `undefined` if this agent could not commit it. */
  left(tookMs: number | undefined): void;
  /** A file that was stored then, on the monotonic clock, is left to a job. */
  leftToJob(sequence: OwnSequence, storedMs: number): void;
}

export interface WritePath {
  /**
   * Writes at most `appendBatchesMax` batches, all in one file and one commit, and returns the outcome of each. Batches
   * of one producer are committed in the order of the calls. Never rejects.
   *
   * The promise settles only after the store has released the batches' bytes, past the deadline if necessary: the
   * caller may then reuse the bytes.
   */
  append(batches: readonly ProducedBatch[], options: AppendOptions): Promise<AppendOutcome>;
  /**
   * The same with a callback, for requests of clients, of which there are very many (ADR 0177). `onOutcome` is called
   * once: at once, or while the requests of its file are answered. It must not throw.
   */
  begin(
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void;
  /**
   * Writes batches that no client waits for, with a memory limit of their own: they join the next file that closes for
   * clients, and get their own file only after a while without one. See `background-queue.ts`. Never rejects.
   * KAFKA_STORAGE_ERROR means that nothing was written.
   */
  appendInBackground(batches: readonly ProducedBatch[]): Promise<AppendOutcome>;
  /** Writes pending batches without waiting for more; resolves when nothing is in flight. */
  drain(): Promise<void>;
  /** Resolves when all requests that were answered before this are committed. */
  committed(): Promise<void>;
  /** Gives up what `drain` could not finish in time, so that nothing keeps the process alive. */
  abandon(): void;
}

/** A write path whose files may be left to a job once their records are acknowledged. */
export interface LateWritePath extends WritePath {
  /** Leaves the acknowledged files of a sequence to a job. */
  leave(sequence: OwnSequence): void;
  /** Goes on with commits, after the job has committed what was left to it. */
  resume(): void;
  /** When the oldest file was stored that is acknowledged and not committed, on the monotonic clock. */
  oldestSealedMs(): number | undefined;
}

export interface AppendOptions {
  /**
   * When the client stops waiting, on the monotonic clock. Batches that were not sent to the control plane by then are
   * not written; the outcome of those that were is unknown. Both return REQUEST_TIMED_OUT.
   */
  readonly deadlineMs: number;
  /** Aborted when the client has closed its connection. Absent for a client that expects no answer. */
  readonly left?: AbortSignal | undefined;
  /**
   * When the request was received, if not just now, on the monotonic clock: it may have waited behind others of its
   * connection.
   */
  readonly receivedMs?: number | undefined;
  /** Identifies the connection of the request. Requests of a connection are committed in the order of the calls. */
  readonly connection?: object | undefined;
}
