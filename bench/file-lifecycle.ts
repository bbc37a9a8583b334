import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GiB, KiB, MiB, seededRandom, systemClock } from '@weir/core';
import type { CompactionCommit, CompactionJob, FileCommit } from '../packages/cluster/src/index.ts';
import { jobLimits } from '../packages/jobs/src/limits.ts';
import { ClusterMachine } from '../packages/machine/src/machine.ts';
import { defaultLimits } from '../packages/machine/src/machine-limits.ts';
import { metadataLimits } from '../packages/metadata/src/limits.ts';
import { newFileId } from '../packages/storage/src/index.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  /** Partitions of a merge; all of them lie in all files. */
  readonly mergedPartitions: number;
  readonly merges: number;
  readonly pointers: number;
  readonly queries: number;
  readonly deadFiles: number;
}

const full: Scale = {
  mergedPartitions: 10_000,
  merges: 16,
  pointers: 10_000_000,
  queries: 50_000,
  deadFiles: 1_000_000,
};
/** Smoke test. */
const tiny: Scale = { mergedPartitions: 2_000, merges: 2, pointers: 20_000, queries: 100, deadFiles: 2_000 };

const partitionsPerTopic = 1_000;
const filesPerMerge = 6;
const hourMs = 3_600_000;
const random = seededRandom(1);

/**
 * What files cost the leader from their commit to their end: pointers to them, merges of wide files, and deletion. The
 * machine alone, in CPU time of this thread, without journal and sockets.
 */
export const fileLifecycle: Benchmark = {
  name: 'file-lifecycle',
  async run(effort: Effort) {
    const scale = effort.turns > 1 ? full : tiny;
    // The ids of a process only grow, and merges need those of later hours, so that they come last.
    return [...pointerRows(scale), ...deletionRows(scale), ...mergeRows(scale)];
  },
};

/** Merges of files in which every partition has a batch, committed in parts as agents do. */
function mergeRows({ mergedPartitions, merges }: Scale): Row[] {
  const machine = newMachine(mergedPartitions);
  const partsMs: number[] = [];
  const stepsMs: number[] = [];
  const wholeMs: number[] = [];
  let entryBytes = 0;
  let nowMs = systemClock.nowMs();
  for (let merge = 0; merge < merges; merge++) {
    for (let file = 0; file < filesPerMerge; file++) commitWide(machine, mergedPartitions, nowMs + file);
    nowMs += hourMs;
    // Half of the merges only warm up.
    const isMeasured = merge >= merges / 2;
    const [job] = steps(machine.planCompaction(nowMs, new Set()), isMeasured ? stepsMs : []);
    if (job === undefined) throw new Error('nothing was planned');
    let sumMs = 0;
    entryBytes = 0;
    for (const commit of partsOf(job)) {
      const startMs = threadCpuMs();
      const { reply, entry } = machine.execute({ kind: 'replaceRanges', commit }, nowMs);
      const tookMs = threadCpuMs() - startMs;
      if (reply.outcome !== 'done') throw new Error(`a part was ${reply.outcome}`);
      if (isMeasured) partsMs.push(tookMs);
      sumMs += tookMs;
      entryBytes += entry?.length ?? 0;
    }
    if (isMeasured) wholeMs.push(sumMs);
  }
  const size = `merge of ${mergedPartitions} partitions in ${filesPerMerge} files`;
  return [
    {
      what: `${size}: longest part of its commit, p99, in CPU time`,
      result: round(percentile(partsMs, 0.99)),
      unit: 'ms',
      bar: atMost(10),
      detail: `median ${round(percentile(partsMs, 0.5))} ms; all parts together ${round(percentile(wholeMs, 0.5))} ms and ${Math.round(entryBytes / KiB)} KiB of journal`,
    },
    {
      what: `${size}: longest step of the plan, in CPU time`,
      result: round(Math.max(...stepsMs)),
      unit: 'ms',
      bar: atMost(10),
      detail: `${stepsMs.length} steps, median ${round(percentile(stepsMs, 0.5))} ms`,
    },
  ];
}

