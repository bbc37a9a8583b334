import type { InputOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { AgentClients, ReportedSoftware } from '@weir/cluster';
import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

export function clientOperations({ clusterPort }: ClusterServices) {
  return {
    list_clients: async (input) =>
      toClientsResponse(await clusterPort(input.virtual_cluster_id).listClients(), input),
  } satisfies SomeHandlers;
}

type Question = Omit<InputOf<'list_clients'>, 'virtual_cluster_id'>;

/** Merges the reported clients of all agents, by software. Clients choose the names, and agents cut them. */
export function toClientsResponse(
  agents: readonly AgentClients[],
  filter: Question,
): OutputOf<'list_clients'> {
  const kinds = new Map<string, Kind>();
  let [connections, listed] = [0, 0];
  for (const { agentId, connectionCount, software } of agents) {
    connections += connectionCount;
    for (const one of software) {
      listed += one.connectionCount;
      if (!matches(agentId, one, filter)) continue;
      const key = JSON.stringify([one.name, one.version]);
      const kind = kinds.get(key) ?? new Kind(one.name, one.version);
      kinds.set(key, kind);
      kind.add(agentId, one);
    }
  }
  const sorted = [...kinds.values()].sort(
    (a, b) => b.connections - a.connections || byText(a.name, b.name) || byText(a.version, b.version),
  );
  const reportedMs = agents.flatMap((agent) => agent.heardMs ?? []);
  return {
    clients: sorted.slice(0, apiLimits.listedSoftwareMax).map((kind) => kind.toResponse()),
    total: sorted.length,
    connections,
    unlisted_connections: Math.max(0, connections - listed),
    reported_at: reportedMs.length === 0 ? null : timeText(Math.min(...reportedMs)),
    silent_agents: agents.filter((agent) => agent.heardMs === null).map(({ agentId }) => agentId),
  };
}

function matches(agentId: string, { name, version }: ReportedSoftware, filter: Question): boolean {
  return (
    (filter.software_name === undefined || name === filter.software_name) &&
    (filter.software_version === undefined || version === filter.software_version) &&
    (filter.agent_id === undefined || agentId === filter.agent_id)
  );
}

/** Clients of one software, of all agents. */
class Kind {
  readonly name: string;
  readonly version: string;
  connections = 0;
  readonly #principals = new Set<string>();
  readonly #clientIds = new Set<string>();
  readonly #agents: { readonly agent_id: string; readonly connections: number }[] = [];
  #hasMoreNames = false;

  constructor(name: string, version: string) {
    this.name = name;
    this.version = version;
  }

  add(agentId: string, reported: ReportedSoftware): void {
    const { connectionCount, principals, principalCount, clientIds, clientIdCount } = reported;
    this.connections += connectionCount;
    this.#agents.push({ agent_id: agentId, connections: connectionCount });
    for (const principal of principals) this.#principals.add(principal);
    for (const clientId of clientIds) this.#clientIds.add(clientId);
    this.#hasMoreNames ||= principalCount > principals.length || clientIdCount > clientIds.length;
  }

  toResponse(): OutputOf<'list_clients'>['clients'][number] {
    const max = apiLimits.listedSoftwareNamesMax;
    const agents = this.#agents.sort(
      (a, b) => b.connections - a.connections || byText(a.agent_id, b.agent_id),
    );
    return {
      software_name: this.name,
      software_version: this.version,
      connections: this.connections,
      principals: [...this.#principals].slice(0, max),
      client_ids: [...this.#clientIds].slice(0, max),
      has_more_names: this.#hasMoreNames || this.#principals.size > max || this.#clientIds.size > max,
      agents: agents.slice(0, max),
      agent_count: agents.length,
    };
  }
}
