import type { Clock, MetricRow, Metrics } from '@weir/core';
import { httpLimits } from '../limits.ts';
import { cutReasonsHelp, HttpConnections } from './http-connections.ts';

export const httpConnectionsCutRow: MetricRow<'listener' | 'reason'> = {
  name: 'agent_http_connections_cut_total',
  kind: 'counter',
  help: `Connections of HTTP ports (http, internal, registry, tables) that the agent ended since ${cutReasonsHelp}.`,
  labels: ['listener', 'reason'],
};

/** Which HTTP port of an agent. */
export type HttpListenerName = 'http' | 'internal' | 'registry' | 'tables';

interface AgentHttpOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** If absent, the limit of agents. */
  readonly connectionsMax?: number | undefined;
}

/** The rules for peers of an HTTP port of an agent. */
export function agentHttpConnections(
  listener: HttpListenerName,
  { clock, metrics, connectionsMax = httpLimits.httpConnectionsMax }: AgentHttpOptions,
): HttpConnections {
  return new HttpConnections({
    limits: {
      connections: { max: connectionsMax, reserved: httpLimits.httpReservedConnectionsMax },
      requestsWaitingMax: httpLimits.httpRequestsWaitingMax,
      unread: { msMax: httpLimits.httpUnreadMsMax, bytesMax: httpLimits.httpUnreadBytesMax },
    },
    clock,
    onCut: (reason) => metrics.series(httpConnectionsCutRow, { listener, reason }).add(1),
  });
}
