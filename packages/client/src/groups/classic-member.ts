import {
  consumerProtocolType,
  type NamedPartitions,
  readAssignment,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from '@weir/cluster/assignors';
import { Failure } from '@weir/core';
import { apis, errors, type ResponseOf } from '@weir/wire';
import { KafkaRequestFailed } from '../request-failed.ts';
import type { Transport } from '../transport.ts';
import { type Balancer, rangeBalancer } from './balancers.ts';
import { type Committer, noMember } from './offset-commit.ts';

interface ClassicMemberOptions {
  readonly groupId: string;
  /** A member without a heartbeat for longer is considered dead. */
  readonly sessionTimeoutMs: number;
  /** How long a rebalance waits for this member. */
  readonly rebalanceTimeoutMs: number;
  /** By preference. Ranges if absent. */
  readonly balancers?: readonly [Balancer, ...Balancer[]];
  /** The coordinator of the group, for requests whose answers may take longer than usual. */
  readonly coordinator: (longerMs: number) => Promise<Transport>;
  /** The partition counts of topics. Those that do not exist may be left out. */
  readonly partitionCounts: (topics: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Leaves as a member that was forgotten before it knew its id, which the group would go on to expect. */
  readonly leave: (memberId: string) => Promise<void>;
}

/** What a member has until the next rebalance. */
interface Joined {
  /** `undefined` if the leader of the group sent something unreadable. */
  readonly partitions: readonly NamedPartitions[] | undefined;
  /** What the assignment was made of, if this member is the leader. */
  readonly counts: ReadonlyMap<string, number> | undefined;
}

/** Whether the member has its partitions, has to rejoin, or may have lost them to others already. */
export type Membership = 'stable' | 'rebalancing' | 'lost';

type JoinAnswer = ResponseOf<typeof apis.JoinGroup>;

const joinVersion = 9;
const syncVersion = 5;
const heartbeatVersion = 4;
const leaveVersion = 5;

/**
 * One member of a classic consumer group. By the eager protocol it gives up all partitions before every rebalance; if
 * all its balancers are cooperative, it says what it keeps. When to join, to send heartbeats and to leave is up to the
 * caller.
 */
export class ClassicMember {
  readonly #options: ClassicMemberOptions;
  #committer: Committer;
  #forgotten = 0;

  constructor(options: ClassicMemberOptions) {
    this.#options = options;
    this.#committer = { groupId: options.groupId, ...noMember };
  }

  /** As whom to commit. */
  get committer(): Committer {
    return this.#committer;
  }

  /** Whether it keeps partitions while the group rebalances. */
  get isCooperative(): boolean {
    return this.#balancers.every(({ isCooperative }) => isCooperative);
  }

  /**
   * Joins or rejoins once, with the partitions that it keeps if it is cooperative. Returns `undefined` if it has to do
   * so again, after a pause.
   */
  async join(topics: readonly string[], owned: readonly NamedPartitions[] = []): Promise<Joined | undefined> {
    const { groupId, rebalanceTimeoutMs } = this.#options;
    const hadId = this.#committer.memberId !== noMember.memberId;
    const forgotten = this.#forgotten;
    const refuseIfForgotten = () => {
      if (this.#forgotten !== forgotten) throw new Failure(`group ${groupId} was left`);
    };
    // The answer comes when the last member has joined or timed out.
    const coordinator = await this.#options.coordinator(rebalanceTimeoutMs);
    const joined = await this.#requestJoin(coordinator, topics, owned);
    const { errorCode, memberId, generationId = -1 } = joined;
    const hasId = errorCode === errors.NONE.code || errorCode === errors.MEMBER_ID_REQUIRED.code;
    if (this.#forgotten !== forgotten && hasId) await this.#options.leave(memberId);
    refuseIfForgotten();
    if (hasId) this.#committer = { groupId, memberId, generationId };
    const isFirstId = !hadId && memberId !== noMember.memberId;
    if (errorCode === errors.MEMBER_ID_REQUIRED.code && isFirstId) return await this.join(topics, owned);
    if (this.membershipAfter(errorCode) !== 'stable') return undefined;
    const isLeader = joined.leader === memberId && joined.skipAssignment !== true;
    const made = isLeader ? await this.#assign(joined) : undefined;
    const synced = await coordinator.call(apis.SyncGroup, syncVersion, {
      ...this.#committer,
      groupInstanceId: null,
      protocolType: consumerProtocolType,
      protocolName: joined.protocolName,
      assignments: made?.assignments ?? [],
    });
    refuseIfForgotten();
    if (this.membershipAfter(synced.errorCode) !== 'stable') return undefined;
    return { partitions: readAssignment(wholeOf(synced.assignment)), counts: made?.counts };
  }

  async heartbeat(): Promise<Membership> {
    const committer = this.#committer;
    const coordinator = await this.#options.coordinator(0);
    const request = { ...committer, groupInstanceId: null };
    const { errorCode } = await coordinator.call(apis.Heartbeat, heartbeatVersion, request);
    // It may have rejoined or left meanwhile.
    return this.#committer === committer ? this.membershipAfter(errorCode) : 'stable';
  }

  /** Forgets that it is a member, and returns its id to leave the group with; empty if it has none. */
  forget(): string {
    const { groupId, memberId } = this.#committer;
    this.#committer = { groupId, ...noMember };
    this.#forgotten++;
    return memberId;
  }

  /** What an error code in an answer to the member means. Codes that do not concern its membership are thrown. */
  membershipAfter(errorCode: number): Membership {
    switch (errorCode) {
      case errors.NONE.code:
        return 'stable';
      case errors.REBALANCE_IN_PROGRESS.code:
      case errors.MEMBER_ID_REQUIRED.code:
        return 'rebalancing';
      case errors.UNKNOWN_MEMBER_ID.code:
      case errors.FENCED_INSTANCE_ID.code:
        this.#committer = { ...this.#committer, memberId: noMember.memberId };
        return 'lost';
      case errors.ILLEGAL_GENERATION.code:
        return 'lost';
      default:
        throw new KafkaRequestFailed(`group ${this.#options.groupId}`, errorCode);
    }
  }

  get #balancers(): readonly [Balancer, ...Balancer[]] {
    return this.#options.balancers ?? [rangeBalancer];
  }

  #requestJoin(
    coordinator: Transport,
    topics: readonly string[],
    owned: readonly NamedPartitions[],
  ): Promise<JoinAnswer> {
    const { generationId } = this.#committer;
    const { groupId, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options;
    return coordinator.call(apis.JoinGroup, joinVersion, {
      groupId,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      memberId: this.#committer.memberId,
      groupInstanceId: null,
      protocolType: consumerProtocolType,
      protocols: this.#balancers.map(({ name, isCooperative }) => ({
        name,
        metadata: isCooperative
          ? writeSubscription(topics, { owned, generationId })
          : writeSubscription(topics),
      })),
      reason: null,
    });
  }

  /** As the leader, assigns the partitions of all topics that members read. */
  async #assign({ members, protocolName }: JoinAnswer) {
    const balancer = this.#balancers.find(({ name }) => name === protocolName) ?? this.#balancers[0];
    const subscribers = members.map(({ memberId, groupInstanceId = null, metadata }) => {
      const { topics, owned = [], generationId = -1 } = readSubscription(wholeOf(metadata)) ?? {};
      return { memberId, instanceId: groupInstanceId, topics: new Set(topics), owned, generationId };
    });
    const wanted = new Set(subscribers.flatMap(({ topics }) => [...topics]));
    const counts = await this.#options.partitionCounts([...wanted]);
    const assignments = [...balancer.assign(subscribers, counts)].map(([memberId, assigned]) => {
      const named = [...assigned].map(([topic, partitions]) => ({ topic, partitions }));
      return { memberId, assignment: writeAssignment(0, named) };
    });
    return { counts, assignments };
  }
}

/** Removes a member, so that the others need not wait for its session timeout. */
export async function leaveGroup(
  coordinator: Transport,
  { groupId, memberId, reason = null }: { groupId: string; memberId: string; reason?: string | null },
): Promise<void> {
  const { errorCode } = await coordinator.call(apis.LeaveGroup, leaveVersion, (version) =>
    version >= 3
      ? { groupId, memberId: '', members: [{ memberId, groupInstanceId: null, reason }] }
      : { groupId, memberId, members: [] },
  );
  const isGone = errorCode === errors.NONE.code || errorCode === errors.UNKNOWN_MEMBER_ID.code;
  if (!isGone) throw new KafkaRequestFailed(`group ${groupId}`, errorCode);
}

function wholeOf(bytes: Uint8Array | readonly Uint8Array[]): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes);
}
