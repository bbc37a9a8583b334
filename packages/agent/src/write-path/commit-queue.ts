import { CallNotDone, type ClusterPort, ClusterUnavailable } from '@weir/cluster';
import { type Clock, type JitteredBackOff, jitteredBackOffMs, type Log, type Random } from '@weir/core';
import { AgentKeyRefused } from '@weir/rpc';
import type { DataFile } from './data-file.ts';

const retryBackOff: JitteredBackOff = { firstMs: 50, maxMs: 1_000, jitter: 'half' };

interface CommitQueueOptions {
  readonly port: () => ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What one call may carry: it is one frame, and one step of the cluster's state machine. */
  readonly batchesPerCallMax: number;
  /** Called for every file that is about to be sent for the first time. A file may fail by it. */
  readonly onSending: (file: DataFile) => void;
  /** Called for every file that was sent and is `stored` again, because it is certain that nothing was done. A file may fail by it. */
  readonly onNotDone: (file: DataFile) => void;
  /** Called for every file that leaves the queue, committed or failed. */
  readonly onLeft: (file: DataFile) => void;
}

/**
 * Commits files in the order in which they were closed, however their uploads finish. A producer that has several requests on
 * their way therefore finds its batches in sequence. Files that are durable by the time a call leaves share it.
 *
 * There is one call at a time, and its files are chosen when it leaves the process: while the control plane is out of reach, files stay `stored`
 * and requests may be taken out of them. When the outcome of a call that left is unknown, it is made again with the same file ids until there is
 * an answer, even when no client waits for it any more: what follows may only be committed once it is known what came before. It carries
 * nothing new then, so that as little as possible is in doubt. A call of which it is known that nothing was done counts as never sent.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #files: DataFile[] = [];
  #isCalling = false;
  #isAbandoned = false;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  /** After a call that the control plane refused as a whole, files go one by one, so that only the culprit fails. */
  #oneByOne = 0;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
  }

  /** Files whose order is settled and whose commit is not, the ones that are still being uploaded included. */
  get length(): number {
    return this.#files.length;
  }

  push(file: DataFile): void {
    this.#files.push(file);
  }

  /** A file and those behind it, in order. */
  from(file: DataFile): readonly DataFile[] {
    return this.#files.slice(this.#files.indexOf(file));
  }

  /** To be called when a file has become `stored` or `failed`. */
  advance(): void {
    this.#dropFailed();
    const state = this.#files[0]?.state;
    if (!this.#isCalling && (state === 'stored' || state === 'sent')) void this.#commit();
  }

  /** Gives up what is not committed: the process ends, and the control plane decides what became of the last call. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#cancelRetry?.();
    for (const { cancelDeadline } of this.#files) cancelDeadline?.();
  }

  /** What failed makes room at once, also behind a file that is in doubt. */
  #dropFailed(): void {
    for (let at = this.#files.findIndex(hasFailed); at !== -1; at = this.#files.findIndex(hasFailed)) {
      const [file] = this.#files.splice(at, 1);
      this.#options.onLeft(file!);
    }
  }

  #ready(): DataFile[] {
    const ready: DataFile[] = [];
    const isInDoubt = this.#files[0]?.state === 'sent';
    let batches = 0;
    for (const file of [...this.#files]) {
      if (file.state === 'stored' && !isInDoubt) this.#options.onSending(file);
      if (hasFailed(file)) continue;
      if (file.state !== (isInDoubt ? 'sent' : 'stored')) break;
      batches += file.batchCount;
      if (ready.length > 0 && (this.#oneByOne > 0 || batches > this.#options.batchesPerCallMax)) break;
      ready.push(file);
    }
    return ready;
  }

  /** The files of a call that is about to leave. From here on their outcome is in doubt. */
  #takeReady(): DataFile[] {
    this.#dropFailed();
    const ready = this.#ready();
    this.#dropFailed();
    for (const file of ready) {
      if (file.state === 'stored') file.sentMs = this.#options.clock.monotonicMs();
      file.state = 'sent';
    }
    return ready;
  }

  async #commit(): Promise<void> {
    const { port, clock, random, log } = this.#options;
    this.#isCalling = true;
    /** Empty until the call leaves. */
    let files: readonly DataFile[] = [];
    let wasInDoubt = false;
    try {
      const results = await port().commitFiles(() => {
        wasInDoubt = this.#files[0]?.state === 'sent';
        files = this.#takeReady();
        return files.map((file) => file.commit());
      });
      this.#failures = 0;
      if (this.#oneByOne > 0) this.#oneByOne--;
      for (const [index, file] of files.entries()) {
        file.state = 'committed';
        file.settle(results[index]!);
      }
    } catch (error) {
      // A call that never left did nothing. A key that is refused says nothing about a call that left before.
      const isInDoubt = error instanceof ClusterUnavailable || error instanceof AgentKeyRefused;
      if (error instanceof CallNotDone && !wasInDoubt) this.#takeBack(files);
      if (files.length === 0 || isInDoubt) {
        const retries = this.#failures++;
        log.warn('failed to reach control plane, retrying commit', {
          files: files.length,
          attempt: this.#failures,
          error: error instanceof Error ? error.message : String(error),
        });
        if (this.#isAbandoned) return;
        const delayMs = jitteredBackOffMs(retries, retryBackOff, random);
        this.#cancelRetry = clock.after(delayMs, () => this.#resume());
        return;
      }
      if (files.length > 1) {
        this.#oneByOne = files.length;
      } else {
        log.error('failed to commit file', { fileId: files[0]!.fileId, error: String(error) });
        if (this.#oneByOne > 0) this.#oneByOne--;
        files[0]!.state = 'failed';
        for (const append of files[0]!.appends) append.fail('UNKNOWN_SERVER_ERROR');
      }
    }
    for (const file of files) {
      if (file.state !== 'committed') continue;
      this.#files.splice(this.#files.indexOf(file), 1);
      this.#options.onLeft(file);
    }
    this.#resume();
  }

  #takeBack(files: readonly DataFile[]): void {
    for (const file of files) file.state = 'stored';
    for (const file of files) this.#options.onNotDone(file);
    this.#dropFailed();
  }

  #resume(): void {
    this.#isCalling = false;
    this.advance();
  }
}

function hasFailed({ state }: DataFile): boolean {
  return state === 'failed';
}
