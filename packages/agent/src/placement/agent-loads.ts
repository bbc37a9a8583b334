import type { AgentDescription } from '@weir/cluster';
import type { Clock } from '@weir/core';

/** An agent is overloaded after a minute of reports at or above `from`, until a minute of reports below `until`. */
const overload = { from: 0.9, until: 0.7, forMs: 60_000 } as const;

interface Reported {
  isOverloaded: boolean;
  /** Since when every report has contradicted the current state. */
  oppositeSinceMs: number | undefined;
}

/** Tracks overloaded agents from their heartbeats. Single reports fluctuate; a minute of them does not. */
export class AgentLoads {
  readonly #clock: Clock;
  readonly #reported = new Map<string, Reported>();
  #overloaded: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Agent ids; the same set object while its content is unchanged. */
  get overloaded(): ReadonlySet<string> {
    return this.#overloaded;
  }

  /** Takes the live agents, as the cluster lists them. */
  report(agents: readonly AgentDescription[]): void {
    const nowMs = this.#clock.monotonicMs();
    const gone = new Set(this.#reported.keys());
    let hasChanged = false;
    for (const { agentId, cpuLoad } of agents) {
      gone.delete(agentId);
      const reported = this.#reported.get(agentId) ?? { isOverloaded: false, oppositeSinceMs: undefined };
      this.#reported.set(agentId, reported);
      const isOpposite = reported.isOverloaded ? cpuLoad < overload.until : cpuLoad >= overload.from;
      reported.oppositeSinceMs = isOpposite ? (reported.oppositeSinceMs ?? nowMs) : undefined;
      if (reported.oppositeSinceMs === undefined || nowMs - reported.oppositeSinceMs < overload.forMs)
        continue;
      reported.isOverloaded = !reported.isOverloaded;
      reported.oppositeSinceMs = undefined;
      hasChanged = true;
    }
    for (const agentId of gone) {
      hasChanged ||= this.#reported.get(agentId)!.isOverloaded;
      this.#reported.delete(agentId);
    }
    if (!hasChanged) return;
    this.#overloaded = new Set(
      [...this.#reported].filter(([, { isOverloaded }]) => isOverloaded).map(([agentId]) => agentId),
    );
  }
}
