import type {
  GroupDescription,
  GroupError,
  GroupHeartbeat,
  GroupListing,
  JoinGroupRequest,
  LeavingMember,
  OffsetsCommitter,
  SyncGroupRequest,
} from '@weir/cluster';
import type { ByteReader, ByteWriter } from '@weir/machine';
import type { Group, GroupHost, OffsetExpiry } from '../group.ts';
import { ClassicGroup, metadataOf, noBytes, type Token } from './classic-group.ts';
import type {
  ClassicAnswer,
  ClassicCall,
  ClassicCallKind,
  ClassicEvent,
  ClassicReply,
  Effects,
} from './event.ts';
import { step } from './machine.ts';
import { readClassicGroup, writeClassicGroup } from './record.ts';
import { Step } from './step.ts';
import { isConsumerGroup, subscribedTopics } from './subscription.ts';
import { nextDeadlineMs } from './tick.ts';

interface Waiting {
  resolve(reply: ClassicReply): void;
  reject(error: Error): void;
}

/** Connects a classic group to its coordinator: feeds the state machine and executes its effects. */
export class ClassicGroupRuntime implements Group {
  readonly type = 'classic';
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #group: ClassicGroup;
  readonly #host: GroupHost;
  readonly #waiting = new Map<Token, Waiting>();
  #lastToken = 0;
  #isStored: boolean;
  /** Topics of the present generation; computed on demand. */
  #topics: { readonly generationId: number; readonly names: ReadonlySet<string> | undefined } | undefined;

  constructor(group: ClassicGroup, host: GroupHost, isStored: boolean) {
    this.#group = group;
    this.#host = host;
    this.#isStored = isStored;
  }

  static empty(groupId: string, host: GroupHost): ClassicGroupRuntime {
    return new ClassicGroupRuntime(new ClassicGroup(groupId), host, false);
  }

  static read(groupId: string, reader: ByteReader, host: GroupHost): ClassicGroupRuntime {
    const group = readClassicGroup(groupId, reader, host.monotonicMs());
    host.holds(group.metadataBytes);
    return new ClassicGroupRuntime(group, host, true);
  }

  get groupId(): string {
    return this.#group.groupId;
  }

  get isForgettable(): boolean {
    const { state, pending, members } = this.#group;
    return !this.#isStored && state === 'Empty' && members.size === 0 && pending.size === 0;
  }

  join(request: JoinGroupRequest, freshMemberId: string): Promise<ClassicAnswer<'join'>> {
    return this.#wait({ kind: 'join', request, freshMemberId });
  }

  sync(request: SyncGroupRequest): Promise<ClassicAnswer<'sync'>> {
    return this.#wait({ kind: 'sync', request });
  }

  /** Answers at once; the caller waits until the state that the answer depends on is durable. */
  heartbeat(heartbeat: GroupHeartbeat): GroupError {
    return this.#ask({ kind: 'heartbeat', heartbeat });
  }

  leave(members: readonly LeavingMember[]): readonly GroupError[] {
    return this.#ask({ kind: 'leave', members });
  }

  checkCommit(committer: OffsetsCommitter, isTransactional: boolean): GroupError {
    return this.#ask({ kind: 'commit', committer, isTransactional });
  }

  /** Classic members do not identify themselves in OffsetFetch. */
  checkFetch(): GroupError {
    return 'NONE';
  }

  checkDeleteOffsets(): GroupError {
    return this.#group.members.size > 0 && !isConsumerGroup(this.#group) ? 'NON_EMPTY_GROUP' : 'NONE';
  }

  isSubscribedTo(topicName: string): boolean {
    const { members, generationId } = this.#group;
    if (members.size === 0) return false;
    if (this.#topics?.generationId !== generationId) {
      this.#topics = { generationId, names: subscribedTopics(this.#group, members.values()) };
    }
    // A subscription in an unknown format may include any topic.
    return this.#topics.names?.has(topicName) ?? true;
  }

