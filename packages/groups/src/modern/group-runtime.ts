import type {
  GroupDescription,
  GroupError,
  GroupListing,
  GroupStateName,
  OffsetsCommitter,
  TopicPartition,
} from '@weir/cluster';
import type { ByteWriter, EntryChange } from '@weir/machine';
import type { AnswerOf, EventOf, EventTable } from '../event-table.ts';
import type { Group, GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import type { ModernGroup } from './modern-group.ts';
import type { ModernEvents, ModernRules, Stepped } from './modern-step.ts';

/** The state machine of one type of modern groups. */
export interface ModernMachine<State, Events extends EventTable<Events>, Effects, Rules extends ModernRules> {
  rulesOf(host: GroupHost, groupId: string): Rules;
  step<Kind extends keyof Events>(
    group: State,
    event: EventOf<Events, Kind>,
    nowMs: number,
    rules: Rules,
    topics: GroupHost['topics'],
  ): Stepped<Effects, AnswerOf<Events, Kind>>;
  /** Returns the earliest deadline of the group, when it must be woken. */
  nextDeadlineMs(group: State, rules: Rules): number;
  /** The state as Kafka reports it. */
  stateOf(group: State): GroupStateName;
  /** Writes the group entry. */
  write(group: State, writer: ByteWriter): void;
}

type MemberOf<State extends ModernGroup> = State extends ModernGroup<infer Member> ? Member : never;

/** Connects a modern group to its coordinator: feeds the state machine and executes its effects. */
export abstract class ModernGroupRuntime<
  State extends ModernGroup,
  Events extends ModernEvents & EventTable<Events>,
  Effects extends { readonly soonestMs: number },
  Rules extends ModernRules,
> implements Group
{
  abstract readonly type: 'consumer' | 'share' | 'streams';
  wakeAtMs = Number.POSITIVE_INFINITY;
  protected abstract readonly machine: ModernMachine<State, Events, Effects, Rules>;
  protected readonly group: State;
  protected readonly host: GroupHost;
  protected isStored: boolean;
  /** A new leader must check the topics once. */
  protected hasSeenTopics: boolean;

  protected constructor(group: State, host: GroupHost, isStored: boolean) {
    this.group = group;
    this.host = host;
    this.isStored = isStored;
    this.hasSeenTopics = !isStored;
    host.holds(group.textChars);
  }

  get groupId(): string {
    return this.group.groupId;
  }

  get isEmpty(): boolean {
    return this.group.members.size === 0;
  }

  get isForgettable(): boolean {
    return !this.isStored && this.isEmpty;
  }

  /** Handles topics that were created, grown or deleted. */
  onTopics(names: readonly string[]): void {
    if (this.hasSeenTopics && names.some((name) => this.group.isConcernedBy(name))) {
      this.#runCommon({ kind: 'topics', names });
    }
  }

  abstract checkCommit(
    committer: OffsetsCommitter,
    isTransactional: boolean,
    partitions: readonly TopicPartition[],
  ): GroupError;
  abstract checkFetch(memberId: string | null, memberEpoch: number): GroupError;
  abstract checkDeleteOffsets(): GroupError;
  abstract offsetExpiry(): OffsetExpiry;

  isSubscribedTo(topicName: string): boolean {
    this.#checkTopicsOnce();
    return this.group.isSubscribedTo(topicName);
  }

  listing(): GroupListing {
    const { groupId, type } = this;
    return { groupId, protocolType: type, state: this.machine.stateOf(this.group), type };
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

  /** The description by the describe API of the type. */
  protected describeAs<Member>(assignor: string, memberOf: (member: MemberOf<State>) => Member) {
    const { group, groupId, machine } = this;
    const members = Array.from(group.members.values() as Iterable<MemberOf<State>>, memberOf);
    const { epoch, assignmentEpoch } = group;
    const state = machine.stateOf(group);
    return { error: 'NONE' as const, groupId, state, epoch, assignmentEpoch, assignor, members };
  }

  delete(): GroupError {
    const { answer } = this.#runCommon({ kind: 'delete' });
    // The caller of delete waits for everything that was decided until then.
    if (answer === 'NONE') this.host.erase(this).catch(() => {});
    return answer;
  }

  tick(): number {
    if (!this.group.isDead) this.#runCommon({ kind: 'tick' });
    return this.group.isDead ? Number.POSITIVE_INFINITY : this.nextDeadlineMs();
  }

  write(writer: ByteWriter): void {
    this.machine.write(this.group, writer);
  }

  /** Stores the group together with other entries of it. */
  save(others?: readonly EntryChange[]): Promise<void> {
    this.isStored = true;
    return this.host.save(this, others);
  }

  protected nextDeadlineMs(): number {
    return this.machine.nextDeadlineMs(this.group, this.#rules());
  }

  #rules(): Rules {
    return this.machine.rulesOf(this.host, this.groupId);
  }

  /** No request waits here for longer than a save takes. */
  close(): void {}

  /** Stores the changes of an event; returns `undefined` if there are none. */
  protected abstract saveChanges(effects: Effects): Promise<void> | undefined;

  protected run<Kind extends keyof Events>(
    event: EventOf<Events, Kind>,
  ): PendingAnswer<AnswerOf<Events, Kind>> {
    this.#checkTopicsOnce();
    const { group, host } = this;
    const { textChars } = group;
    const now = host.monotonicMs();
    const { answer, effects } = this.machine.step(group, event, now, this.#rules(), host.topics);
    if (group.textChars !== textChars) host.holds(group.textChars - textChars);
    if (effects.soonestMs < this.wakeAtMs) host.wakeBy(this, effects.soonestMs);
    const saved = this.saveChanges(effects);
    // Callers that depend on the save await it; the saver retries in any case.
    saved?.catch(() => {});
    return { answer, saved };
  }

  /** Runs an event that all types know. The compiler cannot see that `Events` contains it unchanged. */
  #runCommon<Kind extends keyof ModernEvents>(
    event: EventOf<ModernEvents, Kind>,
  ): PendingAnswer<AnswerOf<Events, Kind>> {
    return this.run(event as EventOf<Events, Kind>);
  }

  #checkTopicsOnce(): void {
    if (this.hasSeenTopics) return;
    this.hasSeenTopics = true;
    this.#runCommon({ kind: 'topics' });
  }
}
