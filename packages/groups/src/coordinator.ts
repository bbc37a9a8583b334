import {
  type ClusterChange,
  ClusterUnavailable,
  type CommitMark,
  type ConsumerGroupDescription,
  type ConsumerHeartbeat,
  type ConsumerHeartbeatAnswer,
  type GroupDescription,
  type GroupError,
  type GroupFilter,
  type GroupHeartbeat,
  type GroupListing,
  type GroupsPort,
  type JoinGroupAnswer,
  type JoinGroupRequest,
  type LeaveGroupAnswer,
  type LeaveGroupRequest,
  type OffsetsAnswer,
  type OffsetsCommit,
  type OffsetsCommitAnswer,
  type OffsetsCommitter,
  type OffsetsQuery,
  type OffsetsToDelete,
  type SyncGroupAnswer,
  type SyncGroupRequest,
  type TransactionOffsetsToCommit,
} from '@weir/cluster';
import { type Clock, coreLimits, type Log } from '@weir/core';
import type { GroupOffsets, PartitionOfTopic } from '@weir/machine';
import { classicRules } from './classic/classic-configs.ts';
import { ClassicGroupRuntime } from './classic/group-runtime.ts';
import { refusedJoin, refusedSync } from './classic/step.ts';
import { CommitOrder, type Committing } from './commit-order.ts';
import { consumerRules, mayMigrate } from './consumer/consumer-configs.ts';
import { ConsumerGroups } from './consumer/consumer-groups.ts';
import { ConsumerGroupRuntime } from './consumer/group-runtime.ts';
import { PatternScans } from './consumer/pattern-scans.ts';
import { TopicVisibilities } from './consumer/topic-visibilities.ts';
import { type Group, type GroupHost, servesClassicMembers } from './group.ts';
import { GroupConfigs } from './group-configs.ts';
import { GroupDirectory } from './group-directory.ts';
import { GroupSaver, type Submit } from './group-saver.ts';
import { GroupSweep } from './group-sweep.ts';
import type { GroupsMachine } from './groups-machine.ts';
import { groupLimits } from './limits.ts';
import { ModernGroupRuntime } from './modern/group-runtime.ts';
import { shareRules } from './share/share-configs.ts';
import { ShareCoordinator } from './share/share-coordinator.ts';
import { WakeQueue } from './wake-queue.ts';

interface CoordinatorOptions {
  readonly machine: GroupsMachine;
  /** Executes a command; resolves when it is durable. */
  readonly submit: Submit;
  /** Evaluates the question; resolves when all state that the answer depends on is durable. */
  readonly ask: <Answer>(question: () => Answer) => Promise<Answer>;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a unique id. */
  readonly freshId: () => string;
  /** The term of the leader, higher than all earlier terms. */
  readonly term: number;
}

/**
 * The groups of one cluster, for one term of its leader. Decisions of groups are durable (key-value entries and offsets
 * of the machine) before they are visible; waiting requests and sessions are not stored and end with the term.
 */
export class GroupCoordinator implements GroupsPort {
  readonly #options: CoordinatorOptions;
  readonly #directory: GroupDirectory;
  readonly #saver: GroupSaver;
  readonly #wakes: WakeQueue<Group>;
  readonly #sweep: GroupSweep;
  readonly #consumers: ConsumerGroups;
  readonly #patterns: PatternScans;
  readonly #visibilities: TopicVisibilities;
  /** The API of share groups. */
  readonly share: ShareCoordinator;
  readonly #host: GroupHost;
  readonly #order: CommitOrder;
  /** The size of the member metadata of all groups. */
  #heldBytes = 0;
  #closed: Error | undefined;

