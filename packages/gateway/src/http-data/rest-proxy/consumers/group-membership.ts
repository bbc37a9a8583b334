import {
  assignRanges,
  consumerProtocolType,
  rangeAssignorName,
  readAssignment,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { apis, errors, type ResponseOf } from '@weir/wire';
import type { HandlerClient } from '../../handler-client.ts';
import { groupProblem } from './consumer-problems.ts';
import { type Committer, coordinatorCodes } from './group-offsets.ts';
import type { Place } from './held-partitions.ts';
import { partitionCounts } from './topic-names.ts';

type Joined = ResponseOf<typeof apis.JoinGroup>;

interface GroupMembershipOptions {
  readonly client: HandlerClient;
  readonly groupId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with all partitions of the member: when it has got them, and without any when it has lost or left them. */
  readonly onAssigned: (places: readonly Place[]) => void;
}

interface Readiness {
  readonly topics: readonly string[];
  readonly waitMs: number;
  /** Aborted when the caller has left. */
  readonly left: AbortSignal;
  /** Called before the member gives up its partitions because of a rebalance. */
  readonly beforeRejoin: () => Promise<void>;
}

/** Defaults of Kafka's consumer. A member that does not read for the poll interval leaves. */
const sessionTimeoutMs = 45_000;
const heartbeatMs = 3_000;
const pollIntervalMsMax = 300_000;
const joinVersion = 9;
const syncVersion = 5;
const heartbeatVersion = 4;
const leaveVersion = 5;
/** How often a leader looks for new partitions. */
const countsAgeMs = 30_000;
const pauseBetweenJoinsMs = 100;

/**
 * A member of a classic group, by the eager protocol with ranges. As in Kafka's consumer, it joins and rejoins when it
 * is read from, and sends heartbeats in between: partitions change hands only when the caller comes for more records,
 * and so is done with those it has. A rebalance that takes longer than one read goes on until the next.
 */
export class GroupMembership {
  readonly #options: GroupMembershipOptions;
  #state: 'out' | 'joining' | 'member' | 'mustRejoin' = 'out';
  #memberId = '';
  #generationId = -1;
  #topics: readonly string[] = [];
  #joining: Promise<void> = Promise.resolve();
  #attempt = 0;
  #failure: unknown;
  /** What the assignment was made of, if this member is the leader. */
  #assigned: { readonly counts: ReadonlyMap<string, number>; checkedMs: number } | undefined;
  #cancelHeartbeat = () => {};
  #readMs = 0;
  #isEnded = false;

  constructor(options: GroupMembershipOptions) {
    this.#options = options;
  }

  /** As whom to commit; without a member id unless it is a member. */
  get committer(): Committer {
    const { groupId } = this.#options;
    const isMember = this.#state === 'member' || this.#state === 'mustRejoin';
    return {
      groupId,
      memberId: isMember ? this.#memberId : '',
      generationId: isMember ? this.#generationId : -1,
    };
  }

  /** Whether the member has to give up its partitions with the next read. */
  get mustRejoin(): boolean {
    return this.#state === 'mustRejoin' || this.#state === 'out';
  }

  /**
   * Joins or rejoins if that is due, and returns whether it is a member within some time. What fails later is thrown by
   * the next call.
   */
  async ready({ topics, waitMs, left, beforeRejoin }: Readiness): Promise<boolean> {
    this.#readMs = this.#options.clock.monotonicMs();
    if (this.#state === 'member' && (!isSame(topics, this.#topics) || (await this.#hasNewPartitions())))
      this.#state = 'mustRejoin';
    if (this.#state === 'mustRejoin') await beforeRejoin();
    if (this.#state === 'mustRejoin' || this.#state === 'out') this.#startJoining(topics);
    if (this.#state === 'joining') await this.#joinedWithin(waitMs, left);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    return this.#state === 'member';
  }

  /** Leaves the group. It may be joined again. */
  async leave(): Promise<void> {
    this.#cancelHeartbeat();
    this.#state = 'out';
    this.#assigned = undefined;
    this.#options.onAssigned([]);
    const memberId = this.#memberId;
    this.#memberId = '';
    if (memberId !== '') await this.#sendLeave(memberId);
  }

  /** Leaves for good. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.leave();
  }

  #startJoining(topics: readonly string[]): void {
    this.#cancelHeartbeat();
    this.#state = 'joining';
    this.#topics = topics;
    this.#options.onAssigned([]);
    const attempt = ++this.#attempt;
    const isWanted = () => this.#state === 'joining' && this.#attempt === attempt && !this.#isEnded;
    this.#joining = this.#join(topics, isWanted).catch((error: unknown) => {
      if (!isWanted()) return;
      this.#state = 'out';
      this.#failure = error;
    });
  }

  async #joinedWithin(waitMs: number, left: AbortSignal): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(waitMs, waited.resolve);
    const leave = () => waited.resolve();
    left.addEventListener('abort', leave);
    await Promise.race([this.#joining, waited.promise]);
    cancel();
    left.removeEventListener('abort', leave);
  }

  async #join(topics: readonly string[], isWanted: () => boolean): Promise<void> {
    const { client } = this.#options;
    while (isWanted()) {
      const joined = await client.call(apis.JoinGroup, joinVersion, this.#joinRequest(topics), 0);
      if (!isWanted()) {
        // It has left meanwhile, maybe before it knew its id, which the group would go on to expect.
        const hasId = joined.errorCode === 0 || joined.errorCode === errors.MEMBER_ID_REQUIRED.code;
        if (hasId) await this.#sendLeave(joined.memberId);
        return;
      }
      if (joined.errorCode === 0) {
        this.#memberId = joined.memberId;
        this.#generationId = joined.generationId ?? -1;
        if (await this.#sync(joined, isWanted)) return;
      } else if (joined.errorCode === errors.MEMBER_ID_REQUIRED.code) {
        this.#memberId = joined.memberId;
        continue;
      } else this.#retryOrThrow(joined.errorCode);
      await client.pause(pauseBetweenJoinsMs);
    }
  }

  #joinRequest(topics: readonly string[]) {
    return {
      groupId: this.#options.groupId,
      sessionTimeoutMs,
      rebalanceTimeoutMs: pollIntervalMsMax,
      memberId: this.#memberId,
      groupInstanceId: null,
      protocolType: consumerProtocolType,
      protocols: [{ name: rangeAssignorName, metadata: writeSubscription(topics) }],
      reason: null,
    };
  }

  /** Returns whether the member has its partitions. */
  async #sync(joined: Joined, isWanted: () => boolean): Promise<boolean> {
    const { client, groupId, clock } = this.#options;
    const isLeader = joined.leader === joined.memberId && joined.skipAssignment !== true;
    const assignments = isLeader ? await this.#assign(joined) : [];
    if (!isLeader) this.#assigned = undefined;
    const request = {
      groupId,
      generationId: this.#generationId,
      memberId: joined.memberId,
      groupInstanceId: null,
      protocolType: consumerProtocolType,
      protocolName: joined.protocolName,
      assignments,
    };
    const { errorCode, assignment } = await client.call(apis.SyncGroup, syncVersion, request, 0);
    if (!isWanted()) return true;
    if (errorCode !== 0) {
      this.#retryOrThrow(errorCode);
      return false;
    }
    const assigned = readAssignment(wholeOf(assignment));
    if (assigned === undefined)
      throw new HttpProblem(500, `The leader of the group ${groupId} sent an unreadable assignment.`, {
        errorCode: 50002,
      });
    this.#state = 'member';
    this.#readMs = Math.max(this.#readMs, clock.monotonicMs());
    this.#options.onAssigned(
      assigned.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition }))),
    );
    this.#planHeartbeat();
    return true;
  }

  /** As the leader, assigns the partitions of all topics that members read. */
  async #assign({ members }: Joined) {
    const subscribers = members.map(({ memberId, groupInstanceId, metadata }) => ({
      memberId,
      instanceId: groupInstanceId ?? null,
      topics: new Set(readSubscription(wholeOf(metadata))?.topics ?? []),
    }));
    const wanted = new Set(subscribers.flatMap(({ topics }) => [...topics]));
    const counts = await partitionCounts(this.#options.client, [...wanted]);
    this.#assigned = { counts, checkedMs: this.#options.clock.monotonicMs() };
    return [...assignRanges(subscribers, counts)].map(([memberId, partitions]) => {
      const named = [...partitions].map(([topic, indexes]) => ({ topic, partitions: indexes }));
      return { memberId, assignment: writeAssignment(0, named) };
    });
  }

  /** Whether a leader has to assign again, because topics were created, deleted or enlarged. */
  async #hasNewPartitions(): Promise<boolean> {
    const { client, clock } = this.#options;
    const assigned = this.#assigned;
    if (assigned === undefined || clock.monotonicMs() - assigned.checkedMs < countsAgeMs) return false;
    assigned.checkedMs = clock.monotonicMs();
    const names = new Set([...assigned.counts.keys(), ...this.#topics]);
    const counts = await partitionCounts(client, [...names]);
    return [...names].some((name) => counts.get(name) !== assigned.counts.get(name));
  }

  #planHeartbeat(): void {
    this.#cancelHeartbeat();
    this.#cancelHeartbeat = this.#options.clock.after(heartbeatMs, () => void this.#heartbeat());
  }

  async #heartbeat(): Promise<void> {
    const { client, groupId, clock, log } = this.#options;
    const generationId = this.#generationId;
    const memberId = this.#memberId;
    const isCurrent = () =>
      this.#generationId === generationId && this.#memberId === memberId && this.#state !== 'joining';
    try {
      if (clock.monotonicMs() - this.#readMs > pollIntervalMsMax) {
        log.info('removed idle consumer instance from its group', { groupId, memberId });
        await this.leave();
        return;
      }
      const request = { groupId, generationId, memberId, groupInstanceId: null };
      const { errorCode } = await client.call(apis.Heartbeat, heartbeatVersion, request, 0);
      if (isCurrent() && this.#state !== 'out') this.#takeHeartbeat(errorCode);
    } catch (error) {
      log.warn('failed to send heartbeat of consumer instance', { groupId, memberId, error: String(error) });
      if (isCurrent() && this.#state !== 'out') this.#planHeartbeat();
    }
  }

  #takeHeartbeat(errorCode: number): void {
    switch (errorCode) {
      case errors.REBALANCE_IN_PROGRESS.code:
        this.#state = 'mustRejoin';
        break;
      case errors.UNKNOWN_MEMBER_ID.code:
      case errors.FENCED_INSTANCE_ID.code:
        this.#memberId = '';
        this.#lose();
        return;
      case errors.ILLEGAL_GENERATION.code:
        this.#lose();
        return;
      case errors.GROUP_AUTHORIZATION_FAILED.code:
        this.#failure = groupProblem(this.#options.groupId, errorCode);
        this.#lose();
        return;
      default:
    }
    this.#planHeartbeat();
  }

  /** Other members may own its partitions by now. */
  #lose(): void {
    this.#state = 'out';
    this.#assigned = undefined;
    this.#options.onAssigned([]);
  }

  /** Returns if the member should join again. */
  #retryOrThrow(errorCode: number): void {
    switch (errorCode) {
      case errors.UNKNOWN_MEMBER_ID.code:
      case errors.FENCED_INSTANCE_ID.code:
        this.#memberId = '';
        return;
      case errors.ILLEGAL_GENERATION.code:
      case errors.REBALANCE_IN_PROGRESS.code:
        return;
      default:
        if (!coordinatorCodes.has(errorCode)) throw groupProblem(this.#options.groupId, errorCode);
    }
  }

  async #sendLeave(memberId: string): Promise<void> {
    const { client, groupId, log } = this.#options;
    const members = [{ memberId, groupInstanceId: null, reason: 'the consumer instance ended' }];
    try {
      await client.call(apis.LeaveGroup, leaveVersion, { groupId, memberId: '', members }, 0);
    } catch (error) {
      // The group notices by the missing heartbeats.
      log.warn('failed to leave group of consumer instance', { groupId, memberId, error: String(error) });
    }
  }
}

function wholeOf(bytes: Uint8Array | readonly Uint8Array[]): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((topic, at) => topic === b[at]);
}
