import {
  type AcknowledgeAnswer,
  type AcknowledgedPartition,
  type AcquireAnswer,
  acknowledgeTypes,
  type ClusterChange,
  type ModernGroupDescription,
  type ModernHeartbeatAnswer,
  type RecordsToAcknowledge,
  type RecordsToAcquire,
  type ShareError,
  type ShareHeartbeat,
  type ShareOffsetsAnswer,
  type ShareOffsetsQuery,
  type ShareOffsetsResult,
  type ShareOffsetsToAlter,
  type ShareOffsetsToDelete,
  type SharePort,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import type { GroupHost } from '../group.ts';
import type { GroupConfigs } from '../group-configs.ts';
import type { GroupDirectory } from '../group-directory.ts';
import { isGroupId, isTooLong } from '../group-id.ts';
import type { Submit } from '../group-saver.ts';
import { type Acknowledgement, acknowledge } from './partitions/acknowledge.ts';
import { releaseAll } from './partitions/acquire.ts';
import { PartitionRuntimes } from './partitions/partition-runtimes.ts';
import type { StoredPartition } from './partitions/stored-partition.ts';
import { WaitingAcquisitions } from './partitions/waiting-acquisitions.ts';
import type { ShareGroupRules } from './share-configs.ts';
import { ShareGroups } from './share-groups.ts';
import { ShareOffsets } from './share-offsets.ts';

interface ShareCoordinatorOptions {
  readonly machine: Pick<ClusterMachine, 'kv' | 'offsets' | 'findBatches' | 'findOffsets' | 'topicById'>;
  readonly submit: Submit;
  /** Evaluates the question; resolves when all state that the answer depends on is durable. */
  readonly ask: <Answer>(question: () => Answer) => Promise<Answer>;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  readonly configs: GroupConfigs<ShareGroupRules>;
  /** Whether the limit on member metadata allows so many bytes more. */
  readonly hasRoomFor: (bytes: number) => boolean;
}

/** The outcome of an acknowledge request, and the partitions that must be saved for it. */
interface AcknowledgeOutcome {
  readonly answer: AcknowledgeAnswer;
  readonly changed: readonly (StoredPartition | undefined)[];
}

/**
 * The share groups of a cluster and their partitions, for one term of its leader. Acknowledgements are durable before
 * they are answered. Locks exist only in this process: after a failover all unfinished records may be delivered again.
 */
export class ShareCoordinator implements SharePort {
  readonly #options: ShareCoordinatorOptions;
  readonly #groups: ShareGroups;
  readonly #partitions: PartitionRuntimes;
  readonly #acquisitions: WaitingAcquisitions;
  readonly #offsets: ShareOffsets;
  #closed: Error | undefined;

  constructor(options: ShareCoordinatorOptions) {
    const { machine, clock, host } = options;
    this.#options = options;
    this.#groups = new ShareGroups(options);
    this.#partitions = new PartitionRuntimes(options);
    this.#acquisitions = new WaitingAcquisitions({
      machine,
      clock,
      partitions: this.#partitions,
      hasGroup: (groupId) => this.#groups.find(groupId) !== undefined,
      settled: () => host.settled(),
    });
    this.#offsets = new ShareOffsets({ machine, groups: this.#groups, partitions: this.#partitions });
  }

  close(error: Error): void {
    this.#closed = error;
    this.#partitions.close();
    this.#acquisitions.close(error);
  }

  async shareGroupHeartbeats(heartbeats: readonly ShareHeartbeat[]): Promise<ModernHeartbeatAnswer[]> {
    this.#check();
    return this.#groups.heartbeats(heartbeats);
  }

  async describeShareGroups(groupIds: readonly string[]): Promise<ModernGroupDescription[]> {
    this.#check();
    return this.#options.ask(() => groupIds.map((groupId) => this.#groups.describe(groupId)));
  }

  async acquireRecords(request: RecordsToAcquire): Promise<AcquireAnswer> {
    this.#check();
    const error = this.#problemOf(request.groupId, request.memberId);
    if (error === 'NONE') return this.#acquisitions.acquire(request);
    return this.#options.ask(() => ({ error, lockMs: 0, partitions: [] }));
  }

  async acknowledgeRecords(requests: readonly RecordsToAcknowledge[]): Promise<AcknowledgeAnswer[]> {
    this.#check();
    const touched = new Set<StoredPartition>();
    const acknowledged = requests.map((request) => this.#acknowledge(request, touched));
    const saves = new Map(
      Array.from(
        touched,
        (stored) => [stored, this.#partitions.keep(stored).then(isSaved, isNotSaved)] as const,
      ),
    );
    // Waiting requests may get released records, and records that an advanced window admits.
    for (const stored of touched) stored.wakeWaiting();
    const answers = acknowledged.map(async ({ answer, changed }): Promise<AcknowledgeAnswer> => {
      const areSaved = await Promise.all(changed.map((one) => one === undefined || saves.get(one)));
      const partitions = answer.partitions.map(
        (error, index): ShareError => (areSaved[index] === false ? 'COORDINATOR_LOAD_IN_PROGRESS' : error),
      );
      return { ...answer, partitions };
    });
    // Requests without changes depend on earlier changes.
    const [, ...all] = await Promise.all([this.#options.host.settled(), ...answers]);
    return all;
  }

  async describeShareOffsets(queries: readonly ShareOffsetsQuery[]): Promise<ShareOffsetsAnswer[]> {
    this.#check();
    return this.#options.ask(() => queries.map((query) => this.#offsets.describe(query)));
  }

  async alterShareOffsets(request: ShareOffsetsToAlter): Promise<ShareOffsetsResult> {
    this.#check();
    const [result] = await Promise.all([this.#offsets.alter(request), this.#options.host.settled()]);
    return result;
  }

  async deleteShareOffsets(request: ShareOffsetsToDelete): Promise<ShareOffsetsResult> {
    this.#check();
    const [result] = await Promise.all([this.#offsets.delete(request), this.#options.host.settled()]);
    return result;
  }

  /** Handles durable changes, of any origin. */
  onChanges(changes: readonly ClusterChange[]): void {
    if (this.#closed !== undefined) return;
    for (const change of changes) {
      if (change.kind === 'appended') {
        for (const stored of this.#partitions.ofLog(change.topicId, change.partition)) stored.wakeWaiting();
      } else if (change.kind === 'topicDeleted') this.#partitions.forgetTopic(change.topicId);
    }
  }

  /**
   * Releases the records of members that timed out. Members that left on their own release theirs when their session at
   * the agent ends, and at the latest when their locks do.
   */
  onMembersGone(groupId: string, memberIds: readonly string[]): void {
    const rules = this.#partitions.rules(groupId);
    for (const stored of this.#partitions.ofGroup(groupId)) {
      const released = memberIds.filter((memberId) => releaseAll(stored.state, memberId, rules));
      if (released.length === 0) continue;
      this.#partitions.keepLater(stored);
      stored.wakeWaiting();
    }
  }

  /** Deletes the partitions of a deleted group. */
  onGroupGone(groupId: string): Promise<void> {
    return this.#partitions.erase(this.#partitions.ofGroup(groupId));
  }

  #acknowledge(request: RecordsToAcknowledge, touched: Set<StoredPartition>): AcknowledgeOutcome {
    const { groupId, memberId, partitions, released } = request;
    const error = this.#problemOf(groupId, memberId);
    if (error !== 'NONE') return { answer: { error, lockMs: 0, partitions: [] }, changed: [] };
    const rules = this.#partitions.rules(groupId);
    const changed: (StoredPartition | undefined)[] = [];
    const errors = partitions.map((acknowledged): ShareError => {
      const { topicId, partition } = acknowledged;
      const stored = this.#partitions.find({ groupId, topicId, partition });
      const rows = rowsOf(acknowledged);
      const nowMs = this.#options.clock.monotonicMs();
      let outcome: ShareError = 'INVALID_REQUEST';
      if (stored === undefined) outcome = this.#unknown(topicId);
      else if (rows !== undefined) outcome = acknowledge(stored.state, memberId, rows, nowMs, rules);
      const isDone = outcome === 'NONE' && stored !== undefined;
      if (isDone) touched.add(stored);
      changed.push(isDone ? stored : undefined);
      return outcome;
    });
    for (const { topicId, partition } of released) {
      const stored = this.#partitions.find({ groupId, topicId, partition });
      if (stored !== undefined && releaseAll(stored.state, memberId, rules)) touched.add(stored);
    }
    return { answer: { error: 'NONE', lockMs: rules.lockMs, partitions: errors }, changed };
  }

  /** The group has not started with the partition, so no record of it was delivered. */
  #unknown(topicId: string): ShareError {
    return this.#options.machine.topicById(topicId) === undefined
      ? 'UNKNOWN_TOPIC_ID'
      : 'INVALID_RECORD_STATE';
  }

  #problemOf(groupId: string, memberId: string): ShareError {
    if (!isGroupId(groupId)) return 'INVALID_GROUP_ID';
    if (memberId === '' || isTooLong(memberId)) return 'INVALID_REQUEST';
    return this.#groups.find(groupId) === undefined ? 'GROUP_ID_NOT_FOUND' : 'NONE';
  }

  #check(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }
}

const isSaved = (): boolean => true;
const isNotSaved = (): boolean => false;

/** `undefined` for an unknown acknowledge type. */
function rowsOf({ firstOffset, lastOffset, type }: AcknowledgedPartition): Acknowledgement[] | undefined {
  const rows: Acknowledgement[] = [];
  for (const [row, first] of firstOffset.entries()) {
    const name = acknowledgeTypes[type[row]!];
    if (name === undefined) return undefined;
    rows.push({ first, last: lastOffset[row]!, type: name });
  }
  return rows;
}
