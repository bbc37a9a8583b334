import { lightningRows } from '@weir/broker';
import {
  type ClusterPort,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type ReplayTask,
  readReplayTask,
  ripcordEndMs,
  sequenceReplayKind,
} from '@weir/cluster';
import {
  type Clock,
  fileIdBucket,
  fileIdLevel,
  fileIdSequence,
  type Metrics,
  pauseUnlessStopped,
} from '@weir/core';
import {
  isFileId,
  LogFileError,
  logFileKey,
  type ObjectStore,
  openLogFile,
  readSectionBatches,
  sequenceEndKey,
  sequencePlace,
} from '@weir/storage';
import { RecordBatchView } from '@weir/wire';
import type { JobKind } from './job-kind.ts';
import { jobLimits } from './limits.ts';
import { ReadSlots, readAhead } from './read-ahead.ts';
import type { SearchedBucket } from './searched-buckets.ts';
import { type ListedFile, SequenceFiles, SequenceFilesInBucket } from './sequence-files.ts';

interface SequenceReplayOptions {
  readonly clusterId: string;
  readonly port: Pick<ClusterPort, 'unknownFiles' | 'commitFiles' | 'closeFileSequences'>;
  /** The buckets of the cluster. */
  readonly buckets: () => readonly SearchedBucket[];
  /** Rejects if the bucket belongs to another database by now. */
  readonly checkOwner: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/**
 * Commits the files of a sequence whose agent is gone (ADR 0202), in the order in which the agent closed them, and
 * closes the sequence. The leader has ended it long after the agent could last acknowledge in it, so that the buckets
 * have all files by now whose records were acknowledged.
 *
 * With ripcord the bucket gave leases, too (ADR 0231). Then the job ends them first, by an object that the agent looks
 * for, and waits until the last of them is over.
 *
 * Files that the cluster knows are passed over: the agent, or an earlier attempt, committed them. So the job may run
 * any number of times, and beside the agent. A file that was stored and never acknowledged is committed too; for its
 * client the outcome is unknown.
 */
export function sequenceReplay(options: SequenceReplayOptions): JobKind {
  const { port, metrics, checkOwner } = options;
  const replayed = metrics.series(lightningRows.replayed, { live: 'false' });
  // Of all jobs of this agent.
  const slots = new ReadSlots({
    readsMax: jobLimits.replayedFilesReadMax,
    bytesMax: jobLimits.replayedReadBytesMax,
  });
  return {
    kind: sequenceReplayKind,
    // Taken also by agents that only compact; see `jobService`.
    category: 'deadscanner',
    async run(bytes, { signal, progress }) {
      const task = readReplayTask(bytes);
      await checkOwner(signal);
      if (task.hasBucketLease === true) await endLeases(options, task, signal);
      const { files, stores } = await listFiles(options, task, signal);
      const total = { files: 0, batches: 0, refused: 0 };
      let done = 0;
      const unknown = unknownFiles(port, files, (known) => {
        done += known;
      });
      const reads = readAhead(
        unknown,
        (file, given) =>
          readFileCommit(options.clusterId, stores[file.bucket]!, file, { slots, signal: given }),
        {
          aheadMax: jobLimits.replayedFilesAheadMax,
          aheadBytesMax: jobLimits.replayedAheadBytesMax,
          bytesOf: (file) => file.bytes,
          signal,
        },
      );
      let waiting: FileCommit[] = [];
      let batches = 0;
      // One at a time, so that files are committed in their order; the next ones are read meanwhile.
      let committing = Promise.resolve();
      const commit = async () => {
        await committing;
        if (waiting.length === 0) return;
        signal.throwIfAborted();
        committing = commitAll(port, waiting, total).then((committed) => replayed.add(committed));
        // Its failure is thrown where it is awaited.
        committing.catch(() => {});
        waiting = [];
        batches = 0;
      };
      try {
        for await (const read of reads) {
          signal.throwIfAborted();
          done++;
          const isFull =
            waiting.length === jobLimits.replayedFilesPerCallMax ||
            batches + read.topic.length > jobLimits.replayedBatchesPerCallMax;
          if (isFull) await commit();
          waiting.push(read);
          batches += read.topic.length;
          progress(done, files.count);
        }
        await commit();
        await committing;
      } finally {
        await Promise.allSettled([committing]);
      }
      // No job looks for files of a closed sequence.
      if (done !== files.count) throw new Error(`looked at ${done} of ${files.count} files`);
      await port.closeFileSequences([task.sequenceId]);
      const left =
        total.refused === 0 ? '' : `; ${total.refused} batches of topics that are gone were left out`;
      return `committed ${total.files} of ${files.count} files with ${total.batches} batches${left}`;
    },
  };
}

/** From here on no agent acknowledges in the sequence. */
async function endLeases(
  { clusterId, buckets, clock }: SequenceReplayOptions,
  { sequenceId }: ReplayTask,
  signal: AbortSignal,
): Promise<void> {
  const first = buckets().find(({ number }) => number === 0);
  if (first === undefined) throw new Error('the first bucket of the cluster is not known');
  const store = await first.open();
  await store.put(sequenceEndKey(clusterId, sequenceId), [Buffer.from(sequenceId)], { signal });
  await pauseUnlessStopped(clock, ripcordEndMs, signal);
  signal.throwIfAborted();
}

/**
 * The files that the cluster does not know, in their order. Asks about the next ones while these are read: an answer
 * that is old by then does no harm, as a file is committed once.
 */
async function* unknownFiles(
  port: SequenceReplayOptions['port'],
  files: SequenceFiles,
  onKnown: (count: number) => void,
): AsyncGenerator<ListedFile> {
  const rest = files[Symbol.iterator]();
  const ask = () => {
    const part: ListedFile[] = [];
    while (part.length < jobLimits.replayedFilesPerCallMax) {
      const { done, value } = rest.next();
      if (done === true) break;
      part.push(value);
    }
    const answer =
      part.length === 0 ? Promise.resolve([]) : port.unknownFiles(part.map(({ fileId }) => fileId));
    answer.catch(() => {});
    return { part, answer };
  };
  for (let asked = ask(); asked.part.length > 0; ) {
    const { part, answer } = asked;
    const unknown = new Set(await answer);
    asked = ask();
    const left = part.filter(({ fileId }) => unknown.has(fileId));
    onKnown(part.length - left.length);
    yield* left;
  }
}

/**
 * All files of the sequence in the buckets of the cluster, and in further ones, where a bucket that was taken out may
 * still have some. A bucket that cannot be read fails the job.
 */
async function listFiles(
  { clusterId, buckets }: SequenceReplayOptions,
  { sequenceId, fromMs }: ReplayTask,
  signal: AbortSignal,
): Promise<{ readonly files: SequenceFiles; readonly stores: readonly ObjectStore[] }> {
  const stores: ObjectStore[] = [];
  const found: SequenceFilesInBucket[] = [];
  const searched = buckets();
  const numbers = new Set(searched.map(({ number }) => number));
  const { prefix, startAfter } = sequencePlace(clusterId, sequenceId, fromMs);
  for (const { number, open } of searched) {
    const store = await open();
    const files = new SequenceFilesInBucket();
    for await (const page of store.list(prefix, { startAfter, signal })) {
      for (const { key, bytes } of page) {
        const fileId = key.slice(prefix.length);
        if (!isFileId(fileId) || fileIdSequence(fileId) !== sequenceId) continue;
        const fileBucket = fileIdBucket(fileId);
        const isHere = number === undefined ? numbers.has(fileBucket) : fileBucket === number;
        if (fileIdLevel(fileId) === 0 && isHere) files.add(fileId, bytes);
      }
    }
    stores.push(store);
    found.push(files);
  }
  return { files: new SequenceFiles(sequenceId, found), stores };
}

interface ReadOptions {
  readonly slots: ReadSlots;
  readonly signal: AbortSignal;
}

/** Reads a file when there is room for it. */
function readFileCommit(
  clusterId: string,
  store: ObjectStore,
  file: ListedFile,
  { slots, signal }: ReadOptions,
): Promise<FileCommit> {
  return slots.run(Math.min(file.bytes, jobLimits.replayedFileBytesMax), async () => {
    signal.throwIfAborted();
    try {
      return await fileCommitOf(clusterId, store, file, signal);
    } catch (error) {
      if (!(error instanceof LogFileError)) throw error;
      // It fails again until an operator looks at this file.
      throw new Error(`${logFileKey(clusterId, file.fileId)}: ${error.message}`, { cause: error });
    }
  });
}

/** What the agent would have committed, out of the file itself. Sizes before compression are not in it. */
async function fileCommitOf(
  clusterId: string,
  store: ObjectStore,
  { fileId, bytes: listedBytes }: ListedFile,
  signal: AbortSignal,
): Promise<FileCommit> {
  const key = logFileKey(clusterId, fileId);
  const wholeBytesMax = jobLimits.replayedFileBytesMax;
  const { fileBytes, sections, source } = await openLogFile(store, key, {
    listedBytes,
    wholeBytesMax,
    signal,
  });
  const rows = sections.reduce((sum, { batchCount }) => sum + batchCount, 0);
  const topicIds: string[] = [];
  const columns = {
    topic: new Uint32Array(rows),
    partition: new Uint32Array(rows),
    byteStart: new Uint32Array(rows),
    byteLength: new Uint32Array(rows),
    recordCount: new Uint32Array(rows),
    maxTimestampMs: new Float64Array(rows),
    // Idempotent producers are refused.
    producerId: new Float64Array(rows).fill(-1),
    producerEpoch: new Int16Array(rows).fill(-1),
    baseSequence: new Int32Array(rows).fill(-1),
  };
  let row = 0;
  for (const section of sections) {
    let topic = topicIds.indexOf(section.topicId);
    if (topic === -1) topic = topicIds.push(section.topicId) - 1;
    for await (const { byteStart, bytes } of readSectionBatches(source, key, section, { signal })) {
      const batch = new RecordBatchView(bytes);
      columns.topic[row] = topic;
      columns.partition[row] = section.partition;
      columns.byteStart[row] = byteStart;
      columns.byteLength[row] = bytes.length;
      columns.recordCount[row] = batch.recordCount;
      columns.maxTimestampMs[row] = Number(batch.maxTimestamp);
      row++;
    }
  }
  if (row !== rows) throw new Error(`file ${fileId} has ${row} batches, and its footer says ${rows}`);
  return { fileId, fileBytes, topicIds, ...columns };
}

const gone = entryErrors.indexOf('KAFKA_STORAGE_ERROR');

/** Returns how many files were committed. */
async function commitAll(
  port: SequenceReplayOptions['port'],
  files: readonly FileCommit[],
  total: Parameters<typeof count>[2],
): Promise<number> {
  count(files, await port.commitFiles(files), total);
  return files.length;
}

function count(
  files: readonly FileCommit[],
  results: readonly FileCommitResult[],
  total: { files: number; batches: number; refused: number },
): void {
  total.files += files.length;
  for (const { error } of results) {
    for (const code of error) {
      if (code === 0) total.batches++;
      // Otherwise its agent was faster.
      else if (code !== gone) total.refused++;
    }
  }
}
