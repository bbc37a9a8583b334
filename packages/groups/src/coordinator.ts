import {
  type ClusterChange,
  ClusterUnavailable,
  type ConsumerGroupDescription,
  type ConsumerHeartbeat,
  type CopiedGroupOffsets,
  type CopiedGroupResult,
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
  type ModernHeartbeatAnswer,
  type OffsetsAnswer,
  type OffsetsCommit,
  type OffsetsCommitAnswer,
  type OffsetsQuery,
  type OffsetsToDelete,
  type StreamsGroupDescription,
  type StreamsHeartbeat,
  type StreamsHeartbeatAnswer,
  type SyncGroupAnswer,
  type SyncGroupRequest,
  type TransactionOffsetsToCommit,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { classicRules, returningMs, rulesForReturning } from './classic/classic-configs.ts';
import { ClassicGroups } from './classic-groups.ts';
import { type Admission, CommittedOffsets } from './committed-offsets.ts';
import { consumerRules, mayMigrate } from './consumer/consumer-configs.ts';
import { ConsumerGroups } from './consumer/consumer-groups.ts';
import { PatternScans } from './consumer/pattern-scans.ts';
import { TopicVisibilities } from './consumer/topic-visibilities.ts';
import type { Group, GroupHost } from './group.ts';
import { GroupConfigs } from './group-configs.ts';
import { GroupDirectory } from './group-directory.ts';
import { GroupSaver, type Submit } from './group-saver.ts';
import { GroupSweep } from './group-sweep.ts';
import type { GroupsMachine } from './groups-machine.ts';
import { groupLimits } from './limits.ts';
import { ModernGroupRuntime } from './modern/group-runtime.ts';
import { shareRules } from './share/share-configs.ts';
import { ShareCoordinator } from './share/share-coordinator.ts';
import { streamsRules } from './streams/streams-configs.ts';
import { StreamsGroups } from './streams/streams-groups.ts';
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
  readonly #classics: ClassicGroups;
  readonly #consumers: ConsumerGroups;
  readonly #streams: StreamsGroups;
  readonly #patterns: PatternScans;
  readonly #visibilities: TopicVisibilities;
  readonly #offsets: CommittedOffsets;
  /** The API of share groups. */
  readonly share: ShareCoordinator;
  readonly #host: GroupHost;
  /** The size of the member metadata of all groups. */
  #heldBytes = 0;
  /** When clients lost an agent or the leader before this one. */
  #lossMs = Number.NEGATIVE_INFINITY;
  #closed: Error | undefined;

  constructor(options: CoordinatorOptions) {
    const { machine, submit, ask, clock, log, freshId, term } = options;
    this.#options = options;
    if (term > 1) this.#lossMs = clock.monotonicMs();
    const classicConfigs = new GroupConfigs(machine, classicRules);
    const consumerConfigs = new GroupConfigs(machine, consumerRules);
    const shareConfigs = new GroupConfigs(machine, shareRules);
    const streamsConfigs = new GroupConfigs(machine, streamsRules);
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
      classicRules: () => {
        const rules = classicConfigs.usualRules();
        return clock.monotonicMs() - this.#lossMs < returningMs ? rulesForReturning(rules) : rules;
      },
      consumerRules: (groupId) => consumerConfigs.rules(groupId),
      shareRules: (groupId) => shareConfigs.rules(groupId),
      streamsRules: (groupId) => streamsConfigs.rules(groupId),
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
    const directory = this.#directory;
    const hasRoomFor = (bytes: number) => this.#heldBytes + bytes <= groupLimits.groupsMetadataBytesMax;
    const parts = { host: this.#host, directory, freshId, hasRoomFor };
    this.#classics = new ClassicGroups(parts);
    this.#consumers = new ConsumerGroups(parts);
    this.#streams = new StreamsGroups(parts);
    this.share = new ShareCoordinator({ ...parts, machine, submit, ask, clock, log, configs: shareConfigs });
    this.#offsets = new CommittedOffsets({ machine, submit, ask, directory, term });
    this.#sweep = new GroupSweep({ machine, submit, clock, log, directory });
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
    return this.#classics.join(request);
  }

  async syncGroup(request: SyncGroupRequest): Promise<SyncGroupAnswer> {
    this.#check();
    return this.#classics.sync(request);
  }

  groupHeartbeats(heartbeats: readonly GroupHeartbeat[]): Promise<GroupError[]> {
    return this.#ask(() => heartbeats.map((heartbeat) => this.#classics.heartbeat(heartbeat)));
  }

  leaveGroup(request: LeaveGroupRequest): Promise<LeaveGroupAnswer> {
    return this.#ask(() => this.#classics.leave(request));
  }

  async consumerGroupHeartbeats(heartbeats: readonly ConsumerHeartbeat[]): Promise<ModernHeartbeatAnswer[]> {
    this.#check();
    return this.#consumers.heartbeats(heartbeats);
  }

  describeConsumerGroups(groupIds: readonly string[]): Promise<ConsumerGroupDescription[]> {
    return this.#ask(() => groupIds.map((groupId) => this.#consumers.describe(groupId)));
  }

  async streamsGroupHeartbeats(heartbeats: readonly StreamsHeartbeat[]): Promise<StreamsHeartbeatAnswer[]> {
    this.#check();
    return this.#streams.heartbeats(heartbeats);
  }

  describeStreamsGroups(groupIds: readonly string[]): Promise<StreamsGroupDescription[]> {
    return this.#ask(() => groupIds.map((groupId) => this.#streams.describe(groupId)));
  }

  /** Handles agents that are no longer registered: they died, left, or cannot be reached. */
  onAgentsGone(agentIds: ReadonlySet<string>): void {
    if (this.#closed !== undefined) return;
    this.#lossMs = this.#options.clock.monotonicMs();
    this.#classics.onAgentsGone(agentIds);
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

  /** Checks a commit in a transaction; the caller must submit it in the same turn of the event loop. */
  admitInTransaction(request: TransactionOffsetsToCommit): Admission {
    return this.#offsets.admitInTransaction(request);
  }

  async commitOffsets(commits: readonly OffsetsCommit[]): Promise<OffsetsCommitAnswer[]> {
    this.#check();
    return this.#offsets.commit(commits);
  }

  async commitCopiedOffsets(
    groups: readonly CopiedGroupOffsets[],
    pipelineId: string,
  ): Promise<CopiedGroupResult[]> {
    return this.#offsets.commitCopied(groups, pipelineId);
  }

  fetchOffsets(queries: readonly OffsetsQuery[]): Promise<OffsetsAnswer[]> {
    return this.#ask(() => queries.map((query) => this.#offsets.fetch(query)));
  }

  async deleteOffsets(request: OffsetsToDelete): Promise<OffsetsCommitAnswer> {
    this.#check();
    return this.#offsets.delete(request);
  }

  describeGroups(groupIds: readonly string[]): Promise<GroupDescription[]> {
    const { machine } = this.#options;
    return this.#ask(() =>
      groupIds.map((groupId) => {
        const group = this.#directory.find(groupId);
        if (group !== undefined) return group.describe();
        const isThere = machine.offsets.hasGroup(groupId);
        return {
          error: isThere ? 'NONE' : 'GROUP_ID_NOT_FOUND',
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

  /** Whether a group has no members now. */
  isWithoutMembers(groupId: string): boolean {
    const state = this.#directory.find(groupId)?.listing().state;
    return state === undefined || state === 'Empty' || state === 'Dead';
  }

  /** The number of groups, those that only have offsets too. */
  count(): number {
    let count = this.#directory.size;
    for (const groupId of this.#options.machine.offsets.groupIds())
      if (!this.#directory.has(groupId)) count++;
    return count;
  }

  async deleteGroups(groupIds: readonly string[]): Promise<GroupError[]> {
    this.#check();
    const { machine, submit, ask } = this.#options;
    const deleted: string[] = [];
    const errors = groupIds.map((groupId): GroupError => {
      const group = this.#directory.find(groupId);
      const isThere = group !== undefined || machine.offsets.hasGroup(groupId);
      const error = isThere ? (group?.delete() ?? 'NONE') : 'GROUP_ID_NOT_FOUND';
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
    this.#directory.forgetIfIdle(group);
    return nextMs;
  }

  #ask<Answer>(question: () => Answer): Promise<Answer> {
    return this.#closed === undefined ? this.#options.ask(question) : Promise.reject(this.#closed);
  }

  #check(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }
}
