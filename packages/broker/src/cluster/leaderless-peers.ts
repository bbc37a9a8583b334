import type { AgentDescription } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { brokerLimits } from '../limits.ts';

interface LeaderlessPeersOptions {
  readonly agentId: string;
  readonly isLeaderless: () => boolean;
  /** Whether an agent accepts connections at its address for other agents. Never rejects. */
  readonly reaches: (agent: AgentDescription) => Promise<boolean>;
  readonly clock: Clock;
}

/** How often agents are looked for while there is no leader; while there is one, each so many of these times. */
const intervalMs = 2_000;
const usualRounds = 30;

/** One failure may be chance. */
const failuresMin = 2;

/**
 * Which agents clients are sent to while no leader says which ones live (ADR 0231): all but those that this agent has
 * reached before and does not reach any more. Agents that it never reached, as in another network, stay.
 */
export class LeaderlessPeers {
  readonly #options: LeaderlessPeersOptions;
  #given: readonly AgentDescription[] = [];
  #living: readonly AgentDescription[] | undefined;
  /** How often in a row each agent was not reached that was reached before. */
  readonly #failures = new Map<string, number>();
  /** The place in the list from which the next round begins. */
  #next = 0;
  #rounds = 0;
  #hasStopped = false;
  #cancel: () => void = () => {};

  constructor(options: LeaderlessPeersOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** The agents of a list that live, as far as is known: the same object if all do, or if nothing has changed. */
  living(agents: readonly AgentDescription[]): readonly AgentDescription[] {
    if (agents !== this.#given) {
      this.#given = agents;
      this.#living = undefined;
    }
    if (!this.#options.isLeaderless()) return agents;
    this.#living ??= agents.some(({ agentId }) => this.#isLost(agentId))
      ? agents.filter(({ agentId }) => !this.#isLost(agentId))
      : agents;
    return this.#living;
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel();
  }

  #schedule(): void {
    if (this.#hasStopped) return;
    this.#cancel = this.#options.clock.after(intervalMs, () => {
      const isDue = this.#options.isLeaderless() || this.#rounds % usualRounds === 0;
      this.#rounds++;
      if (isDue) void this.#round().finally(() => this.#schedule());
      else this.#schedule();
    });
  }

  #isLost(agentId: string): boolean {
    return (this.#failures.get(agentId) ?? 0) >= failuresMin;
  }

  async #round(): Promise<void> {
    const { agentId: ownId, reaches } = this.#options;
    const given = this.#given;
    const others = given.filter(({ agentId }) => agentId !== ownId);
    if (this.#next >= others.length) this.#next = 0;
    const looked = others.slice(this.#next, this.#next + brokerLimits.leaderlessPeersMax);
    this.#next += looked.length;
    const areReached = await Promise.all(looked.map(reaches));
    for (const [index, { agentId }] of looked.entries()) {
      const failures = this.#failures.get(agentId);
      if (areReached[index]!) this.#failures.set(agentId, 0);
      else if (failures !== undefined) this.#failures.set(agentId, failures + 1);
    }
    const ids = new Set(given.map(({ agentId }) => agentId));
    for (const agentId of this.#failures.keys()) if (!ids.has(agentId)) this.#failures.delete(agentId);
    this.#living = undefined;
  }
}
