import type {
  ConsumerGroupDescription,
  ConsumerHeartbeat,
  GroupError,
  GroupHeartbeat,
  JoinGroupRequest,
  LeavingMember,
  ModernHeartbeatAnswer,
  OffsetsCommitter,
  SyncGroupRequest,
} from '@weir/cluster';
import { ByteReader, ByteWriter, type EntryChange } from '@weir/machine';
import { partitionsAsList } from '../assignors/partitions.ts';
import { ClassicGroup } from '../classic/classic-group.ts';
import type { ClassicAnswer } from '../classic/event.ts';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import { prepareRebalance } from '../classic/rebalance.ts';
import { Step } from '../classic/step.ts';
import type { GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import { ModernGroupRuntime, type ModernMachine } from '../modern/group-runtime.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { canBeClassic, classicGroupOf } from './convert.ts';
import type { ConsumerEvents, ConsumerRules, ConsumerStep } from './event.ts';
import { checkCommit, checkFetch, nextDeadlineMs, stateOf, step } from './machine.ts';
import {
  memberKey,
  readConsumerGroup,
  readConsumerMember,
  writeConsumerGroup,
  writeConsumerMember,
} from './record.ts';
import { readSeenPattern } from './seen-pattern.ts';

const machine: ModernMachine<ConsumerGroup, ConsumerEvents, ConsumerStep, ConsumerRules> = {
  rulesOf: (host, groupId) => host.consumerRules(groupId),
  step,
  nextDeadlineMs,
  stateOf,
  write: writeConsumerGroup,
};

/** The runtime of a consumer group, which also serves classic members and may become a classic group. */
export class ConsumerGroupRuntime extends ModernGroupRuntime<
  ConsumerGroup,
  ConsumerEvents,
  ConsumerStep,
  ConsumerRules
> {
  readonly type = 'consumer';
  protected readonly machine = machine;
  readonly #writer = new ByteWriter();
  /** Members that this release refuses to restore. Their entries are removed with the first change. */
  readonly #refused = new Set<string>();
  /** The classic group that replaced this one. It serves callers that still hold this one. */
  #successor: ClassicGroupRuntime | undefined;

  /** Creates the runtime of a group that is new or was of another type. The first change writes all of it. */
  static of(group: ConsumerGroup, host: GroupHost): ConsumerGroupRuntime {
    const runtime = new ConsumerGroupRuntime(group, host, false);
    if (group.members.size > 0) host.wakeBy(runtime, runtime.nextDeadlineMs());
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
        host.log.warn('dropped member with refused pattern', { groupId, memberId, error: read.problem });
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
    for (const memberId of refused) runtime.#refused.add(memberId);
    return runtime;
  }

  consumerHeartbeat(
    heartbeat: ConsumerHeartbeat,
    freshMemberId: string,
  ): PendingAnswer<ModernHeartbeatAnswer> {
    return this.run({ kind: 'heartbeat', heartbeat, freshMemberId });
  }

  async join(request: JoinGroupRequest, freshMemberId: string): Promise<ClassicAnswer<'join'>> {
    if (this.#successor !== undefined) return this.#successor.join(request, freshMemberId);
    return this.#whenDurable(this.run({ kind: 'classicJoin', request, freshMemberId }));
  }

  async sync(request: SyncGroupRequest): Promise<ClassicAnswer<'sync'>> {
    if (this.#successor !== undefined) return this.#successor.sync(request);
    return this.#whenDurable(this.run({ kind: 'classicSync', request }));
  }

  /** Answers at once; the caller waits until the state that the answer depends on is durable. */
  heartbeat(heartbeat: GroupHeartbeat): GroupError {
    return this.run({ kind: 'classicHeartbeat', heartbeat }).answer;
  }

  leave(members: readonly LeavingMember[]): readonly GroupError[] {
    return this.run({ kind: 'classicLeave', members }).answer;
  }

  /** Delivers the result of a pattern scan. */
  onMatched(expression: string, names: Set<string>): void {
    if (!this.group.isDead) this.run({ kind: 'matched', expression, names });
  }

  /** Handles a change of topic visibility. */
  onRules(): void {
    if (!this.hasSeenTopics || this.group.isDead || this.group.patterns.size === 0) return;
    this.run({ kind: 'rules' });
  }

  checkCommit(committer: OffsetsCommitter, isTransactional: boolean): GroupError {
    return checkCommit(this.group, committer, isTransactional);
  }

  checkFetch(memberId: string | null, memberEpoch: number): GroupError {
    return checkFetch(this.group, memberId, memberEpoch);
  }

  checkDeleteOffsets(): GroupError {
    return 'NONE';
  }

  offsetExpiry(): OffsetExpiry {
    return { from: 'commit' };
  }

  describeConsumers(): ConsumerGroupDescription {
    return this.describeAs(this.group.assignor, (member) => ({
      memberId: member.memberId,
      instanceId: member.instanceId,
      rackId: member.rackId,
      epoch: member.holding.epoch,
      clientId: member.clientId,
      clientHost: member.clientHost,
      subscribedTopicNames: member.subscription.names,
      subscribedTopicRegex: readSeenPattern(member.subscription.pattern).expression,
      assigned: partitionsAsList(member.holding.assigned),
      target: partitionsAsList(this.group.targetOf(member.memberId)),
      isClassic: member.classic !== null,
    }));
  }

  /**
   * Replaces a group without members by an empty classic one for a classic member; its first save overwrites this one.
   */
  becomeEmptyClassic(): ClassicGroupRuntime {
    const group = new ClassicGroup(this.groupId);
    group.generationId = this.group.epoch;
    this.#giveUp();
    this.#successor = new ClassicGroupRuntime(group, this.host, this.isStored);
    return this.#successor;
  }

  #giveUp(): void {
    this.host.holds(-this.group.textChars);
    this.group.isDead = true;
    this.wakeAtMs = Number.POSITIVE_INFINITY;
  }

  protected saveChanges({ changed, removed, isGroupChanged }: ConsumerStep): Promise<void> | undefined {
    const { group, host } = this;
    const hasRefused = this.#refused.size > 0;
    const isUnchanged = changed.size === 0 && removed.size === 0 && !isGroupChanged && !hasRefused;
    if (group.isDead || isUnchanged) return undefined;
    const erased = removed.union(this.#refused);
    this.#refused.clear();
    if (canBeClassic(group, host.classicRules()) && host.mayMigrate('classic')) {
      return this.#becomeClassic(erased);
    }
    const changes: EntryChange[] = Array.from(erased, (memberId) => this.#memberChange(memberId, null));
    const written = this.isStored ? changed : group.members.keys();
    for (const memberId of written) changes.push(this.#memberChange(memberId, this.#encode(memberId)));
    return isGroupChanged || hasRefused || !this.isStored ? this.save(changes) : host.put(this, changes);
  }

  /** Only classic members are left: the group becomes classic again and its members assign by themselves. */
  #becomeClassic(removed: ReadonlySet<string>): Promise<void> {
    const host = this.host;
    const nowMs = host.monotonicMs();
    const group = classicGroupOf(this.group, host.topics, nowMs);
    const successor = new ClassicGroupRuntime(group, host, true);
    const memberIds = [...removed, ...this.group.members.keys()];
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
    writeConsumerMember(this.group.member(memberId)!, this.#writer);
    return this.#writer.take();
  }

  #memberChange(memberId: string, value: Buffer | null): EntryChange {
    return { namespace: 'groupMember', key: memberKey(this.groupId, memberId), value };
  }

  async #whenDurable<Answer>({ answer, saved }: PendingAnswer<Answer>): Promise<Answer> {
    await (saved ?? this.host.settled());
    return answer;
  }
}
