import {
  type Balancer,
  ClassicMember,
  ConnectionFailed,
  findCoordinator,
  type KafkaCluster,
  KafkaRequestFailed,
  kafkaReason,
  leaveGroup,
  type Membership,
  type Place,
  requestCommit,
  requestCommitted,
  type Transport,
} from '@weir/client';
import { backOffMs, type Log, pauseUnlessStopped } from '@weir/core';
import { errors } from '@weir/wire';
import { type PartitionHolder, placeKey } from './partition-holder.ts';
import { missingTopicsMs, type Subscription, sameCounts } from './subscription.ts';

export interface GroupOptions {
  readonly groupId: string;
  readonly balancers: readonly [Balancer, ...Balancer[]];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly commitPeriodMs: number;
  /** How often topics are looked up, to find new ones and new partitions. */
  readonly metadataMaxAgeMs: number;
}

const retryBackOff = { firstMs: 100, maxMs: 5_000 };
/** Avoids a tight loop when a group rejects a member repeatedly. */
const pauseBetweenJoinsMs = 100;

/** Reads what a consumer group assigns, and commits to it. */
export class GroupAssignment {
  readonly #cluster: KafkaCluster;
  readonly #options: GroupOptions;
  readonly #subscription: Subscription;
  readonly #holder: PartitionHolder;
  readonly #log: Log;
  readonly #member: ClassicMember;
  #coordinatorAddress: { readonly host: string; readonly port: number } | undefined;
  /** Commits run one after the other, so that none is under way when partitions are given up. */
  #committing: Promise<unknown> = Promise.resolve();
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(
    cluster: KafkaCluster,
    options: GroupOptions,
    subscription: Subscription,
    holder: PartitionHolder,
    log: Log,
  ) {
    this.#cluster = cluster;
    this.#options = options;
    this.#subscription = subscription;
    this.#holder = holder;
    this.#log = log;
    this.#member = new ClassicMember({
      ...options,
      coordinator: (longerMs) => this.#coordinator(longerMs),
      partitionCounts: async (topics) => {
        const known = topics.filter((topic) => this.#counts.has(topic));
        if (known.length === topics.length) return this.#counts;
        const { topics: found } = await cluster.metadata(topics);
        return new Map(found.map(({ name, partitions }) => [name ?? '', partitions.length]));
      },
      leave: (memberId) => this.#leave(memberId),
    });
  }

  /** Joins, and rejoins whenever the group rebalances, until `stop` is aborted. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#cluster;
    let failures = 0;
    while (!stop.aborted) {
      try {
        this.#counts = await this.#subscription.partitionCounts(this.#cluster);
        if (!(await this.#join(stop))) continue;
        failures = 0;
        await this.#stay(stop);
      } catch (error) {
        if (stop.aborted) break;
        this.#log.warn('failed to be a member of the consumer group', {
          group: this.#options.groupId,
          error: kafkaReason(error),
        });
        this.#forgetCoordinator(error);
        await pauseUnlessStopped(clock, backOffMs(failures++, retryBackOff), stop);
      }
    }
  }

  /** Commits what is settled, and leaves the group, so that others get the partitions at once. */
  async leave(): Promise<void> {
    try {
      await this.#commit(this.#holder.held());
    } catch (error) {
      this.#log.warn('failed to commit offsets', { error: kafkaReason(error) });
    }
    this.#holder.drop(this.#holder.held());
    const memberId = this.#member.forget();
    if (memberId !== '') await this.#leave(memberId).catch(() => undefined);
  }

  /** Whether it has its partitions; otherwise it has to join again. */
  async #join(stop: AbortSignal): Promise<boolean> {
    const holder = this.#holder;
    const { isCooperative } = this.#member;
    if (!isCooperative) await this.#giveUp(holder.held());
    const owned = [...Map.groupBy(holder.held(), ({ topic }) => topic)].map(([topic, places]) => ({
      topic,
      partitions: places.map(({ partition }) => partition),
    }));
    const joined = await this.#member.join([...this.#counts.keys()], owned);
    if (joined === undefined) {
      // The group does not know it any more, and others may have its partitions.
      if (this.#member.committer.memberId === '') holder.drop(holder.held());
      await pauseUnlessStopped(this.#cluster.clock, pauseBetweenJoinsMs, stop);
      return false;
    }
    if (joined.partitions === undefined)
      throw new Error('the leader of the group sent an invalid assignment');
    const assigned = joined.partitions.flatMap(({ topic, partitions }) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    const assignedKeys = new Set(assigned.map(placeKey));
    const heldKeys = new Set(holder.held().map(placeKey));
    const lost = holder.held().filter((place) => !assignedKeys.has(placeKey(place)));
    await this.#giveUp(lost);
    await this.#begin(assigned.filter((place) => !heldKeys.has(placeKey(place))));
    // In the next round the partitions that it gave up go to others.
    return !isCooperative || lost.length === 0;
  }

  /** Reads on where the group has committed. */
  async #begin(places: readonly Place[]): Promise<void> {
    if (places.length === 0) return;
    const { groupId } = this.#options;
    const coordinator = await this.#coordinator(0);
    const { errorCode, offsets } = await requestCommitted(coordinator, groupId, places);
    const failed = offsets.find((one) => one.errorCode !== errors.NONE.code)?.errorCode ?? errorCode;
    if (failed !== errors.NONE.code) throw new KafkaRequestFailed(`group ${groupId}`, failed);
    const committed = new Map(offsets.map((one) => [placeKey(one), Number(one.offset)]));
    await this.#holder.assign(
      places.map((place) => {
        const offset = committed.get(placeKey(place)) ?? -1;
        return { ...place, offset: offset < 0 ? undefined : offset };
      }),
    );
  }

  /** Commits what is settled of partitions, and drops them. */
  async #giveUp(places: readonly Place[]): Promise<void> {
    if (places.length === 0) return;
    try {
      await this.#commit(places);
    } catch (error) {
      this.#log.warn('failed to commit offsets', { error: kafkaReason(error) });
    } finally {
      this.#holder.drop(places);
    }
  }

  /** Sends heartbeats and commits, until the group rebalances or the topics change. */
  async #stay(stop: AbortSignal): Promise<void> {
    const { clock } = this.#cluster;
    const { heartbeatMs, commitPeriodMs, sessionTimeoutMs } = this.#options;
    const isMissing = this.#subscription.isMissing(this.#counts);
    const metadataMaxAgeMs = Math.min(
      this.#options.metadataMaxAgeMs,
      isMissing ? missingTopicsMs : Number.POSITIVE_INFINITY,
    );
    let beatMs = clock.monotonicMs();
    let heardMs = beatMs;
    let committedMs = beatMs;
    let lookedUpMs = beatMs;
    while (!stop.aborted) {
      const nextMs = Math.min(
        beatMs + heartbeatMs,
        committedMs + commitPeriodMs,
        lookedUpMs + metadataMaxAgeMs,
      );
      await pauseUnlessStopped(clock, Math.max(1, nextMs - clock.monotonicMs()), stop);
      if (stop.aborted) return;
      const nowMs = clock.monotonicMs();
      let membership: Membership = 'stable';
      try {
        if (nowMs >= committedMs + commitPeriodMs) {
          committedMs = nowMs;
          membership = await this.#commit(this.#holder.held());
        }
        if (membership === 'stable' && nowMs >= beatMs + heartbeatMs) {
          beatMs = nowMs;
          membership = await this.#member.heartbeat();
          heardMs = clock.monotonicMs();
        }
        if (nowMs >= lookedUpMs + metadataMaxAgeMs) {
          lookedUpMs = nowMs;
          const counts = await this.#subscription.partitionCounts(this.#cluster);
          if (!sameCounts(counts, this.#counts)) return;
        }
      } catch (error) {
        if (!mayPass(error) || clock.monotonicMs() - heardMs > sessionTimeoutMs) throw error;
        this.#forgetCoordinator(error);
        this.#log.debug('failed to reach the group coordinator', { error: kafkaReason(error) });
        beatMs = clock.monotonicMs();
      }
      // What others may have already is not committed.
      if (membership === 'lost') this.#holder.drop(this.#holder.held());
      if (membership !== 'stable') return;
    }
  }

  #commit(places: readonly Place[]): Promise<Membership> {
    const committing = this.#committing.then(() => this.#commitNow(places));
    this.#committing = committing.catch(() => undefined);
    return committing;
  }

  async #commitNow(places: readonly Place[]): Promise<Membership> {
    const offsets = this.#holder.committable(places);
    const { committer } = this.#member;
    if (offsets.length === 0 || committer.memberId === '') return 'stable';
    const answers = await requestCommit(await this.#coordinator(0), committer, offsets);
    const failed = new Map(
      answers.filter(({ errorCode }) => errorCode !== errors.NONE.code).map((one) => [placeKey(one), one]),
    );
    this.#holder.committed(offsets.filter((offset) => !failed.has(placeKey(offset))));
    const [first] = failed.values();
    if (first === undefined || this.#member.committer !== committer) return 'stable';
    return this.#member.membershipAfter(first.errorCode);
  }

  async #coordinator(longerMs: number): Promise<Transport> {
    this.#coordinatorAddress ??= await findCoordinator(this.#cluster, this.#options.groupId);
    const connection = await this.#cluster.connectionTo(this.#coordinatorAddress);
    return connection.transport(this.#cluster.timeoutMs + longerMs);
  }

  #forgetCoordinator(error: unknown): void {
    if (mayPass(error)) this.#coordinatorAddress = undefined;
  }

  async #leave(memberId: string): Promise<void> {
    await leaveGroup(await this.#coordinator(0), { groupId: this.#options.groupId, memberId });
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof KafkaRequestFailed ? error.transient : error instanceof ConnectionFailed;
}
