export {
  type AdminPort,
  type AlterConfigsResult,
  type ConfigChange,
  type ConfigResourceKind,
  type ConfigsToAlter,
  configOperations,
  type DeleteRecordsResult,
  type LogSizes,
  type RecordsToDelete,
  type StoredConfigKind,
  type StoredConfigResource,
} from './cluster/admin-port.ts';
export type {
  CommittedOffset,
  ConsumerGroupDescription,
  ConsumerHeartbeat,
  ConsumerHeartbeatAnswer,
  ConsumerMemberDescription,
  GroupDescription,
  GroupError,
  GroupFilter,
  GroupHeartbeat,
  GroupListing,
  GroupMemberDescription,
  GroupStateName,
  GroupsPort,
  GroupType,
  JoinedMember,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeaveGroupAnswer,
  LeaveGroupRequest,
  LeavingMember,
  MemberAssignment,
  NamedBytes,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsCommitter,
  OffsetsQuery,
  OffsetsToDelete,
  OffsetToCommit,
  PartitionsOfTopic,
  SyncGroupAnswer,
  SyncGroupRequest,
  TopicPartition,
} from './cluster/groups-port.ts';
export { groupErrors, groupTypes } from './cluster/groups-port.ts';
export type {
  AbortedTransactions,
  AgentDescription,
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterFollower,
  ClusterPort,
  ClusterRecord,
  ClusterSnapshot,
  EntryError,
  FileCommit,
  FileCommitResult,
  Markers,
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
  TransactionalBatches,
} from './cluster/port.ts';
export {
  agentSilenceMsMax,
  ClusterUnavailable,
  entryErrors,
  heartbeatIntervalMs,
  markerBytes,
  markerCoordinatorEpoch,
} from './cluster/port.ts';
export {
  type AlterClientQuotasResult,
  type ClientQuotaFilter,
  type ClientQuotas,
  type ClientQuotasToAlter,
  type PrincipalsPort,
  type QuotaEntity,
  type QuotaFilterPart,
  type ScramCredential,
  type ScramCredentialChange,
  type ScramCredentialDescription,
  type ScramCredentialResult,
} from './cluster/principals-port.ts';
export {
  type ListedTransaction,
  type OffsetsToAdd,
  type PartitionsToAdd,
  type ProducerDescription,
  type ProducersAnswer,
  type RequestOrigin,
  type TransactionAnswer,
  type TransactionalCaller,
  type TransactionalProducer,
  type TransactionalProducerToInit,
  type TransactionDescription,
  type TransactionError,
  type TransactionFilter,
  type TransactionOffsetsAnswer,
  type TransactionOffsetsToCommit,
  type TransactionState,
  type TransactionsPort,
  type TransactionToEnd,
  transactionStates,
} from './cluster/transactions-port.ts';
export type { ConfigSource } from './configs/config-value.ts';
export { type DescribedConfig, describeConfigs } from './configs/describe-configs.ts';
export { type Journal, type JournalHub, type LeaseHolder, openJournals } from './journal/index.ts';
export { ClusterNode, type ClusterNodeOptions, NotLeader, type Role } from './leader/index.ts';
export { compilePattern, type Pattern } from './pattern.ts';
export { readQuotas } from './quotas/alter-quotas.ts';
export { isQuotaEntityType, quotaEntityKey } from './quotas/quota-entity.ts';
export type { QuotaKey } from './quotas/quota-rows.ts';
export { AgentKeyRefused, endCodes } from './rpc/channel.ts';
export { type ClusterClient, type ClusterClientOptions, connectCluster } from './rpc/client.ts';
export type { ForwardProxy } from './rpc/forward-proxy.ts';
export { CallRefused } from './rpc/pending-calls.ts';
export { ReplyMemory } from './rpc/reply-memory.ts';
export {
  type ServedCluster,
  type ServedConnection,
  type ServeOptions,
  serveConnection,
} from './rpc/serve.ts';
export {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  subprotocol,
  webSocketChannel,
} from './rpc/web-socket.ts';
