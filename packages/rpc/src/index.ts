export { AgentKeyRefused, endCodes } from './channel.ts';
export { type ClusterClient, connectCluster } from './client.ts';
export { clusterClientMetricRows } from './client-metric-rows.ts';
export { type ForwardProxy, openTunnel } from './forward-proxy.ts';
export { ReplyMemory } from './reply-memory.ts';
export { type ServedCluster, type ServedConnection, serveConnection } from './serve.ts';
export { agentAudience, agentTokenPath, tokenExchange } from './token-protocol.ts';
export {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  subprotocol,
  webSocketChannel,
} from './web-socket.ts';