  offsetExpiry(): OffsetExpiry {
    const { protocolType, state, emptySinceMs } = this.#group;
    if (protocolType === null) return { from: 'commit' };
    if (state === 'Empty') {
      return emptySinceMs === undefined ? { from: 'commit' } : { from: 'empty', sinceMs: emptySinceMs };
    }
    return state === 'Stable' && isConsumerGroup(this.#group) ? { from: 'commit' } : { from: 'never' };
  }

  listing(): GroupListing {
    const { groupId, protocolType, state } = this.#group;
    return { groupId, protocolType: protocolType ?? '', state, type: this.type };
  }

  describe(): GroupDescription {
    const { groupId, protocolType, protocolName, state, generationId, members } = this.#group;
    const isStable = state === 'Stable';
    return {
      error: 'NONE',
      groupId,
      state,
      protocolType: protocolType ?? '',
      protocolData: isStable ? (protocolName ?? '') : '',
      generationId,
      members: Array.from(members.values(), (member) => ({
        memberId: member.memberId,
        groupInstanceId: member.groupInstanceId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        metadata: isStable ? metadataOf(member, protocolName) : noBytes,
        assignment: isStable ? member.assignment : noBytes,
      })),
    };
  }

  delete(): GroupError {
    return this.#ask({ kind: 'delete' });
  }

  tick(): number {
    this.#run({ kind: 'tick' });
    return nextDeadlineMs(this.#group);
  }

  write(writer: ByteWriter): void {
    writeClassicGroup(this.#group, writer);
  }

  /** For a conversion to another group type; read only. */
  get group(): ClassicGroup {
    return this.#group;
  }

  /** Makes way for another group with this id: waiting requests fail with REBALANCE_IN_PROGRESS, so clients retry. */
  giveUp(): void {
    const { members, metadataBytes } = this.#group;
    const last = new Step(this.#group, this.#host.monotonicMs(), this.#host.classicRules());
    for (const member of members.values()) last.refuseWaiting(member, 'REBALANCE_IN_PROGRESS');
    this.#group.state = 'Dead';
    this.#host.holds(-metadataBytes);
    this.wakeAtMs = Number.POSITIVE_INFINITY;
    this.#release(last.answers);
  }

  onAgentsGone(agentIds: ReadonlySet<string>): void {
    this.#run({ kind: 'agentsGone', agentIds });
  }

  /** Rejects waiting requests: this process no longer coordinates the group. */
  close(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #wait<Kind extends ClassicCallKind>(call: ClassicCall<Kind>): Promise<ClassicAnswer<Kind>> {
    return new Promise((resolve, reject) => {
      const token = ++this.#lastToken;
      this.#waiting.set(token, { resolve: (reply) => resolve(reply as ClassicAnswer<Kind>), reject });
      this.#run({ ...call, token } as ClassicEvent);
    });
  }

  /** Runs an event that the machine answers at once. */
  #ask<Kind extends ClassicCallKind>(call: ClassicCall<Kind>): ClassicAnswer<Kind> {
    let found: ClassicReply | undefined;
    const token = ++this.#lastToken;
    this.#run({ ...call, token } as ClassicEvent, (answered, reply) => {
      if (answered === token) found = reply;
      return answered === token;
    });
    return found as ClassicAnswer<Kind>;
  }

  #run(event: ClassicEvent, takes: (token: Token, reply: ClassicReply) => boolean = () => false): void {
    const heldBytes = this.#group.metadataBytes;
    const effects = step(this.#group, event, this.#host.monotonicMs(), this.#host.classicRules());
    this.#host.holds(this.#group.metadataBytes - heldBytes);
    if (effects.soonestMs < this.wakeAtMs) this.#host.wakeBy(this, effects.soonestMs);
    const later = effects.answers.filter(({ token, reply }) => !takes(token, reply));
    if (!effects.isChanged && later.length === 0) return;
    const durable = effects.isChanged ? this.#save() : this.#host.settled();
    durable.then(
      () => this.#release(later),
      (error: Error) => this.#refuse(later, error),
    );
  }

  #save(): Promise<void> {
    if (this.#group.state === 'Dead') return this.#host.erase(this);
    if (this.#group.state === 'Empty') this.#group.emptySinceMs ??= this.#host.nowMs();
    this.#isStored = true;
    return this.#host.save(this);
  }

  #release(answers: Effects['answers']): void {
    for (const { token, reply } of answers) this.#take(token)?.resolve(reply);
  }

  #refuse(answers: Effects['answers'], error: Error): void {
    for (const { token } of answers) this.#take(token)?.reject(error);
  }

  #take(token: Token): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    return waiting;
  }
}
