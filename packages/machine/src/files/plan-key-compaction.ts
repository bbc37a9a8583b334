import {
  type KeyCompactionJob,
  type LatePartition,
  type TopicDescription,
  topicConfigValue,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { FileTable } from '../log/file-table.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { isManaged } from '../managed/managed-topics.ts';
import type { Topic } from '../topics/topics.ts';
import { JobWriter } from './plan-compaction.ts';

/** What other jobs work on. */
export interface KeyPlanExclusions {
  /** Files that are being merged. */
  isFileClaimed(fileId: string): boolean;
  /** Partitions whose keys are being compacted, or whose job failed and waits. */
  isPartitionOpen(topicId: string, partition: number): boolean;
}

export interface KeyCompactionPlan {
  /** The dirtiest partitions first. */
  readonly jobs: readonly KeyCompactionJob[];
  /** Partitions of each job, by name. */
  readonly names: readonly (readonly string[])[];
  /** Files of partitions that are due and wait for a merge of one of these files. They should not be merged again. */
  readonly reservedFileIds: readonly string[];
  /** The highest share of bytes to compact of any partition, from 0 to 1. */
  readonly dirtyRatioMax: number;
  /** Partitions that are due. */
  readonly dueCount: number;
}

/** The configs of a compacted topic. */
interface KeyRule {
  readonly dirtyRatioMin: number;
  readonly lagMsMin: number;
  readonly lagMsMax: number;
  readonly activeMs: number;
  readonly deleteRetentionMs: number;
}

/** The part of a log that can be compacted now. */
interface CleanableRange {
  readonly dirtyOffset: number;
  /** Number of pointers from the first of the log on, clean ones included. */
  readonly pointerCount: number;
  /** Bytes of these pointers. */
  readonly bytes: number;
  /** The share of the bytes that is not compacted yet. */
  readonly dirtyRatio: number;
  readonly isDue: boolean;
  /** When `max.compaction.lag.ms` of its oldest record ends, or ended. */
  readonly lagEndMs: number;
}

interface Candidate {
  readonly topic: Topic;
  readonly log: PartitionLog;
  readonly dirtyRatio: number;
}

/**
 * Plans jobs that compact keys, in steps between which the cluster may change: a commit checks what it replaces.
 *
 * As in Apache Kafka, a partition is due when the share of its bytes that is not compacted exceeds
 * `min.cleanable.dirty.ratio`, or a record has waited for `max.compaction.lag.ms`. The dirtiest come first. A job
 * covers the whole log up to its first record that stays as it is: that of an open transaction, one younger than
 * `min.compaction.lag.ms`, or one of the active segment.
 */
export function* planKeyCompaction(
  state: ClusterState,
  limits: MachineLimits,
  nowMs: number,
  exclusions: KeyPlanExclusions,
): Generator<void, KeyCompactionPlan> {
  const candidates: Candidate[] = [];
  let dirtyRatioMax = 0;
  let rowsLeft = limits.compactionRowsPerStep;
  for (const topic of [...state.topics.live()]) {
    const rule = keyRuleOf(state, limits, topic.description);
    rowsLeft--;
    if (rule === undefined) continue;
    for (const log of topic.partitions) {
      const { range, seen } = findCleanable(state, limits, log, rule, nowMs);
      rowsLeft -= seen + 1;
      if (range !== undefined) {
        dirtyRatioMax = Math.max(dirtyRatioMax, range.dirtyRatio);
        if (range.isDue) candidates.push({ topic, log, dirtyRatio: range.dirtyRatio });
      }
      if (rowsLeft > 0) continue;
      yield;
      rowsLeft = limits.compactionRowsPerStep;
    }
  }
  candidates.sort((a, b) => b.dirtyRatio - a.dirtyRatio);
  const jobs = new KeyJobs(state, limits, nowMs, exclusions);
  for (const { topic, log } of candidates) {
    if (jobs.isFull) break;
    // The topic may be gone, and the log may have changed since.
    const rule = keyRuleOf(state, limits, topic.description);
    if (rule === undefined || state.topics.byId(log.topicId)?.partitions[log.partition] !== log) continue;
    const { range } = findCleanable(state, limits, log, rule, nowMs);
    if (range?.isDue !== true) continue;
    rowsLeft -= jobs.add(topic, log, range, rule.deleteRetentionMs);
    if (rowsLeft > 0) continue;
    yield;
    rowsLeft = limits.compactionRowsPerStep;
  }
  return { ...jobs.finish(), dirtyRatioMax, dueCount: candidates.length };
}

/** Finds partitions that were due at a time and are not compacted since, in steps. */
export function* keyCompactionBacklog(
  state: ClusterState,
  limits: MachineLimits,
  beforeMs: number,
): Generator<void, LatePartition[]> {
  const late: LatePartition[] = [];
  let rowsLeft = limits.compactionRowsPerStep;
  for (const { description, partitions } of [...state.topics.live()]) {
    const rule = keyRuleOf(state, limits, description);
    rowsLeft--;
    if (rule === undefined) continue;
    for (const log of partitions) {
      const { range, seen } = findCleanable(state, limits, log, rule, beforeMs);
      if (range?.isDue === true) {
        const dueMs = Math.min(beforeMs, range.lagEndMs);
        late.push({ topicId: log.topicId, partition: log.partition, dueMs });
      }
      rowsLeft -= seen + 1;
      if (rowsLeft > 0) continue;
      yield;
      rowsLeft = limits.compactionRowsPerStep;
    }
  }
  return late;
}

/** Returns nothing for a topic that is not compacted, or not yet: the source compacts what a migration copies. */
function keyRuleOf(
  state: ClusterState,
  { keyCompactionActiveMsMax }: MachineLimits,
  { topicId, configs: topicTexts }: TopicDescription,
): KeyRule | undefined {
  const { clusterConfigs: clusterTexts } = state;
  if (!topicConfigValue('cleanup.policy', topicTexts, clusterTexts).includes('compact')) return undefined;
  if (isManaged(state, topicId)) return undefined;
  const lagMsMin = topicConfigValue('min.compaction.lag.ms', topicTexts, clusterTexts);
  const lagMsMax = topicConfigValue('max.compaction.lag.ms', topicTexts, clusterTexts);
  const segmentMs = topicConfigValue('segment.ms', topicTexts, clusterTexts);
  return {
    dirtyRatioMin: topicConfigValue('min.cleanable.dirty.ratio', topicTexts, clusterTexts),
    lagMsMin,
    lagMsMax: Math.max(lagMsMax, lagMsMin),
    activeMs: Math.min(segmentMs, lagMsMax, keyCompactionActiveMsMax),
    deleteRetentionMs: topicConfigValue('delete.retention.ms', topicTexts, clusterTexts),
  };
}

/** Finds what can be compacted of a log; nothing if all of it is clean, or stays as it is. */
function findCleanable(
  { pointers, files }: ClusterState,
  { keyCompactionDirtyPointersMax }: MachineLimits,
  log: PartitionLog,
  rule: KeyRule,
  nowMs: number,
): { readonly range: CleanableRange | undefined; readonly seen: number } {
  const dirtyOffset = Math.max(log.cleanOffset, log.logStartOffset);
  if (log.pointerCount === 0 || dirtyOffset >= log.nextOffset) return { range: undefined, seen: 0 };
  const { lastStableOffset } = log;
  const firstIndex = log.indexOfOffset(dirtyOffset);
  const endIndexMax = Math.min(log.pointerCount, firstIndex + keyCompactionDirtyPointersMax);
  const activeFromMs = nowMs - rule.activeMs;
  let endIndex = firstIndex;
  let dirtyBytes = 0;
  let earliestMs = Number.POSITIVE_INFINITY;
  for (; endIndex < endIndexMax && log.endOf(endIndex) <= lastStableOffset; endIndex++) {
    const slot = log.slot(endIndex);
    const fileSlot = pointers.fileSlot(slot);
    const timestampMs = pointers.maxTimestampMs(slot);
    if (fileSlot === markerFileSlot) {
      if (timestampMs > activeFromMs) break;
      continue;
    }
    if (files.level(fileSlot) === 0 && files.timeMs(fileSlot) > activeFromMs) break;
    if (rule.lagMsMin > 0 && timestampMs > nowMs - rule.lagMsMin) break;
    dirtyBytes += pointers.byteLength(slot);
    if (timestampMs > 0) earliestMs = Math.min(earliestMs, timestampMs);
  }
  const seen = endIndex - firstIndex;
  if (dirtyBytes === 0) return { range: undefined, seen };
  let cleanBytes = 0;
  for (let index = 0; index < firstIndex; index++) {
    const slot = log.slot(index);
    if (pointers.fileSlot(slot) !== markerFileSlot) cleanBytes += pointers.byteLength(slot);
  }
  const bytes = cleanBytes + dirtyBytes;
  const dirtyRatio = dirtyBytes / bytes;
  const lagEndMs = earliestMs + rule.lagMsMax;
  const isDue = dirtyRatio > rule.dirtyRatioMin || lagEndMs < nowMs;
  const range = { dirtyOffset, pointerCount: endIndex, bytes, dirtyRatio, isDue, lagEndMs };
  return { range, seen: seen + firstIndex };
}

/** Gathers partitions into jobs. */
class KeyJobs {
  readonly #state: ClusterState;
  readonly #limits: MachineLimits;
  readonly #nowMs: number;
  readonly #exclusions: KeyPlanExclusions;
  readonly #reserved = new Set<string>();
  readonly #jobs: KeyCompactionJob[] = [];
  readonly #names: (readonly string[])[] = [];
  #open: OpenKeyJob | undefined;

  constructor(state: ClusterState, limits: MachineLimits, nowMs: number, exclusions: KeyPlanExclusions) {
    this.#state = state;
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#exclusions = exclusions;
  }

  get isFull(): boolean {
    return this.#jobs.length >= this.#limits.compactionJobsPerPlanMax;
  }

  /** Returns how many pointers it examined. */
  add({ description }: Topic, log: PartitionLog, range: CleanableRange, deleteRetentionMs: number): number {
    const { pointers, files } = this.#state;
    const { keyCompactionJobBytes, keyCompactionPartitionsMax } = this.#limits;
    if (this.#exclusions.isPartitionOpen(log.topicId, log.partition)) return 1;
    const fileIds = new Map<number, string>();
    for (let index = 0; index < range.pointerCount; index++) {
      const slot = pointers.fileSlot(log.slot(index));
      if (slot !== markerFileSlot && !fileIds.has(slot)) fileIds.set(slot, files.reference(slot));
    }
    if (fileIds.values().some((fileId) => this.#exclusions.isFileClaimed(fileId))) {
      for (const fileId of fileIds.values()) this.#reserved.add(fileId);
      return range.pointerCount;
    }
    const { bytes = 0, names = [] } = this.#open ?? {};
    if (bytes + range.bytes > keyCompactionJobBytes || names.length >= keyCompactionPartitionsMax)
      this.#close();
    this.#open ??= new OpenKeyJob(this.#state, this.#nowMs);
    this.#open.add(`${description.name}-${log.partition}`, log, range, deleteRetentionMs, fileIds);
    return 2 * range.pointerCount;
  }

  finish(): Pick<KeyCompactionPlan, 'jobs' | 'names' | 'reservedFileIds'> {
    this.#close();
    return { jobs: this.#jobs, names: this.#names, reservedFileIds: [...this.#reserved] };
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#jobs.push(this.#open.finish());
    this.#names.push(this.#open.names);
    this.#open = undefined;
  }
}

/** A job that takes further partitions. */
class OpenKeyJob {
  readonly names: string[] = [];
  bytes = 0;
  readonly #files: FileTable;
  readonly #writer: JobWriter;
  readonly #inputs = new Set<string>();
  #level = 1;
  readonly #dirtyOffset: number[] = [];
  readonly #deleteRetentionMs: number[] = [];
  readonly #abortedCount: number[] = [];
  readonly #aborted = {
    producerId: [] as number[],
    firstOffset: [] as number[],
    lastOffset: [] as number[],
  };

  constructor(state: ClusterState, nowMs: number) {
    this.#files = state.files;
    this.#writer = new JobWriter(state, { level: 1, slots: [] }, nowMs);
  }

  add(
    name: string,
    log: PartitionLog,
    { dirtyOffset, pointerCount, bytes }: CleanableRange,
    deleteRetentionMs: number,
    fileIds: ReadonlyMap<number, string>,
  ): void {
    for (const [slot, fileId] of fileIds) {
      if (this.#inputs.has(fileId)) continue;
      this.#inputs.add(fileId);
      this.#writer.addInput(slot);
      this.#level = Math.max(this.#level, this.#files.level(slot));
    }
    this.#writer.addRun(log, 0, pointerCount);
    this.names.push(name);
    this.bytes += bytes;
    this.#dirtyOffset.push(dirtyOffset);
    this.#deleteRetentionMs.push(deleteRetentionMs);
    const aborted = log.aborted?.overlapping(log.logStartOffset, log.endOf(pointerCount - 1));
    this.#abortedCount.push(aborted?.producerId.length ?? 0);
    if (aborted === undefined) return;
    for (const name of ['producerId', 'firstOffset', 'lastOffset'] as const)
      for (const value of aborted[name]) this.#aborted[name].push(value);
  }

  finish(): KeyCompactionJob {
    const { producerId, firstOffset, lastOffset } = this.#aborted;
    return {
      ...this.#writer.finish(),
      level: this.#level,
      keys: {
        dirtyOffset: Float64Array.from(this.#dirtyOffset),
        deleteRetentionMs: Float64Array.from(this.#deleteRetentionMs),
        abortedCount: Uint32Array.from(this.#abortedCount),
      },
      aborted: {
        producerId: Float64Array.from(producerId),
        firstOffset: Float64Array.from(firstOffset),
        lastOffset: Float64Array.from(lastOffset),
      },
    };
  }
}
