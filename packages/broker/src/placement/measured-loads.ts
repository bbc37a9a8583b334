import type { ClusterChange } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { AgentLoads } from './agent-loads.ts';
import { PartitionHeat } from './partition-heat.ts';

/** Loads that placement takes into account. */
export interface Loads {
  /**
   * Hot partitions, and how many agents each needs; `undefined` if there are none. The same map object while its
   * content is unchanged.
   */
  hotOf(topicId: string): ReadonlyMap<number, number> | undefined;
  /** Ids of overloaded agents; the same set object while its content is unchanged. */
  readonly overloaded: ReadonlySet<string>;
}

export const noLoads: Loads = { hotOf: () => undefined, overloaded: new Set() };

/** Loads from the change stream of the cluster: the bytes of every append, and the heartbeat of every agent. */
export class MeasuredLoads implements Loads {
  readonly #heat: PartitionHeat;
  readonly #agents: AgentLoads;

  constructor(clock: Clock, budgetBytesPerSecond?: number) {
    this.#heat = new PartitionHeat(clock, budgetBytesPerSecond);
    this.#agents = new AgentLoads(clock);
  }

  hotOf(topicId: string): ReadonlyMap<number, number> | undefined {
    return this.#heat.hotOf(topicId);
  }

  get overloaded(): ReadonlySet<string> {
    return this.#agents.overloaded;
  }

  observe(changes: readonly ClusterChange[]): void {
    for (const change of changes) {
      if (change.kind === 'agents') this.#agents.report(change.agents);
      if (change.kind !== 'appended') continue;
      const { byteLength } = change.pointers;
      let bytes = 0;
      for (let row = 0; row < byteLength.length; row++) bytes += byteLength[row]!;
      this.#heat.add(change.topicId, change.partition, bytes);
    }
  }
}