function pointerRows({ pointers, queries }: Scale): Row[] {
  const topics = Math.max(1, Math.round(pointers / 100 / partitionsPerTopic));
  const before = usedBytes();
  const machine = newMachine(topics * partitionsPerTopic);
  const empty = usedBytes();
  const perTopic = pointers / topics / partitionsPerTopic;
  const nowMs = systemClock.nowMs();
  for (let topic = 0; topic < topics; topic++) {
    for (let file = 0; file < perTopic; file++) {
      const commit = commitOf(nowMs, [topic], partitionsPerTopic);
      machine.execute({ kind: 'commitFiles', files: [commit] }, nowMs);
    }
  }
  const used = usedBytes();
  const tookMs: number[] = [];
  for (let query = 0; query < queries; query++) {
    const topicId = `id-${Math.floor(random.next() * topics)}`;
    const partition = Math.floor(random.next() * partitionsPerTopic);
    const offset = Math.floor(random.next() * perTopic * recordsPerBatch);
    const startMs = systemClock.monotonicMs();
    machine.findBatches([{ topicId, partition, offset, bytesMax: MiB }]);
    tookMs.push(systemClock.monotonicMs() - startMs);
  }
  const size = `${pointers / 1e6} million pointers in ${topics * partitionsPerTopic} partitions`;
  return [
    {
      what: `${size}: memory of the cluster`,
      result: Math.round((used - before) / MiB),
      unit: 'MiB',
      bar: atMost(GiB / MiB),
      detail: `${round((used - empty) / pointers)} bytes for a pointer, with its share of files; partitions ${Math.round((empty - before) / MiB)} MiB`,
    },
    {
      what: `${size}: findBatches at any offset, p99`,
      result: round(percentile(tookMs, 0.99)),
      unit: 'ms',
      bar: atMost(5),
      detail: `median ${round(1000 * percentile(tookMs, 0.5))} µs, for 1 MiB each`,
    },
  ];
}

/** Files of one pointer each, whose records are deleted; then the files are listed and forgotten, as jobs do. */
function deletionRows({ deadFiles: count }: Scale): Row[] {
  const machine = newMachine(partitionsPerTopic);
  const perPartition = count / partitionsPerTopic;
  const emptyBytes = snapshotBytes(machine);
  let nowMs = systemClock.nowMs();
  for (let file = 0; file < count; file++) {
    const commit = commitOf(nowMs, [0], 1, file % partitionsPerTopic);
    machine.execute({ kind: 'commitFiles', files: [commit] }, nowMs);
  }
  const used = usedBytes();
  const referencedBytes = snapshotBytes(machine);
  const die = timed(() => {
    let bytes = 0;
    for (let partition = 0; partition < partitionsPerTopic; partition++) {
      const partitions = [{ topicId: 'id-0', partition, offset: perPartition * recordsPerBatch }];
      bytes += machine.execute({ kind: 'deleteRecords', partitions }, nowMs).entry?.length ?? 0;
    }
    return bytes;
  });
  const deadBytes = snapshotBytes(machine);
  const usedByDead = usedBytes();
  // The ids are too old to be committed by then, so that nothing is left of them.
  nowMs += 2 * hourMs;
  let batches = 0;
  let longestMs = 0;
  const end = timed(() => {
    let bytes = 0;
    for (;;) {
      const startMs = threadCpuMs();
      const limit = metadataLimits.deletedFilesPerJobMax;
      const dead = machine.deadFiles({ deadBeforeMs: nowMs, limit });
      if (dead.length === 0) return bytes;
      const fileIds = dead.map(({ fileId }) => fileId);
      bytes += machine.execute({ kind: 'forgetDeadFiles', fileIds }, nowMs).entry?.length ?? 0;
      longestMs = Math.max(longestMs, threadCpuMs() - startMs);
      batches++;
    }
  });
  const leftBytes = snapshotBytes(machine);
  const of = (value: number) => round(value / count);
  return [
    {
      what: `${count} files that die: CPU of the leader for a file`,
      result: round((1000 * die.ms) / count),
      unit: 'µs',
      detail: `journal ${of(die.result)} bytes; a file has ${of(referencedBytes - emptyBytes)} bytes in a snapshot with its pointer, ${of(deadBytes - emptyBytes)} dead; memory ${Math.round((usedByDead - used) / MiB)} MiB more than before`,
    },
    {
      what: `${count} dead files that are listed and forgotten: CPU of the leader for a file`,
      result: round((1000 * end.ms) / count),
      unit: 'µs',
      detail: `${batches} batches, the longest ${round(longestMs)} ms; journal ${of(end.result)} bytes; ${of(leftBytes - emptyBytes)} bytes in a snapshot afterwards`,
    },
  ];
}

