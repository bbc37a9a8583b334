import { clusterTypeOf } from '@weir/api';
import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import type { ClusterServices } from './services.ts';

export function agentOperations({ clusterPort }: ClusterServices) {
  return {
    list_agents: async ({ virtual_cluster_id, group, role }, { clock }) => {
      const agents = await clusterPort(virtual_cluster_id).listAgents();
      const wanted = agents.filter(
        (agent) =>
          (group === undefined || agent.group === group) &&
          (role === undefined || agent.roles.includes(role)),
      );
      return {
        agents: wanted.map((agent) => ({
          agent_id: agent.agentId,
          release: agent.release,
          roles: [...agent.roles],
          group: agent.group,
          zone: agent.zone,
          ...(agent.region === undefined ? {} : { region: agent.region }),
          host: agent.host,
          // An agent of a schema registry has one port for clients, and one of a data lake none.
          ...(agent.kafkaPort === agent.registryPort || clusterTypeOf(virtual_cluster_id) === 'byoc_data_lake'
            ? {}
            : { kafka_port: agent.kafkaPort }),
          ...(agent.registryPort === undefined ? {} : { schema_registry_port: agent.registryPort }),
          cpu_count: agent.cpuCount,
          // Measured values may exceed the range slightly.
          cpu_load: Math.min(1, Math.max(0, agent.cpuLoad)),
          // Its clock may be ahead of the one here.
          ...(agent.startedMs === undefined
            ? {}
            : { started_at: timeText(Math.max(0, Math.min(agent.startedMs, clock.nowMs()))) }),
          last_seen_at: timeText(agent.lastSeenMs),
        })),
      };
    },
  } satisfies SomeHandlers;
}
