import { type CopiedFile, type CopiedFileResult, copiedRowKinds, copyErrors } from '@weir/cluster';
import { type Clock, type Log, MiB, Outage, type Random } from '@weir/core';
import { buildCopiedFile, compactedFileId, logFileKey, type ObjectStore } from '@weir/storage';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { brokerLimits } from '../limits.ts';
import type { CopiedPart, CopyOutcome } from './copied-part.ts';
import { producerRows } from './producer-rows.ts';

interface CopyPathOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly cluster: Pick<ClusterView, 'port'>;
  /** The number of the bucket for new files; the first one if absent. */
  readonly bucket?: (() => number) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface CopyPath {
  /**
   * Writes copied batches and appends them with their offsets. Never rejects. Parts of one partition may be under way
   * one after another; they are appended in the order of the calls. The bytes are in use until the promise settles.
   */
  append(part: CopiedPart): Promise<CopyOutcome>;
  /** Resolves when nothing is under way. */
  drain(): Promise<void>;
}

/** Larger files make fewer requests and pointers, and cost memory. */
const fileBytes = 16 * MiB;
/** How long a part waits for others. */
const windowMs = 100;
const uploadsMax = 8;
/** Of all parts that are not appended yet. One part may be larger. */
const heldBytesMax = 128 * MiB;
/** Copies are made into files of this level: batches of level 0 have no offsets. */
const fileLevel = 1;
const fileCountMax = 2 ** 16;

interface Waiting {
  readonly part: CopiedPart;
  readonly settle: (outcome: CopyOutcome) => void;
}

interface OpenFile {
  readonly pipelineId: string;
  readonly parts: Waiting[];
  bytes: number;
  batchCount: number;
  cancelTimer: () => void;
}

/**
 * Makes copies of the batches of another cluster durable: parts of many partitions gather in one file, files are
 * uploaded beside each other, and appended in the order in which they were closed. Batches are neither decoded nor
 * copied in memory.
 */
export function createCopyPath(options: CopyPathOptions): CopyPath {
  return new FileCopyPath(options);
}

class FileCopyPath implements CopyPath {
  readonly #options: CopyPathOptions;
  /** By pipeline: a file is appended for one. */
  readonly #open = new Map<string, OpenFile>();
  /** Parts without room, in order. */
  readonly #waiting: Waiting[] = [];
  readonly #outage: Outage;
  #heldBytes = 0;
  #uploads = 0;
  #fileCount = 0;
  /** The commit of the file that was closed last. */
  #committed: Promise<void> = Promise.resolve();
  readonly #whenDrained: (() => void)[] = [];

  constructor(options: CopyPathOptions) {
    this.#options = options;
    this.#outage = new Outage(options.clock);
  }

