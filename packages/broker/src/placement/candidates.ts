import type { AgentDescription } from '@weir/cluster';
import type { ClientFeatures } from './client-features.ts';
import { mayFetch, mayProduce, servesTarget } from './roles.ts';

/**
 * Returns the agents that a client sees. Each rule narrows the choice, and only the group is strict:
 *
 * 1. the group of the agent that serves the request;
 * 2. agents for the client's purpose: its proxy target if it names one, else both producing and fetching, else either;
 * 3. agents in the client's zone, or if there are none, in its region. Which agent answers makes no difference, so that
 *    a client that asks one of another region is not sent there.
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
  const inZone = zone === undefined ? [] : wanted.filter((agent) => agent.zone === zone);
  const near = zone === undefined || inZone.length > 0 ? inZone : inRegionOf(zone, wanted);
  const seen = near.length > 0 ? near : wanted;
  return seen.length === 0 ? [self] : seen;
}

/** Zones begin with the name of their region: `us-east-1a`, `europe-west1-b`, `eastus2-1`. The longest one counts. */
function inRegionOf(zone: string, agents: readonly AgentDescription[]): readonly AgentDescription[] {
  let found: string | undefined;
  for (const { region } of agents)
    if (region !== undefined && zone.startsWith(region) && region.length > (found?.length ?? 0))
      found = region;
  return found === undefined ? [] : agents.filter(({ region }) => region === found);
}

function narrowed<Value>(values: readonly Value[], keep: (value: Value) => boolean): readonly Value[] {
  const matching = values.filter(keep);
  return matching.length === 0 ? values : matching;
}
