import type { Clock } from '@weir/core';
import { answerMsMax } from './peer-client.ts';

/** How long a failed agent is avoided. A dead agent leaves the list of agents soon after. */
export const avoidMs = 5_000;

/** Agents that failed recently. After the time is over one page is tried, and the others follow if it succeeds. */
export class AvoidedPeers {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#untilMs.size;
  }

  isAvoided(agentId: string): boolean {
    const untilMs = this.#untilMs.get(agentId);
    return untilMs !== undefined && this.#clock.monotonicMs() < untilMs;
  }

  /** How often it has failed, for callers that check whether it has failed again. */
  failuresOf(agentId: string): number {
    return this.#failures.get(agentId) ?? 0;
  }

  /**
   * Called before a request to an agent; if the agent had failed, other requests avoid it until the outcome is known.
   */
  trying(agentId: string): void {
    if (this.#untilMs.has(agentId)) this.#avoid(agentId, answerMsMax);
  }

  /** Returns true if it had not failed before. */
  failed(agentId: string): boolean {
    const isNew = !this.#untilMs.has(agentId);
    this.#failures.set(agentId, this.failuresOf(agentId) + 1);
    this.#avoid(agentId, avoidMs);
    return isNew;
  }

  /** Returns true if it had failed before. */
  succeeded(agentId: string): boolean {
    return this.#untilMs.delete(agentId);
  }

  forgetAllBut(agentIds: ReadonlySet<string>): void {
    for (const agentId of this.#failures.keys()) {
      if (agentIds.has(agentId)) continue;
      this.#failures.delete(agentId);
      this.#untilMs.delete(agentId);
    }
  }

  #avoid(agentId: string, ms: number): void {
    this.#untilMs.set(agentId, this.#clock.monotonicMs() + ms);
  }
}
