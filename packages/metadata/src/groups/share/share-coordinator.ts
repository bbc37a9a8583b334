import { type Clock, caps, type Log } from '@weir/core';
import type { GroupError, TopicPartition } from '../../cluster/groups-port.ts';
import type { ClusterChange } from '../../cluster/port.ts';
import {
  type AcknowledgeAnswer,
  type AcknowledgedPartition,
  type AcquireAnswer,
  acknowledgeTypes,
  type RecordsToAcknowledge,
  type RecordsToAcquire,
  type ShareError,
  type ShareGroupDescription,
  type ShareHeartbeat,
  type ShareHeartbeatAnswer,
  type ShareOffset,
  type ShareOffsetsAnswer,
  type ShareOffsetsQuery,
  type ShareOffsetsResult,
  type ShareOffsetsToAlter,
  type ShareOffsetsToDelete,
  type SharePort,
} from '../../cluster/share-port.ts';
import type { ClusterMachine } from '../../machine/machine.ts';
import type { GroupHost } from '../coordinator/group.ts';
import type { GroupDirectory } from '../coordinator/group-directory.ts';
import { GroupSaver, type Submit } from '../coordinator/group-saver.ts';
import { type Sleeper, WakeQueue } from '../coordinator/wake-queue.ts';
import { type Acknowledgement, acknowledge } from './partitions/acknowledge.ts';
import { expire, releaseAll } from './partitions/acquire.ts';
import { Acquisition } from './partitions/acquisition.ts';
import type { KeptPartition } from './partitions/kept-partition.ts';
import { PartitionKeeper } from './partitions/partition-keeper.ts';
import { SharePartition } from './partitions/share-partition.ts';
import { SharePartitions } from './partitions/share-partitions.ts';
import type { ShareConfigs, ShareGroupRules } from './share-configs.ts';
import { ShareGroups } from './share-groups.ts';

export interface ShareCoordinatorOptions {
  readonly machine: Pick<ClusterMachine, 'records' | 'findBatches' | 'topicById'>;
  readonly submit: Submit;
  /** Asks, and settles when all that the answer rests on is durable. */
  readonly ask: <Answer>(question: () => Answer) => Promise<Answer>;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  readonly configs: ShareConfigs;
  /** Whether members of one more group may say something of themselves. */
  readonly hasRoom: () => boolean;
}

/** A request that waits for records, until its time is over. */
interface WaitingRequest extends Sleeper {
  tryAgain(isLast: boolean): void;
  fail(error: Error): void;
}

/**
 * The share groups of a cluster and their partitions, for one term of its leader. What members say of records is durable before
 * they are answered. Who has which record until when is known to this process only: after a failover everything that
 * is not done may be given out again.
 */
export class ShareCoordinator implements SharePort {
  readonly #options: ShareCoordinatorOptions;
  readonly #groups: ShareGroups;
  readonly #partitions: SharePartitions;
  readonly #saver: GroupSaver;
  readonly #keeper: PartitionKeeper;
  readonly #locks: WakeQueue<KeptPartition>;
  readonly #timeouts: WakeQueue<WaitingRequest>;
  readonly #waiting = new Set<WaitingRequest>();
  #spanCount = 0;
  #closed: Error | undefined;

