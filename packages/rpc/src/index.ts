export { AgentKeyRefused, endCodes } from './channel/channel.ts';
export { type ForwardProxy, openTunnel } from './channel/forward-proxy.ts';
export {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  regionParameter,
  servedChannel,
  subprotocol,
} from './channel/web-socket.ts';
export { type ClusterClient, connectCluster } from './client/client.ts';
export { clusterClientMetricRows } from './client/client-metric-rows.ts';
export type { KeyPlace } from './client/connector.ts';
export { ReplyMemory } from './server/reply-memory.ts';
export { type ServedConnection, serveConnection } from './server/serve-connection.ts';
export type { ServedCluster } from './server/served-cluster.ts';
export { clusterServerMetricRows } from './server/server-metric-rows.ts';
export { agentAudience, agentTokenPath, regionTokens, tokenExchange } from './token-protocol.ts';
