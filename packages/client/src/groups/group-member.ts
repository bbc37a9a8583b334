/**
 * One member of a classic consumer group that reads one topic. It joins, receives its assignment, sends heartbeats,
 * commits, and leaves. It gives up all partitions before every rebalance (eager protocol).
 */

import {
  assignRanges,
  consumerProtocolType,
  rangeAssignorName,
  readAssignment,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from '@weir/cluster';
import { Failure } from '@weir/core';
import { apis, errorByCode, errors, type ReadStruct } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import { findCoordinator } from '../coordinator.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { requestCommit } from './offset-commit.ts';

interface GroupMemberOptions {
  readonly groupId: string;
  readonly topicName: string;
  /** A member without a heartbeat for longer is considered dead. */
  readonly sessionTimeoutMs: number;
  /** How long a rebalance waits for this member. */
  readonly rebalanceTimeoutMs: number;
}

/** Whether the member still has its partitions, or has to rejoin. */
export type Membership = 'stable' | 'rebalancing';

/** Errors upon which a member rejoins with its current id. */
const rejoinCodes: ReadonlySet<number> = new Set([
  errors.REBALANCE_IN_PROGRESS.code,
  errors.MEMBER_ID_REQUIRED.code,
]);

/** Errors upon which it has to rejoin with a new id. */
const strangerCodes: ReadonlySet<number> = new Set([
  errors.UNKNOWN_MEMBER_ID.code,
  errors.ILLEGAL_GENERATION.code,
]);

/** Avoids a tight loop when a group rejects a member repeatedly. */
const pauseBetweenJoinsMs = 100;

type Joined = ReadStruct<typeof apis.JoinGroup.response.fields>;

export class GroupMember {
  readonly #cluster: KafkaCluster;
  readonly #options: GroupMemberOptions;
  #memberId = '';
  #generationId = -1;

  constructor(cluster: KafkaCluster, options: GroupMemberOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Joins or rejoins, and returns the partitions of this member until the next rebalance. */
  async join(): Promise<readonly number[]> {
    for (;;) {
      const partitions = await this.#cluster.retrying(() => this.#joinOnce());
      if (partitions !== undefined) return partitions;
      await this.#cluster.pause(pauseBetweenJoinsMs);
      if (this.#cluster.stop.aborted) throw new Failure(`${this.#subject} was not joined`);
    }
  }

  /** Sends a heartbeat. If the coordinator cannot be reached, the membership counts as unchanged. */
  heartbeat(): Promise<Membership> {
    return this.#whileMember(async () => {
      const coordinator = await this.#coordinator();
      const { errorCode } = await coordinator.request(
        apis.Heartbeat,
        { groupId: this.#options.groupId, generationId: this.#generationId, memberId: this.#memberId },
        { timeoutMs: this.#cluster.timeoutMs },
      );
      return errorCode;
    });
  }

  /** Commits the offsets of the next records to read, with retries for a while if the coordinator cannot be reached. */
  commit(offsets: ReadonlyMap<number, bigint>): Promise<Membership> {
    if (offsets.size === 0) return Promise.resolve('stable');
    const { groupId, topicName } = this.#options;
    const commitOnce = async () => {
      const coordinator = await this.#coordinator();
      const committed = await requestCommit(
        coordinator,
        { groupId, generationId: this.#generationId, memberId: this.#memberId },
        new Map([[topicName, offsets]]),
        this.#cluster.timeoutMs,
      );
      const codes = committed.map(({ errorCode }) => errorCode);
      const code = codes.find((one) => one !== errors.NONE.code) ?? errors.NONE.code;
      if (errorByCode(code)?.retriable) throw new KafkaRequestFailed(this.#subject, code);
      return code;
    };
    return this.#whileMember(() => this.#cluster.retrying(commitOnce));
  }

  /** Leaves the group through separate connections, so that the other members need not wait for the session timeout. */
  async leave(cluster: KafkaCluster): Promise<void> {
    const memberId = this.#memberId;
    if (memberId === '') return;
    this.#memberId = '';
    const { groupId } = this.#options;
    await cluster.retrying(async () => {
      const coordinator = await this.#coordinator(cluster);
      const { errorCode } = await coordinator.request(
        apis.LeaveGroup,
        (version) => (version >= 3 ? { groupId, members: [{ memberId }] } : { groupId, memberId }),
        { timeoutMs: cluster.timeoutMs },
      );
      if (errorCode !== errors.NONE.code && !strangerCodes.has(errorCode)) {
        throw new KafkaRequestFailed(this.#subject, errorCode);
      }
    });
  }

  get #subject(): string {
    return `group ${this.#options.groupId}`;
  }

  async #coordinator(cluster = this.#cluster): Promise<KafkaConnection> {
    return cluster.connectionTo(await findCoordinator(cluster, this.#options.groupId));
  }

  /** Joins and synchronizes once. Returns `undefined` if the member has to rejoin. */
  async #joinOnce(): Promise<readonly number[] | undefined> {
    const coordinator = await this.#coordinator();
    const joined = await this.#requestJoin(coordinator);
    if (joined.errorCode === errors.MEMBER_ID_REQUIRED.code) this.#memberId = joined.memberId;
    if (this.#mustRejoin(joined.errorCode)) return undefined;
    this.#memberId = joined.memberId;
    this.#generationId = joined.generationId;
    const isLeader = joined.leader === joined.memberId && !joined.skipAssignment;
    const { errorCode, assignment } = await coordinator.request(
      apis.SyncGroup,
      {
        groupId: this.#options.groupId,
        generationId: this.#generationId,
        memberId: this.#memberId,
        protocolType: consumerProtocolType,
        protocolName: joined.protocolName,
        assignments: isLeader ? await this.#assign(joined) : [],
      },
      { timeoutMs: this.#options.rebalanceTimeoutMs + this.#cluster.timeoutMs },
    );
    if (this.#mustRejoin(errorCode)) return undefined;
    const assigned = readAssignment(assignment);
    if (assigned === undefined)
      throw new Failure(`${this.#subject}: its leader sent an unreadable assignment`);
    return assigned.find(({ topic }) => topic === this.#options.topicName)?.partitions ?? [];
  }

  #requestJoin(coordinator: KafkaConnection): Promise<Joined> {
    const { groupId, topicName, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options;
    return coordinator.request(
      apis.JoinGroup,
      {
        groupId,
        sessionTimeoutMs,
        rebalanceTimeoutMs,
        memberId: this.#memberId,
        protocolType: consumerProtocolType,
        protocols: [{ name: rangeAssignorName, metadata: writeSubscription([topicName]) }],
      },
      // The answer comes when the last member has joined or timed out.
      { timeoutMs: rebalanceTimeoutMs + this.#cluster.timeoutMs },
    );
  }

  /** As the group leader, assigns the partitions, including those of topics that only other members read. */
  async #assign({ members }: Joined) {
    const subscribers = members.map(({ memberId, groupInstanceId, metadata }) => ({
      memberId,
      instanceId: groupInstanceId,
      topics: new Set(readSubscription(metadata)?.topics),
    }));
    const wanted = [...new Set(subscribers.flatMap(({ topics }) => [...topics]))];
    const { topics } = await this.#cluster.metadata(wanted);
    const counts = new Map(topics.map(({ name, partitions }) => [name ?? '', partitions.length]));
    return [...assignRanges(subscribers, counts)].map(([memberId, partitions]) => ({
      memberId,
      assignment: writeAssignment(
        0,
        [...partitions].map(([topic, indexes]) => ({ topic, partitions: indexes })),
      ),
    }));
  }

  /** Whether the member has to rejoin. Any other error is thrown. */
  #mustRejoin(errorCode: number): boolean {
    if (errorCode === errors.NONE.code) return false;
    if (strangerCodes.has(errorCode)) this.#memberId = '';
    else if (!rejoinCodes.has(errorCode)) throw new KafkaRequestFailed(this.#subject, errorCode);
    return true;
  }

  async #whileMember(request: () => Promise<number>): Promise<Membership> {
    try {
      return this.#mustRejoin(await request()) ? 'rebalancing' : 'stable';
    } catch (error) {
      const mayPass =
        error instanceof KafkaRequestFailed ? error.transient : error instanceof ConnectionFailed;
      if (mayPass) return 'stable';
      throw error;
    }
  }
}
