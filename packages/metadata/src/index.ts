export type {
  AgentDescription,
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterFollower,
  ClusterPort,
  ClusterSnapshot,
  EntryError,
  FileCommit,
  FileCommitResult,
  MutationOptions,
  OffsetAnswer,
  OffsetQuery,
  PartitionsToCreate,
  Pointers,
  TopicDescription,
  TopicError,
  TopicReference,
  TopicResult,
  TopicToCreate,
} from './cluster/port.ts';
export { agentSilenceMsMax, ClusterUnavailable, entryErrors, heartbeatIntervalMs } from './cluster/port.ts';
export { type Journal, type JournalHub, type LeaseHolder, openJournals } from './journal/index.ts';
export { ClusterNode, type ClusterNodeOptions, NotLeader, type Role } from './leader/index.ts';
export { AgentKeyRefused, endCodes } from './rpc/channel.ts';
export { CallRefused, type ClusterClient, type ClusterClientOptions, connectCluster } from './rpc/client.ts';
export { ReplyMemory } from './rpc/reply-memory.ts';
export { type ServedConnection, type ServeOptions, serveConnection } from './rpc/serve.ts';
export {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  subprotocol,
  webSocketChannel,
} from './rpc/web-socket.ts';
