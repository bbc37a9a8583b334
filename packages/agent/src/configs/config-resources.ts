import type { AgentDescription } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import { hasConfigs } from '../cluster/broker-configs.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { type Access, mayOnCluster } from '../security/access.ts';

/** The resources that have configs, by the numbers that all requests about configs have for them. */
export const configResourceType = {
  topic: 2,
  broker: 4,
  brokerLogger: 8,
  clientMetrics: 16,
  group: 32,
} as const;

/** What is wrong with the name of a broker, or of all of them. */
export function brokerNameProblem(name: string): string | undefined {
  if (name === '' || (/^\d{1,10}$/.test(name) && Number(name) < 2 ** 31)) return undefined;
  return `a broker is named by its id, or by nothing for all of them, not ${JSON.stringify(name)}`;
}

/**
 * Why a broker cannot be asked about: it has no such name, or there is none. One that left keeps its configs, which can be seen and removed. Every
 * agent knows of every other, so that any may be asked about any.
 */
export function brokerProblem(
  name: string,
  self: AgentDescription,
  cluster: Pick<ClusterView, 'agents' | 'records'>,
): string | undefined {
  const problem = brokerNameProblem(name);
  if (problem !== undefined) return problem;
  if (agentByName(name, self, cluster) !== undefined || hasConfigs(cluster, name)) return undefined;
  return `there is no broker ${name}`;
}

/** Lists of agents are replaced and never changed, so that each is looked through once and not for every name of a request. */
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

/** What is told of a resource whose configs the client may not see or change; `undefined` when it may. */
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
      // There is nothing of this type that could be hidden, and whoever asks is told so.
      return undefined;
  }
}

export function unknownType(type: number): string {
  return `there are no configs of resources of type ${type}`;
}
