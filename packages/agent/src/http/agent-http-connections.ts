import { type Clock, cutReasonsHelp, HttpConnections, type MetricRow, type Metrics } from '@weir/core';
import { agentLimits } from '../limits.ts';

export const httpConnectionsCutRow: MetricRow<'listener' | 'reason'> = {
  name: 'agent_http_connections_cut_total',
  kind: 'counter',
  help: `Connections of HTTP ports (http, internal, registry) that the agent ended since ${cutReasonsHelp}.`,
  labels: ['listener', 'reason'],
};

/** Which HTTP port of an agent. */
export type HttpListenerName = 'http' | 'internal' | 'registry';

interface AgentHttpOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** If absent, the limit of agents. */
  readonly connectionsMax?: number | undefined;
}

/** The rules for peers of an HTTP port of an agent. */
export function agentHttpConnections(
  listener: HttpListenerName,
  { clock, metrics, connectionsMax = agentLimits.httpConnectionsMax }: AgentHttpOptions,
): HttpConnections {
  return new HttpConnections({
    limits: {
      connections: { max: connectionsMax, reserved: agentLimits.httpReservedConnectionsMax },
      requestsWaitingMax: agentLimits.httpRequestsWaitingMax,
      unread: { msMax: agentLimits.httpUnreadMsMax, bytesMax: agentLimits.httpUnreadBytesMax },
    },
    clock,
    onCut: (reason) => metrics.series(httpConnectionsCutRow, { listener, reason }).add(1),
  });
}