const recordsPerBatch = 10;
const batchBytes = 1_000;

function newMachine(partitions: number): ClusterMachine {
  const machine = ClusterMachine.empty('vci_bench', { ...defaultLimits, recentFilesMax: 1_000 });
  for (let topic = 0; topic * partitionsPerTopic < partitions; topic++) {
    const topics = [{ name: `topic-${topic}`, partitionCount: partitionsPerTopic, configs: {} }];
    machine.execute({ kind: 'createTopics', topics, topicIds: [`id-${topic}`], validateOnly: false }, 0);
  }
  return machine;
}

function commitWide(machine: ClusterMachine, partitions: number, nowMs: number): void {
  const topics = Array.from({ length: partitions / partitionsPerTopic }, (_, topic) => topic);
  const files = [commitOf(nowMs, topics, partitionsPerTopic)];
  machine.execute({ kind: 'commitFiles', files }, nowMs);
}

/** A file with a batch for each of some partitions of each topic. */
function commitOf(nowMs: number, topics: readonly number[], partitions: number, first = 0): FileCommit {
  const count = topics.length * partitions;
  const rows = Array.from({ length: count }, (_, row) => row);
  return {
    fileId: newFileId(nowMs, random),
    fileBytes: count * batchBytes,
    topicIds: topics.map((topic) => `id-${topic}`),
    topic: Uint32Array.from(rows, (row) => Math.floor(row / partitions)),
    partition: Uint32Array.from(rows, (row) => first + (row % partitions)),
    byteStart: Uint32Array.from(rows, (row) => row * batchBytes),
    byteLength: new Uint32Array(count).fill(batchBytes),
    recordCount: new Uint32Array(count).fill(recordsPerBatch),
    maxTimestampMs: new Float64Array(count).fill(nowMs),
    producerId: new Float64Array(count).fill(-1),
    producerEpoch: new Int16Array(count).fill(-1),
    baseSequence: new Int32Array(count).fill(-1),
  };
}

/** The commits of a merge into one file, with one pointer for each range. */
function* partsOf({
  plannedMs,
  level,
  inputs,
  topicIds,
  ranges,
}: CompactionJob): Generator<CompactionCommit> {
  const { compactionRangesPerCommitMax: perPart } = jobLimits;
  const { length } = ranges.topic;
  const rangeBytes = filesPerMerge * batchBytes;
  const file = {
    fileId: newFileId(plannedMs, random).replace(/^(.{12})./, `$1${level}`),
    fileBytes: length * rangeBytes,
  };
  for (let first = 0; first < length; first += perPart) {
    const end = Math.min(length, first + perPart);
    const count = end - first;
    yield {
      plannedMs,
      inputFileIds: inputs.map(({ fileId }) => fileId),
      outputs: [first === 0 ? file : { ...file, isContinued: true }],
      topicIds,
      ranges: {
        topic: ranges.topic.slice(first, end),
        partition: ranges.partition.slice(first, end),
        fromOffset: ranges.fromOffset.slice(first, end),
        toOffset: ranges.toOffset.slice(first, end),
        pointerCount: new Uint32Array(count).fill(1),
      },
      pointers: {
        file: new Uint32Array(count),
        byteStart: Uint32Array.from({ length: count }, (_, row) => (first + row) * rangeBytes),
        byteLength: new Uint32Array(count).fill(rangeBytes),
        baseOffset: ranges.fromOffset.slice(first, end),
        maxTimestampMs: new Float64Array(count).fill(plannedMs),
      },
    };
  }
}

function steps<Result>(work: Generator<void, Result>, tookMs: number[]): Result {
  for (;;) {
    const startMs = threadCpuMs();
    const { done, value } = work.next();
    tookMs.push(threadCpuMs() - startMs);
    if (done === true) return value;
  }
}

function timed<Result>(work: () => Result): { readonly ms: number; readonly result: Result } {
  const startMs = threadCpuMs();
  const result = work();
  return { ms: threadCpuMs() - startMs, result };
}

function snapshotBytes(machine: ClusterMachine): number {
  return machine.save().reduce((sum, { length }) => sum + length, 0);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory that is in use: the heap and buffers. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** CPU time of this thread, independent of the load of the machine. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