  constructor(options: CoordinatorOptions) {
    const { machine, submit, ask, clock, log } = options;
    this.#options = options;
    this.#order = new CommitOrder(options.term);
    const classicConfigs = new GroupConfigs(machine, classicRules);
    const consumerConfigs = new GroupConfigs(machine, consumerRules);
    const shareConfigs = new GroupConfigs(machine, shareRules);
    this.#saver = new GroupSaver(submit, clock, log);
    this.#wakes = new WakeQueue(clock, (group) => this.#tick(group));
    this.#patterns = new PatternScans({
      clock,
      names: () => machine.topicNames(),
      onMatched: (groupId, expression, names) => this.#consumers.onMatched(groupId, expression, names),
    });
    this.#visibilities = new TopicVisibilities({
      machine,
      clock,
      onChanged: () => this.#consumers.onRules(),
    });
    this.#host = {
      monotonicMs: () => clock.monotonicMs(),
      nowMs: () => Math.floor(clock.nowMs()),
      classicRules: () => classicConfigs.usualRules(),
      consumerRules: (groupId) => consumerConfigs.rules(groupId),
      shareRules: (groupId) => shareConfigs.rules(groupId),
      mayMigrate: (to) => mayMigrate(to, machine.clusterConfigs()),
      topics: {
        byName: (name) => machine.topicByName(name),
        nameOf: (topicId) => machine.topicById(topicId)?.name,
        names: () => machine.topicNames(),
        compile: (expression) => this.#patterns.compile(expression),
        matching: (groupId, expression, pattern) => this.#patterns.matching(groupId, expression, pattern),
        matchesNow: (pattern, name) => this.#patterns.matchesNow(pattern, name),
        measuredViewOf: (reader) => this.#visibilities.measuredViewOf(reader),
      },
      log,
      memberRecord: (key) => machine.kv.get('groupMember', key),
      save: (group, others) => this.#saver.save(group.groupId, this.#directory.encode(group), others),
      put: (group, changes) => this.#saver.put(group.groupId, changes),
      replace: (group, by) => this.#directory.replace(group, by),
      erase: (group) => {
        this.#directory.remove(group);
        if (group.type === 'share') this.share.onGroupGone(group.groupId).catch(() => {});
        return this.#saver.save(group.groupId, null);
      },
      membersGone: (group, memberIds) => this.share.onMembersGone(group.groupId, memberIds),
      settled: () => ask(() => undefined),
      holds: (bytes) => {
        this.#heldBytes += bytes;
      },
      wakeBy: (group, atMs) => this.#wakes.wakeBy(group, atMs),
    };
    this.#directory = new GroupDirectory(machine.kv, this.#host, clock, log, (group) =>
      this.#wakes.wakeBy(group, clock.monotonicMs()),
    );
    this.#consumers = new ConsumerGroups({
      host: this.#host,
      directory: this.#directory,
      freshId: options.freshId,
      hasRoom: () => this.#heldBytes < groupLimits.groupsMetadataBytesMax,
    });
    this.share = new ShareCoordinator({
      ...{ machine, submit, ask, clock, log },
      host: this.#host,
      directory: this.#directory,
      configs: shareConfigs,
      hasRoom: () => this.#heldBytes < groupLimits.groupsMetadataBytesMax,
    });
    this.#sweep = new GroupSweep({ machine, submit, clock, log, directory: this.#directory });
  }

  /** Ends the term: waiting requests are rejected. */
  close(reason: string): void {
    this.#closed = new ClusterUnavailable(reason);
    this.#wakes.close();
    this.#sweep.close();
    this.#patterns.close();
    this.#visibilities.close();
    this.#saver.close();
    this.share.close(this.#closed);
    for (const group of this.#directory.known()) group.close(this.#closed);
    this.#directory.close();
  }

  async joinGroup(request: JoinGroupRequest): Promise<JoinGroupAnswer> {
    this.#check();
    const { groupId, memberId, groupInstanceId, clientId } = request;
    if (!isName(groupId)) return refusedJoin('INVALID_GROUP_ID', memberId);
    if ([memberId, groupInstanceId ?? '', clientId].some(isTooLong)) {
      return refusedJoin('INVALID_REQUEST', '');
    }
    const bytes = request.protocols.reduce((sum, { metadata }) => sum + metadata.length, 0);
    if (this.#heldBytes + bytes > groupLimits.groupsMetadataBytesMax)
      return refusedJoin('POLICY_VIOLATION', memberId);
    if (request.reason !== null) {
      this.#options.log.debug('received join of member', { groupId, memberId, reason: request.reason });
    }
    let group = this.#directory.find(groupId);
    if (group === undefined) {
      if (memberId !== '') return refusedJoin('UNKNOWN_MEMBER_ID', memberId);
      group = ClassicGroupRuntime.empty(groupId, this.#host);
      if (!this.#directory.add(group)) return refusedJoin('POLICY_VIOLATION', memberId);
    }
    if (group instanceof ConsumerGroupRuntime && group.isEmpty) {
      // A group without members takes the type of the next member.
      const classic = group.becomeEmptyClassic();
      this.#directory.replace(group, classic);
      group = classic;
    }
    if (!servesClassicMembers(group)) return refusedJoin('INCONSISTENT_GROUP_PROTOCOL', memberId);
    const freshMemberId = `${groupInstanceId ?? clientId}-${this.#options.freshId()}`;
    // Member metadata outlives the request buffer.
    const protocols = request.protocols.map(({ name, metadata }) => ({ name, metadata: copyOf(metadata) }));
    const answer = group.join({ ...request, protocols }, freshMemberId);
    this.#forgetIfIdle(group);
    return answer;
  }

  async syncGroup(request: SyncGroupRequest): Promise<SyncGroupAnswer> {
    this.#check();
    const { groupId } = request;
    if (!isName(groupId)) return refusedSync('INVALID_GROUP_ID');
    const group = this.#directory.find(groupId);
    if (!servesClassicMembers(group)) return refusedSync('UNKNOWN_MEMBER_ID');
    const assignments = request.assignments.map(({ memberId, assignment }) => ({
      memberId,
      assignment: copyOf(assignment),
    }));
    return group.sync({ ...request, assignments });
  }

  groupHeartbeats(heartbeats: readonly GroupHeartbeat[]): Promise<GroupError[]> {
    return this.#ask(() =>
      heartbeats.map((heartbeat): GroupError => {
        if (!isName(heartbeat.groupId)) return 'INVALID_GROUP_ID';
        const group = this.#directory.find(heartbeat.groupId);
        return servesClassicMembers(group) ? group.heartbeat(heartbeat) : 'UNKNOWN_MEMBER_ID';
      }),
    );
  }

  leaveGroup({ groupId, members }: LeaveGroupRequest): Promise<LeaveGroupAnswer> {
    return this.#ask(() => {
      if (!isName(groupId)) return { error: 'INVALID_GROUP_ID', members: [] };
      const group = this.#directory.find(groupId);
      if (!servesClassicMembers(group)) {
        return { error: 'NONE', members: members.map(() => 'UNKNOWN_MEMBER_ID' as const) };
      }
      const errors = group.leave(members);
      this.#forgetIfIdle(group);
      return { error: 'NONE', members: errors };
    });
  }

  async consumerGroupHeartbeats(
    heartbeats: readonly ConsumerHeartbeat[],
  ): Promise<ConsumerHeartbeatAnswer[]> {
    this.#check();
    return this.#consumers.heartbeats(heartbeats);
  }

  describeConsumerGroups(groupIds: readonly string[]): Promise<ConsumerGroupDescription[]> {
    return this.#ask(() => groupIds.map((groupId) => this.#consumers.describe(groupId)));
  }

  /** Handles agents that are no longer registered: they died, left, or cannot be reached. */
  onAgentsGone(agentIds: ReadonlySet<string>): void {
    if (this.#closed !== undefined) return;
    for (const group of [...this.#directory.known()]) {
      if (!(group instanceof ClassicGroupRuntime)) continue;
      group.onAgentsGone(agentIds);
      this.#forgetIfIdle(group);
    }
  }

  /** Handles durable changes, of any origin. */
  onChanges(changes: readonly ClusterChange[]): void {
    if (this.#closed !== undefined) return;
    this.share.onChanges(changes);
    this.#visibilities.onChanges(changes);
    const names: string[] = [];
    for (const change of changes) {
      if (change.kind === 'topic' || change.kind === 'topicRestored') names.push(change.topic.name);
      else if (change.kind === 'topicDeleted') names.push(change.name);
    }
    if (names.length === 0) return;
    this.#patterns.onTopics(names, (name) => this.#options.machine.topicByName(name) !== undefined);
    for (const group of this.#directory.known()) {
      if (group instanceof ModernGroupRuntime) group.onTopics(names);
    }
  }

  /**
   * Checks whether offsets of a group may be committed in a transaction, which is a separate command. The caller must
   * submit it in the same turn of the event loop, or a rebalance may come between.
   */
  admitInTransaction(request: TransactionOffsetsToCommit): {
    readonly error: GroupError;
    readonly mark?: CommitMark;
  } {
    const error = this.#admit(request, true);
    return request.origin === undefined ? { error } : { error, mark: this.#order.mark };
  }

  #admit(committing: Committing, isTransactional: boolean): GroupError {
    if (this.#order.isLate(committing)) return 'COORDINATOR_LOAD_IN_PROGRESS';
    const error = this.#checkCommit(committing, isTransactional);
    if (error === 'NONE') this.#order.admitted(committing);
    return error;
  }

  #checkCommit(committer: OffsetsCommitter, isTransactional: boolean): GroupError {
    const { groupId, generationIdOrMemberEpoch } = committer;
    if (!isName(groupId)) return 'INVALID_GROUP_ID';
    const group = this.#directory.find(groupId);
    if (group !== undefined) return group.checkCommit(committer, isTransactional);
    // A client with manual assignment creates its group by the first commit.
    return generationIdOrMemberEpoch < 0 ? 'NONE' : 'GROUP_ID_NOT_FOUND';
  }

  async commitOffsets(commits: readonly OffsetsCommit[]): Promise<OffsetsCommitAnswer[]> {
    this.#check();
    const groups: GroupOffsets[] = [];
    const errors = commits.map((commit): GroupError => {
      const error = this.#admit(commit, false);
      if (error === 'NONE') groups.push(commit);
      return error;
    });
    const { mark } = this.#order;
    const { submit, ask } = this.#options;
    const results =
      groups.length === 0 ? await ask(() => []) : await submit({ kind: 'commitOffsets', groups });
    let next = 0;
    return errors.map((error, index) => ({
      error,
      offsets: error === 'NONE' ? results[next++]! : [],
      ...(index === 0 && commits[0]!.origin !== undefined ? { mark } : {}),
    }));
  }

  fetchOffsets(queries: readonly OffsetsQuery[]): Promise<OffsetsAnswer[]> {
    const { machine } = this.#options;
    return this.#ask(() =>
      queries.map((query): OffsetsAnswer => {
        const { groupId, memberId, memberEpoch } = query;
        if (!isName(groupId)) return { error: 'INVALID_GROUP_ID', offsets: [] };
        const error = this.#directory.find(groupId)?.checkFetch(memberId, memberEpoch) ?? 'NONE';
        return { error, offsets: error === 'NONE' ? machine.fetchOffsets(query) : [] };
      }),
    );
  }

  async deleteOffsets({ groupId, partitions }: OffsetsToDelete): Promise<OffsetsCommitAnswer> {
    this.#check();
    const { machine, submit, ask } = this.#options;
    const group = this.#directory.find(groupId);
    const isThere = group !== undefined || machine.offsets.hasGroup(groupId);
    const error = isThere ? (group?.checkDeleteOffsets() ?? 'NONE') : notFound(groupId);
    if (error !== 'NONE') return ask(() => ({ error, offsets: [] }));
    const found: PartitionOfTopic[] = [];
    const offsets = partitions.map(({ topicId, partition }): GroupError => {
      const topicNumber = machine.topicNumber(topicId);
      if (topicNumber === undefined) return 'UNKNOWN_TOPIC_ID';
      if (group?.isSubscribedTo(machine.topicById(topicId)!.name) === true)
        return 'GROUP_SUBSCRIBED_TO_TOPIC';
      found.push({ topicNumber, partition });
      return 'NONE';
    });
    await submit({ kind: 'forgetOffsets', groups: [{ groupId, partitions: found }] });
    return { error, offsets };
  }

  describeGroups(groupIds: readonly string[]): Promise<GroupDescription[]> {
    const { machine } = this.#options;
    return this.#ask(() =>
      groupIds.map((groupId) => {
        const group = this.#directory.find(groupId);
        if (group !== undefined) return group.describe();
        const isThere = machine.offsets.hasGroup(groupId);
        return {
          error: isThere ? 'NONE' : notFound(groupId),
          groupId,
          state: isThere ? 'Empty' : 'Dead',
          protocolType: '',
          protocolData: '',
          members: [],
        };
      }),
    );
  }

  listGroups({ states, types }: GroupFilter): Promise<GroupListing[]> {
    const wantedStates = new Set(states.map((state) => state.toLowerCase()));
    const wantedTypes = new Set(types.map((type) => type.toLowerCase()));
    const isWanted = ({ state, type }: GroupListing): boolean =>
      (wantedStates.size === 0 || wantedStates.has(state.toLowerCase())) &&
      (wantedTypes.size === 0 || wantedTypes.has(type));
    return this.#ask(() => this.#listAll().filter(isWanted));
  }

  async deleteGroups(groupIds: readonly string[]): Promise<GroupError[]> {
    this.#check();
    const { machine, submit, ask } = this.#options;
    const deleted: string[] = [];
    const errors = groupIds.map((groupId): GroupError => {
      const group = this.#directory.find(groupId);
      const isThere = group !== undefined || machine.offsets.hasGroup(groupId);
      const error = isThere ? (group?.delete() ?? 'NONE') : notFound(groupId);
      if (error === 'NONE') deleted.push(groupId);
      return error;
    });
    if (deleted.length === 0) return ask(() => errors);
    const groups = deleted.map((groupId) => ({ groupId, partitions: null }));
    await submit({ kind: 'forgetOffsets', groups });
    return errors;
  }

  /** Lists groups that only have offsets as classic ones without members, as Kafka does. */
  #listAll(): GroupListing[] {
    const { offsets } = this.#options.machine;
    const listings = Array.from(this.#directory.all(), (group) => group.listing());
    const listed = new Set(listings.map(({ groupId }) => groupId));
    for (const groupId of offsets.groupIds()) {
      if (!listed.has(groupId)) listings.push({ groupId, protocolType: '', state: 'Empty', type: 'classic' });
    }
    return listings;
  }

  #tick(group: Group): number {
    const nextMs = group.tick();
    this.#forgetIfIdle(group);
    return nextMs;
  }

  /** Removes a group that was created by a refused request or an unused member id. */
  #forgetIfIdle(group: Group): void {
    if (group.isForgettable) this.#directory.remove(group);
  }

  #ask<Answer>(question: () => Answer): Promise<Answer> {
    return this.#closed === undefined ? this.#options.ask(question) : Promise.reject(this.#closed);
  }

  #check(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }
}

function notFound(groupId: string): GroupError {
  return groupId === '' ? 'INVALID_GROUP_ID' : 'GROUP_ID_NOT_FOUND';
}

function isName(groupId: string): boolean {
  return groupId !== '' && !isTooLong(groupId);
}

function isTooLong(name: string): boolean {
  return name.length > coreLimits.groupNameCharsMax;
}

function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
