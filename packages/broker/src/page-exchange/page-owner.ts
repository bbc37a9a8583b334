import type { AgentDescription } from '@weir/cluster';
import { combine, hashText } from '../placement/hash.ts';
import { mayFetch } from '../placement/roles.ts';

/** An agent that keeps pages for its zone. */
export interface PageKeeper {
  readonly agent: AgentDescription;
  readonly hash: number;
}

/** Returns the agents that share the pages of a zone: those of the same zone and group that serve consumers. */
export function pageKeepers(
  agents: readonly AgentDescription[],
  { zone, group }: Pick<AgentDescription, 'zone' | 'group'>,
): PageKeeper[] {
  return agents
    .filter((agent) => agent.zone === zone && agent.group === group && mayFetch(agent.roles))
    .map((agent) => ({ agent, hash: hashText(agent.agentId) }));
}

/**
 * Returns the keeper of a page by rendezvous hashing: the agent with the highest hash of its id and the page. Agents
 * that know the same agents choose the same keeper, and an agent that comes or goes moves only its own pages.
 */
export function pageOwner(
  keepers: readonly PageKeeper[],
  fileId: string,
  index: number,
  isAvoided: (agentId: string) => boolean = () => false,
): AgentDescription | undefined {
  const page = combine(hashText(fileId), index);
  let owner: PageKeeper | undefined;
  let highest = -1;
  for (const keeper of keepers) {
    const score = combine(keeper.hash, page);
    if (score < highest || isAvoided(keeper.agent.agentId)) continue;
    // Equal hashes are one in four billion, and must not depend on the order of the list.
    if (score === highest && owner !== undefined && keeper.agent.agentId > owner.agent.agentId) continue;
    owner = keeper;
    highest = score;
  }
  return owner?.agent;
}
