import { type CompactionJob, type Markers, noRangeFile } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { markerAt, markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { chooseGroups, type FileGroup } from './choose-groups.ts';

/**
 * Plans jobs that merge files, in steps between which the cluster may change: a commit checks what it replaces. One
 * pass over all pointers finds those of all jobs.
 *
 * Jobs copy every batch; `planKeyCompaction` plans those that remove records.
 */
export function* planCompaction(
  state: ClusterState,
  limits: MachineLimits,
  nowMs: number,
  excludedFileIds: ReadonlySet<string>,
): Generator<void, CompactionJob[]> {
  const { files, topics } = state;
  const groups = yield* chooseGroups(files, limits, nowMs, (fileId) => excludedFileIds.has(fileId));
  if (groups.length === 0) return [];
  const chosen = new ChosenFiles(state, groups);
  const jobs = groups.map((group) => new JobWriter(state, group, nowMs));
  const { compactionRowsPerStep } = limits;
  let rowsLeft = compactionRowsPerStep;
  for (const { partitions } of [...topics.held()]) {
    for (const log of partitions) {
      let offset = 0;
      while (offset < log.nextOffset && log.pointerCount > 0) {
        const step = findRuns(state, log, offset, rowsLeft, chosen, jobs);
        offset = step.nextOffset;
        rowsLeft -= step.seen;
        if (rowsLeft > 0) continue;
        yield;
        // A slot may hold another file by now.
        chosen.check();
        rowsLeft = compactionRowsPerStep;
      }
      // A partition without pointers is work too.
      rowsLeft--;
    }
  }
  const finished: CompactionJob[] = [];
  for (const job of jobs) {
    if (job.isEmpty) continue;
    finished.push(job.finish());
    yield;
  }
  return finished;
}

/** Which job a file slot belongs to. */
class ChosenFiles {
  readonly #state: ClusterState;
  readonly #jobs = new Map<number, number>();
  readonly #fileIds = new Map<number, string>();

  constructor(state: ClusterState, groups: readonly FileGroup[]) {
    this.#state = state;
    for (const [job, { slots }] of groups.entries()) {
      for (const slot of slots) {
        this.#jobs.set(slot, job);
        this.#fileIds.set(slot, state.files.fileId(slot));
      }
    }
  }

  /** Returns the job of a file; -1 if it has none. */
  jobOf(slot: number): number {
    return this.#jobs.get(slot) ?? -1;
  }

  check(): void {
    const { files } = this.#state;
    for (const [slot, fileId] of this.#fileIds) {
      if (files.isReferenced(slot) && files.fileId(slot) === fileId) continue;
      this.#jobs.delete(slot);
      this.#fileIds.delete(slot);
    }
  }
}

/**
 * Adds the runs of one log, from an offset on, to their jobs. It ends after a run when it has seen enough, and returns
 * where it ended.
 */
function findRuns(
  { pointers }: ClusterState,
  log: PartitionLog,
  fromOffset: number,
  seenMax: number,
  chosen: ChosenFiles,
  jobs: readonly JobWriter[],
): { nextOffset: number; seen: number } {
  let index = log.indexOfOffset(fromOffset);
  // The pointer that began there was replaced by a longer one.
  if (pointers.baseOffset(log.slot(index)) < fromOffset) index++;
  let seen = 0;
  let runJob = -1;
  let runFirst = 0;
  for (; index < log.pointerCount; index++, seen++) {
    const fileSlot = pointers.fileSlot(log.slot(index));
    // Markers within and behind a run become part of it.
    const job = fileSlot === markerFileSlot ? runJob : chosen.jobOf(fileSlot);
    if (job !== runJob) {
      if (runJob >= 0) jobs[runJob]!.addRun(log, runFirst, index - runFirst);
      if (seen >= seenMax) return { nextOffset: pointers.baseOffset(log.slot(index)), seen };
      runJob = job;
      runFirst = index;
    } else if (runJob < 0 && seen >= seenMax) {
      return { nextOffset: pointers.baseOffset(log.slot(index)), seen };
    }
  }
  if (runJob >= 0) jobs[runJob]!.addRun(log, runFirst, index - runFirst);
  return { nextOffset: log.nextOffset, seen: seen + 1 };
}

/** Collects the columns of a job. */
export class JobWriter {
  readonly #state: ClusterState;
  readonly #plannedMs: number;
  readonly #level: number;
  readonly #inputs: { readonly fileId: string; readonly fileBytes: number }[] = [];
  readonly #inputOf = new Map<number, number>();
  readonly #topicIds: string[] = [];
  readonly #ranges = {
    topic: [] as number[],
    partition: [] as number[],
    fromOffset: [] as number[],
    toOffset: [] as number[],
    pointerCount: [] as number[],
  };
  readonly #pointers = {
    file: [] as number[],
    byteStart: [] as number[],
    byteLength: [] as number[],
    baseOffset: [] as number[],
    maxTimestampMs: [] as number[],
  };
  readonly #markers = {
    row: [] as number[],
    isCommit: [] as number[],
    producerId: [] as number[],
    producerEpoch: [] as number[],
    timestampMs: [] as number[],
  };

  constructor(state: ClusterState, { level, slots }: FileGroup, plannedMs: number) {
    this.#state = state;
    this.#plannedMs = plannedMs;
    this.#level = level;
    for (const slot of slots) this.addInput(slot);
  }

  addInput(slot: number): void {
    const { files } = this.#state;
    this.#inputOf.set(slot, this.#inputs.length);
    this.#inputs.push({ fileId: files.reference(slot), fileBytes: files.fileBytes(slot) });
  }

  get isEmpty(): boolean {
    return this.#ranges.topic.length === 0;
  }

  addRun(log: PartitionLog, first: number, count: number): void {
    const { pointers } = this.#state;
    if (this.#topicIds.at(-1) !== log.topicId) this.#topicIds.push(log.topicId);
    const ranges = this.#ranges;
    ranges.topic.push(this.#topicIds.length - 1);
    ranges.partition.push(log.partition);
    ranges.fromOffset.push(pointers.baseOffset(log.slot(first)));
    ranges.toOffset.push(log.endOf(first + count - 1));
    ranges.pointerCount.push(count);
    for (let index = first; index < first + count; index++) this.#addPointer(log.slot(index));
  }

  #addPointer(slot: number): void {
    const { pointers: pool } = this.#state;
    const pointers = this.#pointers;
    const fileSlot = pool.fileSlot(slot);
    const isMarker = fileSlot === markerFileSlot;
    if (isMarker) this.#addMarker(slot);
    pointers.file.push(isMarker ? noRangeFile : this.#inputOf.get(fileSlot)!);
    pointers.byteStart.push(isMarker ? 0 : pool.byteStart(slot));
    pointers.byteLength.push(isMarker ? 0 : pool.byteLength(slot));
    pointers.baseOffset.push(pool.baseOffset(slot));
    pointers.maxTimestampMs.push(pool.maxTimestampMs(slot));
  }

  #addMarker(slot: number): void {
    const { pointers: pool } = this.#state;
    const { isCommit, producerId, producerEpoch } = markerAt(pool, slot);
    this.#markers.row.push(this.#pointers.file.length);
    this.#markers.isCommit.push(isCommit ? 1 : 0);
    this.#markers.producerId.push(producerId);
    this.#markers.producerEpoch.push(producerEpoch);
    this.#markers.timestampMs.push(pool.maxTimestampMs(slot));
  }

  finish(): CompactionJob {
    // `from` would iterate, which takes several times as long.
    const ranges = this.#ranges;
    const pointers = this.#pointers;
    return {
      plannedMs: this.#plannedMs,
      level: this.#level,
      inputs: this.#inputs,
      topicIds: this.#topicIds,
      ranges: {
        topic: new Uint32Array(ranges.topic),
        partition: new Uint32Array(ranges.partition),
        fromOffset: new Float64Array(ranges.fromOffset),
        toOffset: new Float64Array(ranges.toOffset),
        pointerCount: new Uint32Array(ranges.pointerCount),
      },
      pointers: {
        file: new Uint32Array(pointers.file),
        byteStart: new Uint32Array(pointers.byteStart),
        byteLength: new Uint32Array(pointers.byteLength),
        baseOffset: new Float64Array(pointers.baseOffset),
        maxTimestampMs: new Float64Array(pointers.maxTimestampMs),
      },
      ...(this.#markers.row.length > 0 ? { markers: this.#markerColumns() } : {}),
    };
  }

  #markerColumns(): Markers {
    const { row, isCommit, producerId, producerEpoch, timestampMs } = this.#markers;
    return {
      row: new Uint32Array(row),
      isCommit: new Uint8Array(isCommit),
      producerId: new Float64Array(producerId),
      producerEpoch: new Int16Array(producerEpoch),
      timestampMs: new Float64Array(timestampMs),
    };
  }
}
