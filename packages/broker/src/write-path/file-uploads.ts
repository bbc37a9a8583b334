import { type Clock, fileIdBucket, type Log, type Metrics, Outage, type Random } from '@weir/core';
import {
  buildLogFile,
  HedgedUploads,
  logFileKey,
  newFileId,
  type ObjectStore,
  StoreError,
  withFileId,
} from '@weir/storage';
import type { DataFile } from './data-file.ts';
import { DeadFiles } from './dead-files.ts';
import type { OwnSequences } from './own-sequences.ts';
import type { WriteHealth } from './write-health.ts';
import type { WriteMetrics } from './write-metrics.ts';

export interface UploadOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  /** The number of the bucket for new files; the first one if absent. */
  readonly bucket?: (() => number) | undefined;
  /**
   * Whether a slow upload is sent again, each time under another file id. Of use only where a further request may reach
   * a less busy server.
   */
  readonly hedgesUploads?: boolean | undefined;
  /**
   * Whether the commit of a file of this bucket stores the file (ADR 0103). Then nothing is uploaded. Not by default.
   */
  readonly commitsContent?: ((bucket: number) => boolean) | undefined;
  /** The sequences of files whose records may be acknowledged before their commit. Absent where none is. */
  readonly sequences?: Pick<OwnSequences, 'begin'> | undefined;
  /** Whether file ids are taken out of ranges. By default each is drawn. */
  readonly usesFileIdRanges?: boolean | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Learns the outcome of every upload. */
  readonly health?: Pick<WriteHealth, 'began'> | undefined;
  /** Receives every durable file before it is committed, so that readers need not fetch it from the store. */
  readonly onStored?: (file: StoredFile) => void;
}

export interface StoredFile {
  readonly fileId: string;
  readonly fileBytes: number;
  /**
   * The whole file. Views of the requests' frames: valid only until the call returns, unless frames are never reused.
   */
  readonly slices: readonly Uint8Array[];
}

/** Weight of a new upload in the moving average. */
const newUploadPart = 1 / 8;

/** Stores closed files. */
export class FileUploads {
  readonly #options: UploadOptions;
  readonly #metrics: WriteMetrics;
  readonly #dead: DeadFiles;
  readonly #hedged: HedgedUploads | undefined;
  #running = 0;
  #averageMs = 0;
  /** Uploads that fail in a row, such as into a bucket on a full disk: each of their lines would say the same. */
  readonly #outage: Outage;

  constructor(options: UploadOptions, writeMetrics: WriteMetrics) {
    this.#options = options;
    this.#metrics = writeMetrics;
    const { store, clock, log, metrics } = options;
    this.#outage = new Outage(clock);
    const { deadDeleted: deleted, deadLeft: left } = writeMetrics;
    this.#dead = new DeadFiles({ store, clock, log, deleted, left });
    const onDead = (key: string) => this.#dead.add(key);
    if (options.hedgesUploads === true) this.#hedged = new HedgedUploads({ store, clock, metrics, onDead });
  }

  get running(): number {
    return this.#running;
  }

  /** Moving average of the time that an upload takes, 0 if unknown. */
  get averageMs(): number {
    return this.#averageMs;
  }

  /** Whether files that are closed now are stored by their commits. */
  get areCommits(): boolean {
    const { bucket, commitsContent } = this.#options;
    return commitsContent?.(bucket?.() ?? 0) === true;
  }

  /** Builds a closed file whose commit stores it. `onEnd` is called in the moment in which it can be committed. */
  prepare(file: DataFile, onEnd: (file: DataFile) => void): void {
    const { clusterId, bucket, log, health, onStored } = this.#options;
    try {
      const fileId = this.#newFileId(bucket?.());
      const { slices, fileBytes, placed } = buildLogFile({ clusterId, fileId, batches: file.batches() });
      file.place(fileId, fileBytes, placed);
      file.content = { key: logFileKey(clusterId, fileId), slices };
      const watched = health?.began(file.bytes);
      file.onLeft = () => (file.state === 'committed' ? watched?.succeeded() : watched?.abandoned());
      file.state = 'stored';
      // No reader looks for it before it is committed.
      onStored?.({ fileId, fileBytes, slices });
    } catch (error) {
      if (file.state !== 'stored') file.state = 'failed';
      log.error('failed to prepare file for its commit', { error: String(error) });
    }
    if (file.state === 'stored') this.#count(file);
    onEnd(file);
  }

