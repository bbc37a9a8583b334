import { Failure } from '@weir/core';
import { errorByCode, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import { findCoordinator } from '../coordinator.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { ClassicMember, leaveGroup } from './classic-member.ts';
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
type Holding = 'stable' | 'rebalancing';

/** Avoids a tight loop when a group rejects a member repeatedly. */
const pauseBetweenJoinsMs = 100;

/** A member of a consumer group that reads one topic, over connections to a cluster. */
export class GroupMember {
  readonly #cluster: KafkaCluster;
  readonly #options: GroupMemberOptions;
  readonly #member: ClassicMember;

  constructor(cluster: KafkaCluster, options: GroupMemberOptions) {
    this.#cluster = cluster;
    this.#options = options;
    const { groupId } = options;
    this.#member = new ClassicMember({
      ...options,
      coordinator: async (longerMs) => (await this.#coordinator()).transport(cluster.timeoutMs + longerMs),
      partitionCounts: async (names) => {
        const { topics } = await cluster.metadata(names);
        return new Map(topics.map(({ name, partitions }) => [name ?? '', partitions.length]));
      },
      leave: async (memberId) =>
        leaveGroup((await this.#coordinator()).transport(cluster.timeoutMs), { groupId, memberId }),
    });
  }

  /** Joins or rejoins, and returns the partitions of this member until the next rebalance. */
  async join(): Promise<readonly number[]> {
    const { topicName } = this.#options;
    for (;;) {
      const joined = await this.#cluster.retrying(() => this.#member.join([topicName]));
      if (joined !== undefined) {
        if (joined.partitions === undefined)
          throw new Failure(`${this.#subject}: the group leader sent an invalid assignment`);
        return joined.partitions.find(({ topic }) => topic === topicName)?.partitions ?? [];
      }
      await this.#cluster.pause(pauseBetweenJoinsMs);
      if (this.#cluster.stop.aborted) throw new Failure(`failed to join ${this.#subject}: stopped`);
    }
  }

  /** Sends a heartbeat. If the coordinator cannot be reached, the membership counts as unchanged. */
  heartbeat(): Promise<Holding> {
    return this.#whileMember(async () => (await this.#member.heartbeat()) === 'stable');
  }

  /** Commits the offsets of the next records to read, with retries for a while if the coordinator cannot be reached. */
  commit(offsets: ReadonlyMap<number, bigint>): Promise<Holding> {
    if (offsets.size === 0) return Promise.resolve('stable');
    const { timeoutMs } = this.#cluster;
    const { topicName } = this.#options;
    const next = [...offsets].map(([partition, offset]) => ({ topic: topicName, partition, offset }));
    const commitOnce = async () => {
      const coordinator = (await this.#coordinator()).transport(timeoutMs);
      const committed = await requestCommit(coordinator, this.#member.committer, next);
      const codes = committed.map(({ errorCode }) => errorCode);
      const code = codes.find((one) => one !== errors.NONE.code) ?? errors.NONE.code;
      if (errorByCode(code)?.retriable) throw new KafkaRequestFailed(this.#subject, code);
      return this.#member.membershipAfter(code) === 'stable';
    };
    return this.#whileMember(() => this.#cluster.retrying(commitOnce));
  }

  /** Leaves the group through separate connections, so that the other members need not wait for the session timeout. */
  async leave(cluster: KafkaCluster): Promise<void> {
    const memberId = this.#member.forget();
    if (memberId === '') return;
    const { groupId } = this.#options;
    await cluster.retrying(async () => {
      const coordinator = await this.#coordinator(cluster);
      await leaveGroup(coordinator.transport(cluster.timeoutMs), { groupId, memberId });
    });
  }

  get #subject(): string {
    return `group ${this.#options.groupId}`;
  }

  async #coordinator(cluster = this.#cluster): Promise<KafkaConnection> {
    return cluster.connectionTo(await findCoordinator(cluster, this.#options.groupId));
  }

  async #whileMember(isStable: () => Promise<boolean>): Promise<Holding> {
    try {
      return (await isStable()) ? 'stable' : 'rebalancing';
    } catch (error) {
      const mayPass =
        error instanceof KafkaRequestFailed ? error.transient : error instanceof ConnectionFailed;
      if (mayPass) return 'stable';
      throw error;
    }
  }
}
