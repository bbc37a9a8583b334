import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';

/** Remaining number of partitions, over all topics of one request. */
export class PartitionBudget {
  readonly #limits: MachineLimits;
  #live: number;
  #held: number;

  /** `takenBefore` were taken by calls that only validated. */
  constructor(state: ClusterState, limits: MachineLimits, takenBefore = 0) {
    this.#limits = limits;
    this.#live = state.topics.livePartitionCount + takenBefore;
    this.#held = state.topics.heldPartitionCount + takenBefore;
  }

  /** Takes `added` partitions for a topic that then has `total`, or returns why not and takes none. */
  take(
    added: number,
    total: number,
  ): { error: 'INVALID_PARTITIONS' | 'POLICY_VIOLATION'; message: string } | undefined {
    const { partitionsPerTopicMax, partitionsPerClusterMax, partitionsHeldMax } = this.#limits;
    if (total > partitionsPerTopicMax) {
      return {
        error: 'INVALID_PARTITIONS',
        message: `A topic has at most ${partitionsPerTopicMax} partitions, not ${total}.`,
      };
    }
    if (this.#live + added > partitionsPerClusterMax) {
      return {
        error: 'POLICY_VIOLATION',
        message: `The cluster has ${this.#live} of at most ${partitionsPerClusterMax} partitions; ${added} more are too many.`,
      };
    }
    if (this.#held + added > partitionsHeldMax) {
      return {
        error: 'POLICY_VIOLATION',
        message: `With those of deleted topics the cluster holds ${this.#held} of at most ${partitionsHeldMax} partitions; ${added} more are too many. Lower service.soft.delete.topic.ttl.ms to have deleted topics removed sooner.`,
      };
    }
    this.#live += added;
    this.#held += added;
    return undefined;
  }

  /** Takes the partitions of a deleted topic, which are already held, or returns why not and takes none. */
  takeBack(count: number): { error: 'POLICY_VIOLATION'; message: string } | undefined {
    const { partitionsPerClusterMax } = this.#limits;
    if (this.#live + count > partitionsPerClusterMax) {
      return {
        error: 'POLICY_VIOLATION',
        message: `The cluster has ${this.#live} of at most ${partitionsPerClusterMax} partitions; ${count} more are too many.`,
      };
    }
    this.#live += count;
    return undefined;
  }
}
