import { type AgentDescription, overloadedFrom, overloadedUntil } from '@weir/cluster';
import type { Clock } from '@weir/core';

/** An agent becomes overloaded after a minute at or above `overloadedFrom`, until a minute below `overloadedUntil`. */
const durationMs = 60_000;

interface Reported {
  isOverloaded: boolean;
  /** Since when the load has contradicted the current state. */
  oppositeSinceMs: number | undefined;
}

/**
 * Tracks overloaded agents from their loads. Single loads fluctuate; a minute of them does not. The leader reports a
 * load that crosses a threshold and may be silent about others, so a load counts until the next report.
 */
export class AgentLoads {
  readonly #clock: Clock;
  readonly #reported = new Map<string, Reported>();
  #overloaded: ReadonlySet<string> = new Set();
  /** When the next agent changes its state, unless its load changes before. */
  #nextChangeMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Agent ids; the same set object while its content is unchanged. */
  get overloaded(): ReadonlySet<string> {
    this.#pass(this.#clock.monotonicMs());
    return this.#overloaded;
  }

  /** Takes the live agents, as the cluster lists them. */
  report(agents: readonly AgentDescription[]): void {
    const nowMs = this.#clock.monotonicMs();
    this.#pass(nowMs);
    const gone = new Set(this.#reported.keys());
    for (const { agentId, cpuLoad } of agents) {
      gone.delete(agentId);
      const reported = this.#reported.get(agentId) ?? { isOverloaded: false, oppositeSinceMs: undefined };
      this.#reported.set(agentId, reported);
      const isOpposite = reported.isOverloaded ? cpuLoad < overloadedUntil : cpuLoad >= overloadedFrom;
      reported.oppositeSinceMs = isOpposite ? (reported.oppositeSinceMs ?? nowMs) : undefined;
    }
    let hasChanged = false;
    for (const agentId of gone) {
      hasChanged ||= this.#reported.get(agentId)!.isOverloaded;
      this.#reported.delete(agentId);
    }
    if (hasChanged) this.#list();
    this.#schedule();
  }

  /** Changes the state of agents whose load has contradicted it for long enough. */
  #pass(nowMs: number): void {
    if (nowMs < this.#nextChangeMs) return;
    for (const reported of this.#reported.values()) {
      if (nowMs < changeMsOf(reported)) continue;
      reported.isOverloaded = !reported.isOverloaded;
      reported.oppositeSinceMs = undefined;
    }
    this.#list();
    this.#schedule();
  }

  #list(): void {
    this.#overloaded = new Set(
      [...this.#reported].filter(([, { isOverloaded }]) => isOverloaded).map(([agentId]) => agentId),
    );
  }

  #schedule(): void {
    this.#nextChangeMs = Number.POSITIVE_INFINITY;
    for (const reported of this.#reported.values())
      this.#nextChangeMs = Math.min(this.#nextChangeMs, changeMsOf(reported));
  }
}

function changeMsOf({ oppositeSinceMs }: Reported): number {
  return oppositeSinceMs === undefined ? Number.POSITIVE_INFINITY : oppositeSinceMs + durationMs;
}
