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
  logFileKey,
  type ObjectStore,
  readLogFile,
  readSectionBatches,
  sequenceEndKey,
  sequencePlace,
} from '@weir/storage';
import { RecordBatchView } from '@weir/wire';
import type { JobKind } from './job-kind.ts';
import { jobLimits } from './limits.ts';
import type { SearchedBucket } from './searched-buckets.ts';

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

interface StoredFile {
  readonly fileId: string;
  readonly store: ObjectStore;
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
  return {
    kind: sequenceReplayKind,
    // Taken also by agents that only compact; see `jobService`.
    category: 'deadscanner',
    async run(bytes, { signal, progress }) {
      const task = readReplayTask(bytes);
      await checkOwner(signal);
      if (task.hasBucketLease === true) await endLeases(options, task, signal);
      const files = await listFiles(options, task, signal);
      const total = { files: 0, batches: 0, refused: 0 };
      let done = 0;
      for (let from = 0; from < files.length; from += jobLimits.replayedFilesPerCallMax) {
        const part = files.slice(from, from + jobLimits.replayedFilesPerCallMax);
        const unknown = new Set(await port.unknownFiles(part.map(({ fileId }) => fileId)));
        let waiting: FileCommit[] = [];
        let batches = 0;
        const commit = async () => {
          if (waiting.length === 0) return;
          signal.throwIfAborted();
          count(waiting, await port.commitFiles(waiting), total);
          replayed.add(waiting.length);
          waiting = [];
          batches = 0;
        };
        const left = part.filter(({ fileId }) => unknown.has(fileId));
        done += part.length - left.length;
        for await (const read of inOrder(left, (file) => readFileCommit(options.clusterId, file, signal))) {
          signal.throwIfAborted();
          done++;
          if (batches + read.topic.length > jobLimits.replayedBatchesPerCallMax) await commit();
          waiting.push(read);
          batches += read.topic.length;
          progress(done, files.length);
        }
        await commit();
      }
      await port.closeFileSequences([task.sequenceId]);
      const left =
        total.refused === 0 ? '' : `; ${total.refused} batches of topics that are gone were left out`;
      return `committed ${total.files} of ${files.length} files with ${total.batches} batches${left}`;
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

/** Reads several files at a time, and returns them in their order. */
async function* inOrder<From, To>(
  from: readonly From[],
  read: (one: From) => Promise<To>,
): AsyncGenerator<To> {
  const reading: Promise<To>[] = [];
  try {
    for (const one of from) {
      if (reading.length === jobLimits.replayedFilesReadMax) yield await reading.shift()!;
      reading.push(read(one));
    }
    while (reading.length > 0) yield await reading.shift()!;
  } finally {
    await Promise.allSettled(reading);
  }
}

/**
 * All files of the sequence in the buckets of the cluster, and in further ones, where a bucket that was taken out may
 * still have some; in order. A bucket that cannot be read fails the job.
 */
async function listFiles(
  { clusterId, buckets }: SequenceReplayOptions,
  { sequenceId, fromMs }: ReplayTask,
  signal: AbortSignal,
): Promise<readonly StoredFile[]> {
  const files = new Map<string, StoredFile>();
  const searched = buckets();
  const numbers = new Set(searched.map(({ number }) => number));
  const { prefix, startAfter } = sequencePlace(clusterId, sequenceId, fromMs);
  for (const { number, open } of searched) {
    const store = await open();
    for await (const page of store.list(prefix, { startAfter, signal })) {
      for (const { key } of page) {
        const fileId = key.slice(prefix.length);
        if (!isFileId(fileId) || fileIdSequence(fileId) !== sequenceId) continue;
        const fileBucket = fileIdBucket(fileId);
        const isHere = number === undefined ? numbers.has(fileBucket) : fileBucket === number;
        if (fileIdLevel(fileId) === 0 && isHere && !files.has(fileId)) files.set(fileId, { fileId, store });
      }
    }
  }
  return [...files.values()].sort((one, other) => (one.fileId < other.fileId ? -1 : 1));
}

/** What the agent would have committed, out of the file itself. Sizes before compression are not in it. */
async function readFileCommit(
  clusterId: string,
  { fileId, store }: StoredFile,
  signal: AbortSignal,
): Promise<FileCommit> {
  const key = logFileKey(clusterId, fileId);
  const { fileBytes, sections } = await readLogFile(store, key, { signal });
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
    for await (const { byteStart, bytes } of readSectionBatches(store, key, section, { signal })) {
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