  /** Uploads a closed file. `onEnd` is called in the moment in which its state becomes `stored` or `failed`. */
  async upload(file: DataFile, onEnd: (file: DataFile) => void): Promise<void> {
    this.#running++;
    const { clusterId, bucket, log, health, onStored } = this.#options;
    const watched = health?.began(file.bytes);
    file.sequence = this.#options.sequences?.begin();
    try {
      const fileId = this.#newFileId(bucket?.(), file.sequence?.sequenceId);
      const { slices, fileBytes, placed } = buildLogFile({ clusterId, fileId, batches: file.batches() });
      file.place(fileId, fileBytes, placed);
      const stored = await this.#put(file, slices);
      file.state = 'stored';
      watched?.succeeded();
      const outage = this.#outage.ended();
      if (outage !== undefined) log.info('recovered uploads of files', outage);
      onStored?.({ fileId: file.fileId, fileBytes, slices: stored });
    } catch (error) {
      if (file.state === 'stored') {
        log.error('failed to add uploaded file to page cache', { error: String(error) });
      } else {
        file.state = 'failed';
        const isWanted = !file.abandoned.signal.aborted;
        if (isWanted) {
          // Without the key, which is another one for every file.
          const failure = this.#outage.failed(error instanceof StoreError ? error.problem : error);
          if (failure !== undefined) log.error('failed to upload file', { fileId: file.fileId, ...failure });
          watched?.failed(error);
        } else {
          watched?.abandoned();
        }
      }
    }
    this.#running--;
    if (file.state === 'stored') this.#count(file);
    onEnd(file);
  }

  #newFileId(bucket: number | undefined, sequence?: string): string {
    const { clock, random, usesFileIdRanges: usesRanges } = this.#options;
    return newFileId(clock.nowMs(), random, bucket, { usesRanges, sequence });
  }

  #count(file: DataFile): void {
    file.storedMs = this.#options.clock.monotonicMs();
    const tookMs = file.storedMs - file.closedMs;
    this.#averageMs += (tookMs - this.#averageMs) * (this.#averageMs === 0 ? 1 : newUploadPart);
    this.#metrics.fillSeconds.observe((file.closedMs - file.openedMs) / 1000);
    this.#metrics.uploadSeconds.observe(tookMs / 1000);
  }

  /** Stores the file, and returns the slices that were stored under its final id. */
  async #put(file: DataFile, slices: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const { clusterId, store } = this.#options;
    const { fileId } = file;
    const { signal } = file.abandoned;
    const first = { key: logFileKey(clusterId, fileId), content: slices };
    if (this.#hedged === undefined) {
      // A job lists the files of a sequence: it must not find a part of one whose agent was killed while it wrote.
      await store.put(first.key, slices, { signal, isNewKey: file.sequence === undefined });
      return slices;
    }
    // Any of them may be the one that is stored first, whichever began last.
    const idOf = new Map([[first.key, fileId]]);
    const another = () => {
      const otherId = this.#newFileId(fileIdBucket(fileId));
      const key = logFileKey(clusterId, otherId);
      idOf.set(key, otherId);
      return { key, content: withFileId(slices, clusterId, otherId) };
    };
    const stored = await this.#hedged.put(first, another, { signal, isUrgent: file.isUrgent });
    // From here on the id never changes: a commit that is repeated must name the same file.
    file.fileId = idOf.get(stored.key)!;
    return stored.content;
  }

  /** Gives up the deletion of files that no commit will name. */
  abandon(): void {
    this.#dead.abandon();
  }
}
