import type { AgentDescription } from '@weir/cluster';
import { rack } from './described-agents.ts';

/** The security protocol of a Kafka listener, by Kafka's name. */
export type ListenerProtocol = 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';

/** Returns the values of Kafka's static broker configs for an agent. */
export function brokerFacts(
  { nodeId, host, kafkaPort }: AgentDescription,
  protocol: ListenerProtocol,
  clusterId: string,
): Readonly<Record<string, string>> {
  const logDir = logDirOf(clusterId);
  return {
    'advertised.listeners': `${protocol}://${inListener(host)}:${kafkaPort}`,
    'broker.id': String(nodeId),
    'broker.rack': rack,
    listeners: `${protocol}://:${kafkaPort}`,
    'log.dir': logDir,
    'log.dirs': logDir,
    'node.id': String(nodeId),
    'process.roles': 'broker',
  };
}

/** The cluster's prefix in the bucket, which is the only log directory. */
export function logDirOf(clusterId: string): string {
  return `service/${clusterId}`;
}

function inListener(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
