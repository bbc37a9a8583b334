import type { AgentDescription } from '@weir/cluster';
import { type Access, mayOnCluster } from '@weir/security';
import type { ErrorName } from '@weir/wire';
import { hasConfigs } from '../cluster/broker-configs.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';

/** The resource types with configs, by their numbers in all requests about configs. */
export const configResourceType = {
  topic: 2,
  broker: 4,
  brokerLogger: 8,
  clientMetrics: 16,
  group: 32,
} as const;

/** Returns what is wrong with the name of a broker; the empty name stands for all of them. */
export function brokerNameProblem(name: string): string | undefined {
  if (name === '' || (/^\d{1,10}$/.test(name) && Number(name) < 2 ** 31)) return undefined;
  return `invalid broker ${JSON.stringify(name)}: use a node id, or an empty name for all brokers`;
}

/**
 * Why a broker cannot be described: its name is invalid, or it does not exist. A broker that left retains its configs,
 * which can be described and removed. Every agent knows all others, so any agent can answer for any broker.
 */
export function brokerProblem(
  name: string,
  self: AgentDescription,
  cluster: Pick<ClusterView, 'agents' | 'records'>,
): string | undefined {
  const problem = brokerNameProblem(name);
  if (problem !== undefined) return problem;
  if (agentByName(name, self, cluster) !== undefined || hasConfigs(cluster, name)) return undefined;
  return `unknown broker ${name}`;
}

/** Lists of agents are immutable and get replaced, so each is indexed once and not for every name of a request. */
const agentsByName = new WeakMap<readonly AgentDescription[], ReadonlyMap<string, AgentDescription>>();

export function agentByName(
  name: string,
  self: AgentDescription,
  cluster: Pick<ClusterView, 'agents'>,
): AgentDescription | undefined {
  if (String(self.nodeId) === name) return self;
  const agents = cluster.agents();
  let byName = agentsByName.get(agents);
  if (byName === undefined) {
    byName = new Map(agents.map((agent) => [String(agent.nodeId), agent]));
    agentsByName.set(agents, byName);
  }
  return byName.get(name);
}

/** Returns the error for a resource whose configs the client may not see or change; `undefined` if it may. */
export function configDenial(
  { resourceType, resourceName }: { readonly resourceType: number; readonly resourceName: string },
  operation: 'DESCRIBE_CONFIGS' | 'ALTER_CONFIGS',
  access: Access,
): ErrorName | undefined {
  switch (resourceType) {
    case configResourceType.topic:
      return access.may(operation, 'TOPIC', resourceName) ? undefined : 'TOPIC_AUTHORIZATION_FAILED';
    case configResourceType.group:
      return access.may(operation, 'GROUP', resourceName) ? undefined : 'GROUP_AUTHORIZATION_FAILED';
    case configResourceType.broker:
    case configResourceType.brokerLogger:
    case configResourceType.clientMetrics:
      return mayOnCluster(access, operation) ? undefined : 'CLUSTER_AUTHORIZATION_FAILED';
    default:
      // There is no such resource type, so there is nothing to hide; the caller reports that the type is unknown.
      return undefined;
  }
}

export function unknownType(type: number): string {
  return `unsupported config resource type ${type}`;
}
