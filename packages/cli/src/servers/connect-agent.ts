import type { ClusterPort, ReportedExpiry } from '@weir/cluster';
import { type Clock, type Environment, type Log, type Metrics, systemRandom } from '@weir/core';
import { connectCluster } from '@weir/rpc';
import type { CommandValues } from '../flags/catalogue.ts';
import { checkedControlPlaneUrls } from '../rules/control-plane-address.ts';
import { agentProof } from './agent-proof.ts';
import { forwardProxy } from './forward-proxy.ts';

interface AgentConnectionParts {
  readonly values: CommandValues<'agent'>;
  /** Ends the connection. */
  readonly resources: AsyncDisposableStack;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface AgentConnection {
  readonly cluster: ClusterPort;
  readonly agentKey: () => string;
  readonly tokens: () => readonly ReportedExpiry[];
}

/** Connects an agent to its cluster, once it can prove itself. */
export async function connectAgent({
  values,
  resources,
  clock,
  environment,
  log,
  metrics,
}: AgentConnectionParts): Promise<AgentConnection> {
  const proxy = forwardProxy(values);
  const urls = checkedControlPlaneUrls(values);
  let knownUrls = (): readonly string[] => urls;
  const proof = agentProof({
    values,
    urls: () => knownUrls(),
    proxy,
    clock,
    environment,
    random: systemRandom,
    log,
    metrics,
  });
  resources.defer(() => proof.stop());
  await proof.whenReady();
  const { agentKey, refused, expect, tokens } = proof;
  const cluster = connectCluster({
    urls,
    clusterId: values.defaultVirtualClusterID!,
    region: values.multiregion ? values.region : undefined,
    agentKey,
    onAgentKeyRefused: refused,
    onRegions: expect,
    proxy,
    clock,
    random: systemRandom,
    log,
    metrics,
  });
  knownUrls = () => cluster.urls();
  resources.defer(() => cluster.close());
  return { cluster, agentKey, tokens };
}