  append(part: CopiedPart): Promise<CopyOutcome> {
    const { batches, byteLength, expectedOffset, nextOffset } = part;
    if (batches.length === 0) return Promise.resolve({ error: 'NONE', nextOffset: expectedOffset });
    if (
      batches.length > brokerLimits.copiedPartBatchesMax ||
      byteLength > brokerLimits.appendedCopyBytesMax
    ) {
      const message = `a part has ${batches.length} batches and ${byteLength} bytes`;
      return Promise.resolve({ error: 'UNAVAILABLE', nextOffset: -1, message });
    }
    if (nextOffset <= expectedOffset)
      throw new RangeError(`a part is from ${expectedOffset} to ${nextOffset}`);
    return new Promise((settle) => {
      this.#waiting.push({ part, settle });
      this.#pump();
    });
  }

  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenDrained.push(resolve);
      this.#pump();
    });
  }

  #pump(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const hasRoom = this.#heldBytes === 0 || this.#heldBytes + next.part.byteLength <= heldBytesMax;
      if (!hasRoom) break;
      this.#waiting.shift();
      this.#add(next);
    }
    if (this.#whenDrained.length > 0 || this.#waiting.length > 0)
      for (const file of [...this.#open.values()]) this.#close(file);
    if (this.#heldBytes === 0 && this.#waiting.length === 0)
      for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  #add(waiting: Waiting): void {
    const { pipelineId, byteLength, batches } = waiting.part;
    let file = this.#open.get(pipelineId);
    if (file === undefined) {
      const opened: OpenFile = { pipelineId, parts: [], bytes: 0, batchCount: 0, cancelTimer: () => {} };
      opened.cancelTimer = this.#options.clock.after(windowMs, () => this.#close(opened));
      this.#open.set(pipelineId, opened);
      file = opened;
    }
    this.#heldBytes += byteLength;
    file.parts.push(waiting);
    file.bytes += byteLength;
    file.batchCount += batches.length;
    if (file.bytes >= fileBytes || file.batchCount >= brokerLimits.copiedPartBatchesMax) this.#close(file);
  }

  /** Beyond the limit of uploads a file stays open and takes more parts, which have room as long as memory lasts. */
  #close(file: OpenFile): void {
    if (this.#open.get(file.pipelineId) !== file || this.#uploads >= uploadsMax) return;
    file.cancelTimer();
    this.#open.delete(file.pipelineId);
    this.#uploads++;
    const stored = this.#store(file);
    const before = this.#committed;
    this.#committed = this.#finish(file, stored, before);
  }

  async #store({ pipelineId, parts }: OpenFile): Promise<CopiedFile | Error> {
    const { clusterId, store, bucket, clock, random, log } = this.#options;
    try {
      this.#fileCount = (this.#fileCount + 1) % fileCountMax;
      const nowMs = Math.floor(clock.nowMs());
      const fileId = compactedFileId(fileLevel, nowMs, this.#fileCount, random, bucket?.());
      const built = buildCopiedFile({
        clusterId,
        fileId,
        parts: parts.map(({ part }) => ({
          ...part,
          batchCount: part.batches.length,
          recordCount: part.batches.reduce((sum, { recordCount }) => sum + recordCount, 0),
        })),
      });
      await store.put(logFileKey(clusterId, fileId), built.slices, { isNewKey: true });
      const outage = this.#outage.ended();
      if (outage !== undefined) log.info('recovered uploads of copies', outage);
      const ordered = Array.from(built.order, (index) => parts[index]!.part);
      return copiedFile(pipelineId, fileId, built.fileBytes, ordered, built.byteStart);
    } catch (error) {
      const failure = this.#outage.failed(error);
      if (failure !== undefined) log.error('failed to upload copies', failure);
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#uploads--;
    }
  }

  async #finish(file: OpenFile, stored: Promise<CopiedFile | Error>, before: Promise<void>): Promise<void> {
    const written = await stored;
    // A file may have become full while too many were uploaded.
    this.#closeFull();
    await before;
    const outcomes = written instanceof Error ? failed(file, written) : await this.#commit(file, written);
    this.#heldBytes -= file.bytes;
    for (const [index, { settle }] of file.parts.entries()) settle(outcomes[index]!);
    this.#pump();
  }

  #closeFull(): void {
    const nowFull = [...this.#open.values()].filter(
      ({ bytes, batchCount }) => bytes >= fileBytes || batchCount >= brokerLimits.copiedPartBatchesMax,
    );
    for (const file of nowFull.length > 0 ? nowFull : this.#open.values()) this.#close(file);
  }

  async #commit(file: OpenFile, copied: CopiedFile): Promise<CopyOutcome[]> {
    let result: CopiedFileResult;
    try {
      result = await this.#options.cluster.port.appendCopied(copied);
    } catch (error) {
      return failed(file, error as Error);
    }
    // Results are in the order of the file.
    const { topicIds, ranges } = copied;
    const rowOf = new Map<string, number>();
    for (let row = 0; row < ranges.topic.length; row++)
      rowOf.set(
        `${topicIds[ranges.topic[row]!]} ${ranges.partition[row]} ${ranges.expectedOffset[row]}`,
        row,
      );
    return file.parts.map(({ part: { topicId, partition, expectedOffset } }): CopyOutcome => {
      const row = rowOf.get(`${topicId} ${partition} ${expectedOffset}`)!;
      const nextOffset = result.nextOffset[row]!;
      const error = copyErrors[result.error[row]!] ?? 'KAFKA_STORAGE_ERROR';
      if (error === 'NONE') return { error, nextOffset };
      return { error, nextOffset, message: `the batches from offset ${expectedOffset} on: ${error}` };
    });
  }
}

function failed({ parts }: OpenFile, error: Error): CopyOutcome[] {
  return parts.map(() => ({ error: 'UNAVAILABLE', nextOffset: -1, message: error.message }));
}

function copiedFile(
  pipelineId: string,
  fileId: string,
  bytes: number,
  parts: readonly CopiedPart[],
  byteStart: Uint32Array,
): CopiedFile {
  const topicIds = [...new Set(parts.map(({ topicId }) => topicId))];
  const rowsOfParts = parts.map(({ batches }) => producerRows(batches));
  const rows = rowsOfParts.flat();
  return {
    pipelineId,
    fileId,
    fileBytes: bytes,
    topicIds,
    ranges: {
      topic: Uint32Array.from(parts, ({ topicId }) => topicIds.indexOf(topicId)),
      partition: Uint32Array.from(parts, ({ partition }) => partition),
      byteStart,
      byteLength: Uint32Array.from(parts, ({ byteLength }) => byteLength),
      expectedOffset: Float64Array.from(parts, ({ expectedOffset }) => expectedOffset),
      nextOffset: Float64Array.from(parts, ({ nextOffset }) => nextOffset),
      maxTimestampMs: Float64Array.from(parts, ({ batches }) => latestOf(batches)),
      batchCount: Uint32Array.from(rowsOfParts, ({ length }) => length),
    },
    batches: {
      kind: Uint8Array.from(rows, ({ kind }) => copiedRowKinds.indexOf(kind)),
      baseOffset: Float64Array.from(rows, ({ baseOffset }) => baseOffset),
      nextOffset: Float64Array.from(rows, ({ nextOffset }) => nextOffset),
      producerId: Float64Array.from(rows, ({ producerId }) => producerId),
      producerEpoch: Int16Array.from(rows, ({ producerEpoch }) => producerEpoch),
      baseSequence: Int32Array.from(rows, ({ baseSequence }) => baseSequence),
    },
  };
}

/** Of records: a marker is none, and a batch without records has a time. */
function latestOf(batches: CopiedPart['batches']): number {
  let latest = -1;
  for (const { kind, maxTimestampMs } of batches) {
    const isRecord = kind === 'plain' || kind === 'transactional';
    if (isRecord && maxTimestampMs > latest) latest = maxTimestampMs;
  }
  return latest;
}
