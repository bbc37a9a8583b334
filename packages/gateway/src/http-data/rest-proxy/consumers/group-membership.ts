import type { Place } from '@weir/client';
import { ClassicMember, type Committer, KafkaRequestFailed, leaveGroup, noMember } from '@weir/client';
import type { Clock, Log } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { errors } from '@weir/wire';
import type { HandlerClient } from '../../handler-client.ts';
import { groupProblem } from './consumer-problems.ts';
import { coordinatorCodes } from './group-offsets.ts';
import { partitionCounts } from './topic-names.ts';

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
/** How often a leader looks for new partitions. */
const countsAgeMs = 30_000;
const pauseBetweenJoinsMs = 100;

/**
 * A member of a classic group. As in Kafka's consumer, it joins and rejoins when it is read from, and sends heartbeats
 * in between: partitions change hands only when the caller comes for more records, and so is done with those it has. A
 * rebalance that takes longer than one read goes on until the next.
 */
export class GroupMembership {
  readonly #options: GroupMembershipOptions;
  readonly #member: ClassicMember;
  #state: 'out' | 'joining' | 'member' | 'mustRejoin' = 'out';
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
    const { client, groupId } = options;
    this.#member = new ClassicMember({
      groupId,
      sessionTimeoutMs,
      rebalanceTimeoutMs: pollIntervalMsMax,
      coordinator: async () => client,
      partitionCounts: (topics) => partitionCounts(client, topics),
      leave: (memberId) => this.#sendLeave(memberId),
    });
  }

  /** As whom to commit; without a member id unless it is a member. */
  get committer(): Committer {
    return this.#isMember ? this.#member.committer : { groupId: this.#options.groupId, ...noMember };
  }

  get #isMember(): boolean {
    return this.#state === 'member' || this.#state === 'mustRejoin';
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
    this.#lose();
    const memberId = this.#member.forget();
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
    const { client, groupId, clock } = this.#options;
    while (isWanted()) {
      const joined = await this.#member.join(topics).catch((error: unknown) => this.#retryOrThrow(error));
      if (!isWanted()) return;
      if (joined === undefined) {
        await client.pause(pauseBetweenJoinsMs);
        continue;
      }
      const { partitions, counts } = joined;
      if (partitions === undefined)
        throw new HttpProblem(500, `The leader of the group ${groupId} sent an unreadable assignment.`, {
          errorCode: 50002,
        });
      this.#assigned = counts && { counts, checkedMs: clock.monotonicMs() };
      this.#state = 'member';
      this.#readMs = Math.max(this.#readMs, clock.monotonicMs());
      this.#options.onAssigned(
        partitions.flatMap(({ topic, partitions: indexes }) =>
          indexes.map((partition) => ({ topic, partition })),
        ),
      );
      this.#planHeartbeat();
      return;
    }
  }

  /** Returns if the member should join again. */
  #retryOrThrow(error: unknown): undefined {
    if (!(error instanceof KafkaRequestFailed)) throw error;
    if (!coordinatorCodes.has(error.code)) throw groupProblem(this.#options.groupId, error.code);
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
    const { groupId, clock, log } = this.#options;
    const { memberId } = this.#member.committer;
    const attempt = this.#attempt;
    const isCurrent = () => this.#isMember && this.#attempt === attempt;
    try {
      if (clock.monotonicMs() - this.#readMs > pollIntervalMsMax) {
        log.info('removed idle consumer instance from its group', { groupId, memberId });
        await this.leave();
        return;
      }
      const membership = await this.#member.heartbeat();
      if (!isCurrent()) return;
      if (membership === 'lost') this.#lose();
      else if (membership === 'rebalancing') this.#state = 'mustRejoin';
    } catch (error) {
      if (!(error instanceof KafkaRequestFailed))
        log.warn('failed to send heartbeat of consumer instance', {
          groupId,
          memberId,
          error: String(error),
        });
      else if (isCurrent() && error.code === errors.GROUP_AUTHORIZATION_FAILED.code) {
        this.#failure = groupProblem(groupId, error.code);
        this.#lose();
      }
    }
    if (isCurrent()) this.#planHeartbeat();
  }

  /** Other members may own its partitions by now. */
  #lose(): void {
    this.#state = 'out';
    this.#assigned = undefined;
    this.#options.onAssigned([]);
  }

  async #sendLeave(memberId: string): Promise<void> {
    const { client, groupId, log } = this.#options;
    try {
      await leaveGroup(client, { groupId, memberId, reason: 'the consumer instance ended' });
    } catch (error) {
      // The group notices by the missing heartbeats.
      log.warn('failed to leave group of consumer instance', { groupId, memberId, error: String(error) });
    }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((topic, at) => topic === b[at]);
}