  constructor(options: ShareCoordinatorOptions) {
    const { machine, submit, clock, log } = options;
    this.#options = options;
    this.#groups = new ShareGroups(options);
    this.#partitions = new SharePartitions(machine.records, log);
    this.#saver = new GroupSaver(submit, clock, log);
    this.#keeper = new PartitionKeeper(this.#saver, clock);
    this.#locks = new WakeQueue(clock, (kept) => this.#expireLocks(kept));
    this.#timeouts = new WakeQueue(clock, (request) => {
      request.tryAgain(true);
      return Number.POSITIVE_INFINITY;
    });
    this.#forgetLostTopics();
  }

  close(error: Error): void {
    this.#closed = error;
    this.#locks.close();
    this.#timeouts.close();
    this.#keeper.close();
    this.#saver.close();
    for (const request of [...this.#waiting]) request.fail(error);
  }

  async shareGroupHeartbeats(heartbeats: readonly ShareHeartbeat[]): Promise<ShareHeartbeatAnswer[]> {
    this.#check();
    return this.#groups.heartbeats(heartbeats);
  }

  async describeShareGroups(groupIds: readonly string[]): Promise<ShareGroupDescription[]> {
    this.#check();
    return this.#options.ask(() => groupIds.map((groupId) => this.#groups.describe(groupId)));
  }

  async acquireRecords(request: RecordsToAcquire): Promise<AcquireAnswer> {
    this.#check();
    const { groupId, memberId } = request;
    const problem = this.#problemOf(groupId, memberId);
    if (problem !== 'NONE') return this.#options.ask(() => ({ error: problem, lockMs: 0, partitions: [] }));
    return new Promise((resolve, reject) => this.#tryUntilEnough(request, resolve, reject));
  }

  async acknowledgeRecords(requests: readonly RecordsToAcknowledge[]): Promise<AcknowledgeAnswer[]> {
    this.#check();
    const nowMs = this.#options.clock.monotonicMs();
    const touched = new Set<KeptPartition>();
    const done = requests.map((request) => this.#acknowledge(request, nowMs, touched));
    const kept = new Map<KeptPartition, Promise<boolean>>();
    for (const one of touched) {
      kept.set(
        one,
        this.#keep(one).then(
          () => true,
          () => false,
        ),
      );
    }
    // Those that changed nothing rest on what others changed before them.
    const answers = Promise.all(
      done.map(async ({ answer, partitions }): Promise<AcknowledgeAnswer> => {
        const isKept = await Promise.all(partitions.map((one) => (one === undefined ? true : kept.get(one))));
        return {
          ...answer,
          partitions: answer.partitions.map((error, index) =>
            isKept[index] === false ? 'COORDINATOR_LOAD_IN_PROGRESS' : error,
          ),
        };
      }),
    );
    // Who waits hears of what was released when nobody can take it back, and of a window that has moved on.
    for (const one of touched) one.wakeWaiting();
    await this.#options.host.settled();
    return answers;
  }

  async describeShareOffsets(queries: readonly ShareOffsetsQuery[]): Promise<ShareOffsetsAnswer[]> {
    this.#check();
    return this.#options.ask(() =>
      queries.map(({ groupId, partitions }): ShareOffsetsAnswer => {
        if (this.#groups.find(groupId) === undefined) return { error: 'GROUP_ID_NOT_FOUND', offsets: [] };
        const places = partitions ?? this.#partitions.ofGroup(groupId).sort(byTopic);
        return { error: 'NONE', offsets: places.map((place) => this.#describeOffset(groupId, place)) };
      }),
    );
  }

  async alterShareOffsets({ groupId, offsets }: ShareOffsetsToAlter): Promise<ShareOffsetsResult> {
    this.#check();
    const error = this.#problemOfAdmin(groupId);
    if (error !== 'NONE') return this.#options.ask(() => ({ error, results: [] }));
    const results = await Promise.all(
      offsets.map(async ({ topicId, partition, startOffset }): Promise<GroupError> => {
        const topic = this.#options.machine.topicById(topicId);
        if (topic === undefined || partition < 0 || partition >= topic.partitionCount) {
          return 'UNKNOWN_TOPIC_OR_PARTITION';
        }
        if (!Number.isSafeInteger(startOffset) || startOffset < 0) return 'INVALID_REQUEST';
        const place = { groupId, topicId, partition };
        const before = this.#partitions.find(place);
        if (before === undefined && !this.#partitions.hasRoom) return 'POLICY_VIOLATION';
        if (before !== undefined) this.#drop(before);
        const kept = this.#partitions.add(place, new SharePartition(startOffset));
        return this.#keep(kept).then(
          () => 'NONE',
          () => 'COORDINATOR_LOAD_IN_PROGRESS',
        );
      }),
    );
    return { error, results };
  }

  async deleteShareOffsets({ groupId, topicIds }: ShareOffsetsToDelete): Promise<ShareOffsetsResult> {
    this.#check();
    const error = this.#problemOfAdmin(groupId);
    if (error !== 'NONE') return this.#options.ask(() => ({ error, results: [] }));
    const results = await Promise.all(
      topicIds.map(async (topicId): Promise<GroupError> => {
        const gone = [...this.#partitions.ofTopic(topicId)].filter((kept) => kept.groupId === groupId);
        return this.#erase(gone).then(
          () => 'NONE',
          () => 'COORDINATOR_LOAD_IN_PROGRESS',
        );
      }),
    );
    return { error, results };
  }

  /** What has become durable, whoever did it. */
  onChanges(changes: readonly ClusterChange[]): void {
    if (this.#closed !== undefined) return;
    const names: string[] = [];
    for (const change of changes) {
      if (change.kind === 'appended') {
        for (const kept of this.#partitions.ofTopic(change.topicId)) {
          if (kept.partition === change.partition) kept.wakeWaiting();
        }
      } else if (change.kind === 'topic') names.push(change.topic.name);
      else if (change.kind === 'topicDeleted') {
        names.push(change.name);
        this.#forgetTopic(change.topicId);
      }
    }
    if (names.length > 0) this.#groups.onTopics(names);
  }

  /** What members had who left, or were not heard of any more, others may have. */
  onMembersGone(groupId: string, memberIds: readonly string[]): void {
    for (const kept of this.#partitions.ofGroup(groupId)) {
      const rules = this.#rules(groupId);
      const isReleased = memberIds.filter((memberId) => releaseAll(kept.state, memberId, rules)).length > 0;
      if (!isReleased) continue;
      this.#keepLater(kept);
      kept.wakeWaiting();
    }
  }

  /** The group is gone, and its partitions with it. */
  onGroupGone(groupId: string): Promise<void> {
    return this.#erase(this.#partitions.ofGroup(groupId));
  }

  #tryUntilEnough(
    request: RecordsToAcquire,
    resolve: (answer: AcquireAnswer | Promise<AcquireAnswer>) => void,
    reject: (error: Error) => void,
  ): void {
    const { machine, clock } = this.#options;
    const { groupId } = request;
    const watched = new Set<KeptPartition>();
    const deadlineMs = clock.monotonicMs() + Math.min(Math.max(0, request.waitMs), caps.fetchWaitMsMax);
    const end = (): void => {
      for (const kept of watched) kept.waiting.delete(wake);
      this.#waiting.delete(waiting);
      waiting.wakeAtMs = Number.POSITIVE_INFINITY;
    };
    const waiting: WaitingRequest = {
      wakeAtMs: Number.POSITIVE_INFINITY,
      tryAgain: (isLast) => {
        if (!this.#waiting.has(waiting)) return;
        if (this.#groups.find(groupId) === undefined) {
          end();
          resolve({ error: 'GROUP_ID_NOT_FOUND', lockMs: 0, partitions: [] });
          return;
        }
        const touched = new Set<KeptPartition>();
        const options = {
          machine,
          request,
          rules: this.#rules(groupId),
          find: (place: TopicPartition) => this.#watch(groupId, place, watched, wake),
          open: (place: TopicPartition, state: SharePartition) => this.#open(groupId, place, state, opened),
        };
        const answer = new Acquisition(options).attempt(clock.monotonicMs(), isLast, touched);
        for (const kept of touched) this.#keepLater(kept);
        if (answer === undefined) return;
        end();
        resolve(this.#whenOpened(opened, answer));
      },
      fail: (error) => {
        end();
        reject(error);
      },
    };
    const wake = (): void => waiting.tryAgain(false);
    /** Where a group begins has to be durable before it is given anything, or it could begin behind it after a failover. */
    const opened: Promise<void>[] = [];
    this.#waiting.add(waiting);
    waiting.tryAgain(deadlineMs <= clock.monotonicMs());
    if (!this.#waiting.has(waiting)) return;
    // What was begun with just now has not been watched yet.
    for (const place of request.partitions) this.#watch(groupId, place, watched, wake);
    this.#timeouts.wakeBy(waiting, deadlineMs);
  }

  async #whenOpened(opened: readonly Promise<void>[], answer: AcquireAnswer): Promise<AcquireAnswer> {
    await Promise.all([this.#options.host.settled(), ...opened]);
    return answer;
  }

  #watch(
    groupId: string,
    { topicId, partition }: TopicPartition,
    watched: Set<KeptPartition>,
    wake: () => void,
  ): KeptPartition | undefined {
    const kept = this.#partitions.find({ groupId, topicId, partition });
    if (kept !== undefined && !watched.has(kept)) {
      watched.add(kept);
      kept.waiting.add(wake);
    }
    return kept;
  }

  #open(
    groupId: string,
    { topicId, partition }: TopicPartition,
    state: SharePartition,
    opened: Promise<void>[],
  ): KeptPartition | undefined {
    if (!this.#partitions.hasRoom) return undefined;
    const kept = this.#partitions.add({ groupId, topicId, partition }, state);
    opened.push(this.#keep(kept));
    // Somebody who gives up meanwhile does not hear of it; it is tried again in any case.
    opened.at(-1)!.catch(() => {});
    return kept;
  }

  #acknowledge(
    { groupId, memberId, partitions, released }: RecordsToAcknowledge,
    nowMs: number,
    touched: Set<KeptPartition>,
  ): { answer: AcknowledgeAnswer; partitions: readonly (KeptPartition | undefined)[] } {
    const error = this.#problemOf(groupId, memberId);
    if (error !== 'NONE') return { answer: { error, lockMs: 0, partitions: [] }, partitions: [] };
    const rules = this.#rules(groupId);
    const changed: (KeptPartition | undefined)[] = [];
    const errors = partitions.map((acknowledged): ShareError => {
      const { topicId, partition } = acknowledged;
      const kept = this.#partitions.find({ groupId, topicId, partition });
      const rows = rowsOf(acknowledged);
      const outcome =
        rows === undefined
          ? 'INVALID_REQUEST'
          : kept === undefined
            ? this.#unknownPartition(acknowledged)
            : acknowledge(kept.state, memberId, rows, nowMs, rules);
      if (outcome === 'NONE') touched.add(kept!);
      changed.push(outcome === 'NONE' ? kept : undefined);
      return outcome;
    });
    for (const { topicId, partition } of released) {
      const kept = this.#partitions.find({ groupId, topicId, partition });
      if (kept !== undefined && releaseAll(kept.state, memberId, rules)) touched.add(kept);
    }
    return { answer: { error: 'NONE', lockMs: rules.lockMs, partitions: errors }, partitions: changed };
  }

  #unknownPartition({ topicId }: AcknowledgedPartition): ShareError {
    return this.#options.machine.topicById(topicId) === undefined
      ? 'UNKNOWN_TOPIC_ID'
      : 'INVALID_RECORD_STATE';
  }

  #describeOffset(groupId: string, { topicId, partition }: TopicPartition): ShareOffset {
    const kept = this.#partitions.find({ groupId, topicId, partition });
    const offset = kept?.state.startOffset ?? 0;
    const [log] = this.#options.machine.findBatches([{ topicId, partition, offset, bytesMax: 1 }]);
    const { error, logStartOffset, nextOffset } = log!;
    if (error !== 'NONE' && error !== 'OFFSET_OUT_OF_RANGE') {
      return { topicId, partition, startOffset: -1, lag: -1, error: 'UNKNOWN_TOPIC_OR_PARTITION' };
    }
    if (kept === undefined) return { topicId, partition, startOffset: -1, lag: -1, error: 'NONE' };
    const startOffset = Math.max(offset, logStartOffset);
    const lag = Math.max(0, nextOffset - startOffset - (startOffset === offset ? kept.state.doneCount : 0));
    return { topicId, partition, startOffset, lag, error: 'NONE' };
  }

  #problemOf(groupId: string, memberId: string): ShareError {
    if (groupId === '' || groupId.length > caps.groupNameCharsMax) return 'INVALID_GROUP_ID';
    if (memberId === '' || memberId.length > caps.groupNameCharsMax) return 'INVALID_REQUEST';
    return this.#groups.find(groupId) === undefined ? 'GROUP_ID_NOT_FOUND' : 'NONE';
  }

  #problemOfAdmin(groupId: string): GroupError {
    const group = this.#groups.find(groupId);
    if (group === undefined) return groupId === '' ? 'INVALID_GROUP_ID' : 'GROUP_ID_NOT_FOUND';
    return group.isEmpty ? 'NONE' : 'NON_EMPTY_GROUP';
  }

  /** Windows do not grow any more when all of them together are too large. */
  #rules(groupId: string): ShareGroupRules {
    const rules = this.#options.configs.rules(groupId);
    return this.#spanCount < caps.shareSpansMax ? rules : { ...rules, windowMax: 0 };
  }

  #expireLocks(kept: KeptPartition): number {
    if (kept.isGone) return Number.POSITIVE_INFINITY;
    const { clock } = this.#options;
    if (expire(kept.state, clock.monotonicMs(), this.#rules(kept.groupId))) this.#keepLater(kept);
    // Also when somebody who came for records has noticed it before, and has not taken all of them.
    kept.wakeWaiting();
    return kept.state.nextDeadlineMs;
  }

  #keep(kept: KeptPartition): Promise<void> {
    this.#afterChange(kept);
    return this.#keeper.keep(kept);
  }

  #keepLater(kept: KeptPartition): void {
    this.#afterChange(kept);
    this.#keeper.keepLater(kept);
  }

  #afterChange(kept: KeptPartition): void {
    if (kept.isGone) return;
    const spanCount = kept.state.spans.length;
    this.#spanCount += spanCount - kept.countedSpans;
    kept.countedSpans = spanCount;
    this.#locks.wakeBy(kept, kept.state.nextDeadlineMs);
  }

  #forgetTopic(topicId: string): void {
    this.#erase([...this.#partitions.ofTopic(topicId)]).catch(() => {});
  }

  /** The leader before may have ended between the end of a topic and that of its partitions here. */
  #forgetLostTopics(): void {
    const { machine } = this.#options;
    const lost = [...this.#partitions.topicIds()].filter(
      (topicId) => machine.topicById(topicId) === undefined,
    );
    for (const topicId of lost) this.#forgetTopic(topicId);
  }

  #erase(gone: readonly KeptPartition[]): Promise<void> {
    for (const kept of gone) this.#drop(kept);
    return this.#keeper.erase(gone);
  }

  #drop(kept: KeptPartition): void {
    this.#partitions.remove(kept);
    this.#spanCount -= kept.countedSpans;
    kept.isGone = true;
    kept.countedSpans = 0;
    // Whoever waits there finds out what has become of it.
    kept.wakeWaiting();
  }

  #check(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }
}

function byTopic(a: TopicPartition, b: TopicPartition): number {
  if (a.topicId !== b.topicId) return a.topicId < b.topicId ? -1 : 1;
  return a.partition - b.partition;
}

/** `undefined` when a type is none of ours. */
function rowsOf({ firstOffset, lastOffset, type }: AcknowledgedPartition): Acknowledgement[] | undefined {
  const rows: Acknowledgement[] = [];
  for (const [row, first] of firstOffset.entries()) {
    const name = acknowledgeTypes[type[row]!];
    if (name === undefined) return undefined;
    rows.push({ first, last: lastOffset[row]!, type: name });
  }
  return rows;
}
