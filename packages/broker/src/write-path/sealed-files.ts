import type { Clock } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { DataFile } from './data-file.ts';
import type { OwnSequence, OwnSequences } from './own-sequences.ts';
import type { LateCommits } from './write-path.ts';

interface SealedFilesOptions {
  readonly clock: Clock;
  readonly sequences?: OwnSequences | undefined;
  readonly sealedFilesMax?: number | undefined;
  readonly lateCommits?: LateCommits | undefined;
}

/** Files in the queue of commits whose records are acknowledged already, which a job may have to commit. */
export class SealedFiles {
  readonly #options: SealedFilesOptions;
  #files = 0;
  #batches = 0;

  constructor(options: SealedFilesOptions) {
    this.#options = options;
  }

  /** Files that the limit on uncommitted files leaves out: those that may be left to a job have one of their own. */
  get uncounted(): number {
    return this.#options.sequences?.mayLeave === true ? this.#files : 0;
  }

  /** Whether they are so many that a job should take them. */
  get areMany(): boolean {
    const { sequences, sealedFilesMax = brokerLimits.sealedFilesMax } = this.#options;
    if (sequences?.mayLeave !== true) return false;
    return this.#files > sealedFilesMax || this.#batches > brokerLimits.sealedBatchesMax;
  }

  /** Answers the requests of a file that is stored. */
  acknowledge(file: DataFile): void {
    file.acknowledge();
    this.#files++;
    this.#batches += file.batchCount;
    this.#options.lateCommits?.acknowledged();
  }

  /** The file has left the queue of commits: committed, failed, or left to a job. */
  left(file: DataFile, sequence: OwnSequence): void {
    const { sequences, lateCommits, clock } = this.#options;
    const isCommitted = file.state === 'committed';
    if (!file.isSealed || isCommitted) sequences!.ended(sequence);
    // The bucket has it: another agent will try.
    else sequences!.leave(sequence);
    if (file.state === 'left') lateCommits?.leftToJob(sequence, file.storedMs);
    else if (file.isSealed) lateCommits?.left(isCommitted ? clock.monotonicMs() - file.storedMs : undefined);
    if (!file.isSealed) return;
    this.#files--;
    this.#batches -= file.batchCount;
  }
}
