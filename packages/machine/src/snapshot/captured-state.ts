import type { TopicDescription } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { CapturedProducers } from '../commit/captured-producers.ts';
import type { NamedEntry } from '../kv/key-value-store.ts';
import type { FileHold } from '../log/file-holds.ts';
import type { CapturedFileQueue } from '../log/file-queue.ts';
import type { FileTable } from '../log/file-table.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { PointerPool } from '../log/pointer-pool.ts';
import { type CopiedTransactions, captureCopiedTransactions } from '../migration/migration-snapshot.ts';
import type { CapturedOffsets } from '../offsets/captured-offsets.ts';
import { type CapturedRegistry, captureRegistry } from '../registry/registry-snapshot.ts';
import type { RecentReply } from '../replies/recent-replies.ts';
import { type CapturedTransactions, captureTransactions } from '../transactions/transactions-snapshot.ts';
import { CapturedLogs } from './captured-logs.ts';

interface CapturedTopic {
  readonly number: number;
  readonly description: TopicDescription;
  readonly deletedMs: number | undefined;
}

/** Up to where the keys of a log were compacted. */
export interface CleanLog {
  readonly topicNumber: number;
  readonly partition: number;
  readonly cleanOffset: number;
}

/**
 * The state at one moment, to be written while the machine continues. Capturing takes about ten milliseconds for a
 * hundred thousand partitions; large structures are not copied:
 *
 * - pointers and files are not changed, and their slots are not reused before `end`;
 * - before a producer changes, its current state is saved (`CapturedProducers`), and likewise the offsets of a group
 *   (`CapturedOffsets`);
 * - descriptions, answers and key-value entries are replaced, never mutated.
 */
export class CapturedState {
  readonly clusterId: string;
  readonly nowMs: number;
  readonly nextProducerId: number;
  readonly clusterConfigs: Readonly<Record<string, string>>;
  readonly nextTopicNumber: number;
  readonly topics: readonly CapturedTopic[];
  readonly logs: CapturedLogs;
  /** Logs whose keys were compacted. */
  readonly cleanLogs: readonly CleanLog[];
  readonly producers: CapturedProducers;
  readonly recentFiles: readonly RecentReply[];
  readonly recentRequests: readonly RecentReply[];
  readonly records: readonly NamedEntry[];
  readonly offsets: CapturedOffsets;
  readonly transactions: CapturedTransactions;
  readonly registry: CapturedRegistry;
  readonly copiedTransactions: readonly CopiedTransactions[];
  readonly pointers: PointerPool;
  readonly files: FileTable;
  readonly deadFiles: CapturedFileQueue;
  readonly deletedFiles: CapturedFileQueue;
  readonly holds: readonly FileHold[];
  readonly origins: readonly string[];
  readonly unneededFiles: CapturedFileQueue;
  /** Upper bound of the file slots of captured pointers. */
  readonly fileSlotCount: number;
  readonly #state: ClusterState;
  #hasEnded = false;

  constructor(state: ClusterState) {
    this.#state = state;
    // First, because it throws if another capture is in progress.
    this.producers = state.producers.capture();
    this.clusterId = state.clusterId;
    this.nowMs = state.nowMs;
    this.nextProducerId = state.nextProducerId;
    this.clusterConfigs = state.clusterConfigs;
    this.nextTopicNumber = state.topics.nextNumber;
    const topics: CapturedTopic[] = [];
    // Allocated at its final length: growing it would cost more than filling it.
    const logs = new Array<PartitionLog>(state.topics.heldPartitionCount);
    let logCount = 0;
    const cleanLogs: CleanLog[] = [];
    for (const { number, description, deletedMs, partitions } of state.topics.held()) {
      topics.push({ number, description, deletedMs });
      for (const log of partitions) {
        logs[logCount++] = log;
        const { topicNumber, partition, cleanOffset } = log;
        if (cleanOffset > 0) cleanLogs.push({ topicNumber, partition, cleanOffset });
      }
    }
    this.cleanLogs = cleanLogs;
    this.topics = topics;
    this.logs = new CapturedLogs(logs);
    this.recentFiles = state.recentFiles.oldestFirst();
    this.recentRequests = state.recentRequests.oldestFirst();
    this.records = state.kv.all();
    this.offsets = state.offsets.capture();
    this.transactions = captureTransactions(state);
    this.registry = captureRegistry(state.registry);
    this.copiedTransactions = captureCopiedTransactions(state);
    this.pointers = state.pointers;
    this.files = state.files;
    this.deadFiles = state.files.dead.captured();
    this.deletedFiles = state.files.deleted.captured();
    this.holds = state.files.holds.all().map((hold) => ({ ...hold, slots: hold.slots.copy() }));
    this.origins = state.files.origins;
    this.unneededFiles = state.files.unneeded.captured();
    this.fileSlotCount = state.files.slotCount;
    state.pointers.keepFreed();
    state.files.keepFreed();
  }

  /** Releases everything. Must be called once, whatever happened. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#state.producers.endCapture();
    this.#state.offsets.endCapture();
    this.#state.transactions.endCapture();
    this.#state.pointers.releaseFreed();
    this.#state.files.releaseFreed();
  }
}
