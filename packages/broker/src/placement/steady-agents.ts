import type { AgentDescription } from '@weir/cluster';
import { candidatesFor } from './candidates.ts';
import type { ClientFeatures } from './client-features.ts';

/**
 * The agents as placement sees them. The cluster sends a new list also when only the loads of agents changed, which
 * does not matter here; this class returns the same list object, and the same choice for the same client features,
 * until something changes that clients see.
 */
export class SteadyAgents {
  readonly #onChange: () => void;
  #given: readonly AgentDescription[] = [];
  #steady: readonly AgentDescription[] = [];
  #zones = new Set<string>();
  readonly #chosen = new Map<string, readonly AgentDescription[]>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Returns the agents that a client sees. `self` has the same group in every call. */
  candidates(
    client: ClientFeatures,
    self: AgentDescription,
    agents: readonly AgentDescription[],
  ): readonly AgentDescription[] {
    if (agents !== this.#given) this.#take(agents);
    // A zone without agents counts as none, so that clients cannot make the map grow by inventing zones.
    const zone = client.zone !== undefined && this.#zones.has(client.zone) ? client.zone : '';
    const key = `${client.proxyTarget ?? ''} ${zone}`;
    let chosen = this.#chosen.get(key);
    if (chosen === undefined) {
      chosen = candidatesFor(client, self, this.#steady);
      // An agent whose registration has not arrived is described anew each time, so it is not cached.
      if (this.#steady.includes(chosen[0]!)) this.#chosen.set(key, chosen);
    }
    return chosen;
  }

  #take(agents: readonly AgentDescription[]): void {
    this.#given = agents;
    const isSame =
      agents.length === this.#steady.length &&
      agents.every((agent, index) => isSameForClients(agent, this.#steady[index]!));
    if (isSame) return;
    this.#steady = agents;
    this.#zones = new Set(agents.map(({ zone }) => zone));
    this.#chosen.clear();
    this.#onChange();
  }
}

function isSameForClients(a: AgentDescription, b: AgentDescription): boolean {
  return (
    a.agentId === b.agentId &&
    a.nodeId === b.nodeId &&
    a.host === b.host &&
    a.kafkaPort === b.kafkaPort &&
    a.zone === b.zone &&
    a.group === b.group &&
    a.roles.length === b.roles.length &&
    a.roles.every((role, index) => role === b.roles[index])
  );
}
