import type {
  GroupDescription,
  GroupError,
  GroupListing,
  ShareGroupDescription,
  ShareHeartbeat,
  ShareHeartbeatAnswer,
} from '@weir/cluster';
import type { ByteReader, ByteWriter } from '@weir/machine';
import { partitionsAsList } from '../assignors/partitions.ts';
import type { Group, GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import type { ShareAnswer, ShareEvent, ShareEventKind } from './event.ts';
import { nextDeadlineMs, stateOf, step } from './machine.ts';
import { readShareGroup, writeShareGroup } from './record.ts';
import { ShareGroup } from './share-group.ts';
import { simpleAssignor } from './simple-assignor.ts';

/** Connects a share group to its coordinator: feeds the state machine and executes its effects. */
export class ShareGroupRuntime implements Group {
  readonly type = 'share';
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #group: ShareGroup;
  readonly #host: GroupHost;
  #isStored: boolean;
  /** A new leader must check the topics once. */
  #hasSeenTopics: boolean;

  private constructor(group: ShareGroup, host: GroupHost, isStored: boolean) {
    this.#group = group;
    this.#host = host;
    this.#isStored = isStored;
    this.#hasSeenTopics = !isStored;
    host.holds(group.textChars);
  }

  static empty(groupId: string, host: GroupHost): ShareGroupRuntime {
    return new ShareGroupRuntime(new ShareGroup(groupId), host, false);
  }

  static read(groupId: string, reader: ByteReader, host: GroupHost): ShareGroupRuntime {
    const sessionDeadlineMs = host.monotonicMs() + host.shareRules(groupId).sessionTimeoutMs;
    return new ShareGroupRuntime(readShareGroup(groupId, reader, sessionDeadlineMs), host, true);
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

  /** Stores a group without members. */
  keep(): Promise<void> {
    this.#isStored = true;
    return this.#host.save(this);
  }

  shareHeartbeat(heartbeat: ShareHeartbeat): PendingAnswer<ShareHeartbeatAnswer> {
    return this.#run({ kind: 'heartbeat', heartbeat });
  }

  /** Handles topics that were created, grown or deleted. */
  onTopics(names: readonly string[]): void {
    if (this.#hasSeenTopics && names.some((name) => this.#group.isSubscribedTo(name)))
      this.#run({ kind: 'topics' });
  }

  /** Share groups have acknowledgements instead of committed offsets, so offset requests do not find them. */
  checkCommit(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  checkFetch(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  checkDeleteOffsets(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  isSubscribedTo(topicName: string): boolean {
    return this.#group.isSubscribedTo(topicName);
  }

  offsetExpiry(): OffsetExpiry {
    return { from: 'never' };
  }

  listing(): GroupListing {
    return { groupId: this.groupId, protocolType: this.type, state: stateOf(this.#group), type: this.type };
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

  describeMembers(): ShareGroupDescription {
    const { groupId, epoch, members } = this.#group;
    return {
      error: 'NONE',
      groupId,
      state: stateOf(this.#group),
      epoch,
      assignmentEpoch: epoch,
      assignor: simpleAssignor,
      members: Array.from(members.values(), (member) => ({
        memberId: member.memberId,
        rackId: member.rackId,
        epoch: member.epoch ?? epoch,
        clientId: member.clientId,
        clientHost: member.clientHost,
        subscribedTopicNames: member.names,
        assigned: partitionsAsList(member.sentAssignment ?? this.#group.targetOf(member.memberId)),
      })),
    };
  }

  delete(): GroupError {
    const { answer } = this.#run({ kind: 'delete' });
    if (this.#group.isDead) {
      this.#host.holds(-this.#group.textChars);
      // The caller of delete waits for everything that was decided until then.
      this.#host.erase(this).catch(() => {});
    }
    return answer;
  }

  tick(): number {
    if (this.#group.isDead) return Number.POSITIVE_INFINITY;
    this.#run({ kind: 'tick' });
    return nextDeadlineMs(this.#group);
  }

  write(writer: ByteWriter): void {
    writeShareGroup(this.#group, writer);
  }

  /** No request waits here for longer than a save takes. */
  close(): void {}

  #run<Kind extends ShareEventKind>(event: ShareEvent<Kind>): PendingAnswer<ShareAnswer<Kind>> {
    if (!this.#hasSeenTopics) {
      this.#hasSeenTopics = true;
      this.#run({ kind: 'topics' });
    }
    const host = this.#host;
    const { textChars } = this.#group;
    const rules = host.shareRules(this.groupId);
    const { answer, isChanged, gone, soonestMs } = step(
      this.#group,
      event,
      host.monotonicMs(),
      rules,
      host.topics,
    );
    if (this.#group.textChars !== textChars) host.holds(this.#group.textChars - textChars);
    if (soonestMs < this.wakeAtMs) host.wakeBy(this, soonestMs);
    if (gone.length > 0) host.membersGone(this, gone);
    if (!isChanged) return { answer, saved: undefined };
    this.#isStored = true;
    const saved = host.save(this);
    // Callers that depend on the save await it; the saver retries in any case.
    saved.catch(() => {});
    return { answer, saved };
  }
}
