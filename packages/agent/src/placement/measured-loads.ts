import type { ClusterChange } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { AgentLoads } from './agent-loads.ts';
import { PartitionHeat } from './partition-heat.ts';

/** What placement knows of loads. */
export interface Loads {
  /** Partitions that take more than one agent, and how many; `undefined` when there are none. The same map as long as it says the same. */
  hotOf(topicId: string): ReadonlyMap<number, number> | undefined;
  /** Ids of agents that have more to do than they can; the same set as long as it says the same. */
  readonly overloaded: ReadonlySet<string>;
}

export const noLoads: Loads = { hotOf: () => undefined, overloaded: new Set() };

/** Loads as the change stream of the cluster tells them: every append with its bytes, and every agent with its heartbeat. */
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
