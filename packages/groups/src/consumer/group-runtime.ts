import type {
  ConsumerGroupDescription,
  ConsumerHeartbeat,
  ConsumerHeartbeatAnswer,
  GroupDescription,
  GroupError,
  GroupHeartbeat,
  GroupListing,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeavingMember,
  OffsetsCommitter,
  SyncGroupAnswer,
  SyncGroupRequest,
} from '@weir/cluster';
import { ByteReader, ByteWriter, type EntryChange } from '@weir/machine';
import { partitionsAsList } from '../assignors/partitions.ts';
import { ClassicGroup } from '../classic/classic-group.ts';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import { prepareRebalance } from '../classic/rebalance.ts';
import { Step } from '../classic/step.ts';
import type { Group, GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import { consumerProtocolType } from './classic-members.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { canBeClassic, classicGroupOf } from './convert.ts';
import type { ConsumerAnswer, ConsumerEffects, ConsumerEvent, ConsumerEventKind } from './event.ts';
import { checkCommit, checkFetch, nextDeadlineMs, stateOf, step } from './machine.ts';
import {
  memberKey,
  readConsumerGroup,
  readConsumerMember,
  writeConsumerGroup,
  writeConsumerMember,
} from './record.ts';
import { readSeenPattern } from './seen-pattern.ts';

/** Connects a consumer group to its coordinator: feeds the state machine and executes its effects. */
export class ConsumerGroupRuntime implements Group {
  readonly type = 'consumer';
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #group: ConsumerGroup;
  readonly #host: GroupHost;
  readonly #writer = new ByteWriter();
  #isStored: boolean;
  /** A new leader must check the topics once. */
  #hasSeenTopics: boolean;
  /** Members that this release refuses to restore. Their entries are removed with the first change. */
  #refused: readonly string[] = [];
  /** The classic group that replaced this one. It serves callers that still hold this one. */
  #successor: ClassicGroupRuntime | undefined;

  private constructor(group: ConsumerGroup, host: GroupHost, isStored: boolean) {
    this.#group = group;
    this.#host = host;
    this.#isStored = isStored;
    this.#hasSeenTopics = !isStored;
    host.holds(group.textChars);
  }

  /** Creates the runtime of a group that is new or was of another type. The first change writes all of it. */
  static of(group: ConsumerGroup, host: GroupHost): ConsumerGroupRuntime {
    const runtime = new ConsumerGroupRuntime(group, host, false);
    if (group.members.size > 0) host.wakeBy(runtime, nextDeadlineMs(group));
    return runtime;
  }

  static read(groupId: string, reader: ByteReader, host: GroupHost): ConsumerGroupRuntime {
    const group = new ConsumerGroup(groupId);
    const nowMs = host.monotonicMs();
    const { sessionTimeoutMs } = host.consumerRules(groupId);
    const refused: string[] = [];
    for (const memberId of readConsumerGroup(group, reader)) {
      const value = host.memberRecord(memberKey(groupId, memberId));
      const read = value && readConsumerMember(group, memberId, new ByteReader(value));
      if (read?.problem !== undefined) {
        host.log.warn('dropped member with refused pattern', { groupId, memberId, problem: read.problem });
        refused.push(memberId);
      }
      if (read?.problem !== undefined || read === undefined) {
        // The other members get its partitions.
        group.targets.delete(memberId);
        group.epoch++;
        continue;
      }
      const { member } = read;
      member.sessionDeadlineMs = nowMs + (member.classic?.sessionTimeoutMs ?? sessionTimeoutMs);
      if (member.holding.state === 'revoking') member.rebalanceDeadlineMs = nowMs + member.rebalanceTimeoutMs;
    }
    const runtime = new ConsumerGroupRuntime(group, host, true);
    runtime.#refused = refused;
    return runtime;
  }

  get groupId(): string {
    return this.#group.groupId;
  }

  get isEmpty(): boolean {
    return this.#group.members.size === 0;
  }

  get isForgettable(): boolean {
    return !this.#isStored && this.isEmpty;
  }

  consumerHeartbeat(
    heartbeat: ConsumerHeartbeat,
    freshMemberId: string,
  ): PendingAnswer<ConsumerHeartbeatAnswer> {
    return this.#run({ kind: 'heartbeat', heartbeat, freshMemberId });
  }

  async join(request: JoinGroupRequest, freshMemberId: string): Promise<JoinGroupAnswer> {
    if (this.#successor !== undefined) return this.#successor.join(request, freshMemberId);
    return this.#whenDurable(this.#run({ kind: 'classicJoin', request, freshMemberId }));
  }

  async sync(request: SyncGroupRequest): Promise<SyncGroupAnswer> {
    if (this.#successor !== undefined) return this.#successor.sync(request);
    return this.#whenDurable(this.#run({ kind: 'classicSync', request }));
  }

  /** Answers at once; the caller waits until the state that the answer depends on is durable. */
  heartbeat(heartbeat: GroupHeartbeat): GroupError {
    return this.#run({ kind: 'classicHeartbeat', heartbeat }).answer;
  }

  leave(members: readonly LeavingMember[]): readonly GroupError[] {
    return this.#run({ kind: 'classicLeave', members }).answer;
  }

  /** Handles topics that were created, grown or deleted. */
  onTopics(names: readonly string[]): void {
    if (this.#hasSeenTopics && names.some((name) => this.#group.isConcernedBy(name))) {
      this.#run({ kind: 'topics', names });
    }
  }

  /** Delivers the result of a pattern scan. */
  onMatched(expression: string, names: Set<string>): void {
    if (this.#successor === undefined && !this.#group.isDead) {
      this.#run({ kind: 'matched', expression, names });
    }
  }

  /** Handles a change of topic visibility. */
  onRules(): void {
    const isWatching = this.#hasSeenTopics && this.#successor === undefined && !this.#group.isDead;
    if (isWatching && this.#group.patterns.size > 0) this.#run({ kind: 'rules' });
  }

  checkCommit(committer: OffsetsCommitter, isTransactional: boolean): GroupError {
    return checkCommit(this.#group, committer, isTransactional);
  }

  checkFetch(memberId: string | null, memberEpoch: number): GroupError {
    return checkFetch(this.#group, memberId, memberEpoch);
  }

  checkDeleteOffsets(): GroupError {
    return 'NONE';
  }

  isSubscribedTo(topicName: string): boolean {
    this.#checkTopicsOnce();
    return this.#group.isSubscribedTo(topicName);
  }

  offsetExpiry(): OffsetExpiry {
    return { from: 'commit' };
  }

  listing(): GroupListing {
    return {
      groupId: this.groupId,
      protocolType: consumerProtocolType,
      state: stateOf(this.#group),
      type: this.type,
    };
  }

  describe(): GroupDescription {
    return {
      error: 'GROUP_ID_NOT_FOUND',
      groupId: this.groupId,
      state: 'Dead',
      protocolType: '',
      protocolData: '',
      members: [],
    };
  }

  describeConsumers(): ConsumerGroupDescription {
    const { groupId, epoch, assignmentEpoch, assignor, members } = this.#group;
    return {
      error: 'NONE',
      groupId,
      state: stateOf(this.#group),
      epoch,
      assignmentEpoch,
      assignor,
      members: Array.from(members.values(), (member) => ({
        memberId: member.memberId,
        instanceId: member.instanceId,
        rackId: member.rackId,
        epoch: member.holding.epoch,
        clientId: member.clientId,
        clientHost: member.clientHost,
        subscribedTopicNames: member.subscription.names,
        subscribedTopicRegex: readSeenPattern(member.subscription.pattern).expression,
        assigned: partitionsAsList(member.holding.assigned),
        target: partitionsAsList(this.#group.targetOf(member.memberId)),
        isClassic: member.classic !== null,
      })),
    };
  }

  delete(): GroupError {
    const { answer } = this.#run({ kind: 'delete' });
    // The caller of delete waits for everything that was decided until then.
    if (this.#group.isDead) this.#host.erase(this).catch(() => {});
    return answer;
  }

  tick(): number {
    if (this.#successor !== undefined || this.#group.isDead) return Number.POSITIVE_INFINITY;
    this.#run({ kind: 'tick' });
    return this.#successor === undefined ? nextDeadlineMs(this.#group) : Number.POSITIVE_INFINITY;
  }

  write(writer: ByteWriter): void {
    writeConsumerGroup(this.#group, writer);
  }

  /** No request waits here for longer than a save takes. */
  close(): void {}

  /**
   * Replaces a group without members by an empty classic one for a classic member; its first save overwrites this one.
   */
  becomeEmptyClassic(): ClassicGroupRuntime {
    const group = new ClassicGroup(this.groupId);
    group.generationId = this.#group.epoch;
    this.#giveUp();
    this.#successor = new ClassicGroupRuntime(group, this.#host, this.#isStored);
    return this.#successor;
  }

  #giveUp(): void {
    this.#host.holds(-this.#group.textChars);
    this.wakeAtMs = Number.POSITIVE_INFINITY;
  }

  #run<Kind extends ConsumerEventKind>(event: ConsumerEvent<Kind>): PendingAnswer<ConsumerAnswer<Kind>> {
    this.#checkTopicsOnce();
    const effects = this.#step(event);
    const saved = this.#keep(effects);
    // Callers that depend on the save await it; the saver retries in any case.
    saved?.catch(() => {});
    return { answer: effects.answer, saved };
  }

  #checkTopicsOnce(): void {
    if (this.#hasSeenTopics) return;
    this.#hasSeenTopics = true;
    const effects = this.#step({ kind: 'topics', names: undefined });
    const removed = effects.removed.union(new Set(this.#refused));
    const isGroupChanged = effects.isGroupChanged || this.#refused.length > 0;
    this.#refused = [];
    this.#keep({ ...effects, removed, isGroupChanged })?.catch(() => {});
  }

  #step<Kind extends ConsumerEventKind>(event: ConsumerEvent<Kind>): ConsumerEffects<ConsumerAnswer<Kind>> {
    const host = this.#host;
    const textChars = this.#group.textChars;
    const rules = host.consumerRules(this.groupId);
    const effects = step(this.#group, event, host.monotonicMs(), rules, host.topics);
    if (this.#group.textChars !== textChars) host.holds(this.#group.textChars - textChars);
    if (effects.soonestMs < this.wakeAtMs) host.wakeBy(this, effects.soonestMs);
    return effects;
  }

  #keep({ changed, removed, isGroupChanged }: ConsumerEffects<unknown>): Promise<void> | undefined {
    if (this.#group.isDead || (changed.size === 0 && removed.size === 0 && !isGroupChanged)) return undefined;
    const host = this.#host;
    if (canBeClassic(this.#group, host.classicRules()) && host.mayMigrate('classic')) {
      return this.#becomeClassic(removed);
    }
    const changes: EntryChange[] = Array.from(removed, (memberId) => this.#memberChange(memberId, null));
    const written = this.#isStored ? changed : this.#group.members.keys();
    for (const memberId of written) changes.push(this.#memberChange(memberId, this.#encode(memberId)));
    if (!isGroupChanged && this.#isStored) return host.put(this, changes);
    this.#isStored = true;
    return host.save(this, changes);
  }

  /** Only classic members are left: the group becomes classic again and its members assign by themselves. */
  #becomeClassic(removed: ReadonlySet<string>): Promise<void> {
    const host = this.#host;
    const nowMs = host.monotonicMs();
    const group = classicGroupOf(this.#group, host.topics, nowMs);
    const successor = new ClassicGroupRuntime(group, host, true);
    const memberIds = [...removed, ...this.#group.members.keys()];
    this.#giveUp();
    host.holds(group.metadataBytes);
    this.#successor = successor;
    host.replace(this, successor);
    const saved = host.save(
      successor,
      memberIds.map((memberId) => this.#memberChange(memberId, null)),
    );
    const rebalance = new Step(group, nowMs, host.classicRules());
    prepareRebalance(rebalance);
    host.wakeBy(successor, rebalance.soonestMs);
    return saved;
  }

  #encode(memberId: string): Buffer {
    writeConsumerMember(this.#group.member(memberId)!, this.#writer);
    return this.#writer.take();
  }

  #memberChange(memberId: string, value: Buffer | null): EntryChange {
    return { namespace: 'groupMember', key: memberKey(this.groupId, memberId), value };
  }

  async #whenDurable<Answer>({ answer, saved }: PendingAnswer<Answer>): Promise<Answer> {
    await (saved ?? this.#host.settled());
    return answer;
  }
}
