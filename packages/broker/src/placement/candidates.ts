import type { AgentDescription } from '@weir/cluster';
import type { ClientFeatures } from './client-features.ts';
import { mayFetch, mayProduce, servesTarget } from './roles.ts';

/**
 * Returns the agents that a client sees. Each rule narrows the choice, and only the group is strict:
 *
 * 1. the group of the agent that serves the request;
 * 2. agents for the client's purpose: its proxy target if it names one, else both producing and fetching, else either;
 * 3. agents in the client's zone.
 *
 * A rule that would leave no agent is skipped, since a connection to the wrong zone is better than none. The fallback
 * is the serving agent itself: its own registration may not have arrived yet.
 */
export function candidatesFor(
  client: ClientFeatures,
  self: AgentDescription,
  agents: readonly AgentDescription[],
): readonly AgentDescription[] {
  const { proxyTarget: target, zone } = client;
  const sameGroup = agents.filter(({ group }) => group === self.group);
  const serving = sameGroup.filter(({ roles }) => mayProduce(roles) || mayFetch(roles));
  const wanted = narrowed(serving, ({ roles }) =>
    target === undefined ? mayProduce(roles) && mayFetch(roles) : servesTarget(roles, target),
  );
  const near = zone === undefined ? wanted : narrowed(wanted, (agent) => agent.zone === zone);
  return near.length === 0 ? [self] : near;
}

function narrowed<Value>(values: readonly Value[], keep: (value: Value) => boolean): readonly Value[] {
  const matching = values.filter(keep);
  return matching.length === 0 ? values : matching;
}
