export { aclKey, describeAcl, readAclKey, readAcls } from './acls/acl-entry.ts';
export { type AclDecision, AclIndex, type AclQuestion } from './acls/acl-index.ts';
export { type InvalidAcl, invalidAcls, problemOfNewAcl } from './acls/check-acl.ts';
export { CallRefused } from './calls/call-refused.ts';
export type { CallName } from './calls/cluster-calls.ts';
export { type ClusterPort, callOn, portOf } from './calls/cluster-calls.ts';
export type { EventsPort } from './calls/event-calls.ts';
export type { QueriesPort } from './calls/query-calls.ts';
export type { AclFilter, DeletedAcls } from './cluster/acls-port.ts';
export {
  type AlterConfigsResult,
  type ConfigChange,
  type ConfigResourceKind,
  type ConfigsToAlter,
  configOperations,
  type DeleteRecordsResult,
  type RecordsToDelete,
  type StoredConfigKind,
  type StoredConfigResource,
} from './cluster/admin-port.ts';
export {
  type AgentHeartbeat,
  type AgentReport,
  type AgentsHeard,
  type DamagedOffsets,
  type HeardReport,
  problemOfReport,
  type ReportedBucket,
  type ReportedClient,
  type ReportedConnections,
  type ReportedDamage,
  type ReportedExpiry,
  type ReportedLogin,
  type ReportedSoftware,
  reportIntervalMs,
} from './cluster/agent-report.ts';
export { clusterFacts } from './cluster/cluster-facts.ts';
export {
  acceptedSecrets,
  clusterSecretBytes,
  clusterSecrets,
  rotatedSecrets,
  rotationOf,
  type SecretPlace,
  secretsPeriodMs,
  secretsReplacement,
  secretsRotatedAt,
} from './cluster/cluster-secrets.ts';
export {
  type ControlPlaneEvent,
  type ControlPlaneEventsPoll,
  type ControlPlaneEventsTaken,
  controlPlaneEventsWaitMsMax,
} from './cluster/events-port.ts';
export type {
  CommitMark,
  CommitOrigin,
  CommittedOffset,
  ConsumerHeartbeat,
  ConsumerHeartbeatAnswer,
  GroupDescription,
  GroupError,
  GroupHeartbeat,
  GroupListing,
  GroupMemberDescription,
  GroupStateName,
  GroupType,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsQuery,
  OffsetToCommit,
  PartitionsOfTopic,
  TopicPartition,
  TopicReader,
} from './cluster/groups-port.ts';
export {
  addLatencies,
  type LatencyCounts,
  latencyP99,
  latencyStepOf,
  noLatencies,
  packLatencies,
} from './cluster/latencies.ts';
export { NotLeader } from './cluster/not-leader.ts';
export type { AgentClients, DeletedTopic, ResourceCounts } from './cluster/owner-port.ts';
export type {
  AbortedTransactions,
  AgentDescription,
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterFollower,
  ClusterSnapshot,
  EntryError,
  FileCommit,
  FileCommitResult,
  FilesToCommit,
  Markers,
  MetadataEntry,
  MutationOptions,
  OffsetAnswer,
  OffsetQuery,
  PartitionsToCreate,
  Pointers,
  ShutdownLockRequest,
  TopicDescription,
  TopicError,
  TopicReference,
  TopicResult,
  TopicToCreate,
  TransactionalBatches,
} from './cluster/port.ts';
export {
  agentSilenceMsMax,
  CallNotDone,
  ClusterUnavailable,
  entryErrors,
  filesToSend,
  heartbeatIntervalMs,
  markerBytes,
  markerCoordinatorEpoch,
  replicationFactorOf,
} from './cluster/port.ts';
export type {
  AlterClientQuotasResult,
  ClientQuotas,
  CredentialDescription,
  CredentialToPut,
  QuotaEntity,
  QuotaFilterPart,
  ScramCredential,
  ScramCredentialChange,
} from './cluster/principals-port.ts';
export {
  type ClaimedQuery,
  type JobHold,
  jobLeaseMs,
  type QueryRefusal,
  type QueryReport,
  queryReportIntervalMs,
} from './cluster/queries-port.ts';
export {
  type AcknowledgeAnswer,
  type AcknowledgedPartition,
  type AcknowledgeType,
  type AcquireAnswer,
  type AcquiredPartition,
  acknowledgeTypes,
  type RecordsToAcknowledge,
  type ShareError,
  type ShareHeartbeat,
  type ShareHeartbeatAnswer,
  type ShareOffset,
  type ShareOffsetsAnswer,
  type ShareOffsetsQuery,
  type ShareOffsetToAlter,
} from './cluster/share-port.ts';
export {
  type RequestOrigin,
  type TransactionalProducer,
  type TransactionDescription,
  type TransactionError,
  type TransactionOffsetsAnswer,
  transactionStates,
} from './cluster/transactions-port.ts';
export type { Figure } from './cluster-metrics/combined-stats.ts';
export { readMeasuredSnapshot } from './cluster-metrics/measured-cluster-snapshot.ts';
export type { MeasuredClusterView } from './cluster-metrics/measured-cluster-view.ts';
export { leftOutRow, publishedMetrics } from './cluster-metrics/published-metrics.ts';
export { PublishedStats } from './cluster-metrics/published-stats.ts';
export type { GroupLimits } from './cluster-metrics/read-groups.ts';
export { type ClusterMetricsSettings, readStats } from './cluster-metrics/read-stats.ts';
export { checkConfigs } from './configs/check-configs.ts';
export { isConfigName } from './configs/config-catalogues.ts';
export { type ConfigSource, clusterConfigValue, topicConfigValue } from './configs/config-value.ts';
export { type DescribedConfig, describeConfigs } from './configs/describe-configs.ts';
export { readAssignment } from './consumer-protocol.ts';
export { readCredentialRecord, writeCredentialRecord } from './credentials/credential-entry.ts';
export { credentialSpellings } from './credentials/credential-names.ts';
export { readScramCredential } from './credentials/scram-entry.ts';
export { isPasswordOf, newScramCredential, scramIterations } from './credentials/scram-secret.ts';
export {
  checkJournalFile,
  type Journal,
  type JournalHub,
  type LeaseHolder,
  makeDirectory,
  openJournals,
  PostgresPool,
  type PostgresSql,
} from './journal/index.ts';
export {
  ClusterNode,
  type LedCluster,
  LoadSharing,
  type Role,
  shortLease,
} from './leader/index.ts';
export { NewerFormat } from './newer-format.ts';
export {
  compilePattern,
  compileRewrite,
  matchInTurns,
  type Pattern,
  restorePattern,
} from './patterns/pattern.ts';
export { isQuotaEntityType, quotaEntityKey } from './quotas/quota-entity.ts';
export { readQuotas } from './quotas/quota-entry.ts';
export type { QuotaKey } from './quotas/quota-rows.ts';
export { AgentKeyRefused, endCodes } from './rpc/channel.ts';
export { type ClusterClient, connectCluster } from './rpc/client.ts';
export { clusterClientMetricRows } from './rpc/client-metric-rows.ts';
export { type ForwardProxy, openTunnel } from './rpc/forward-proxy.ts';
export { ReplyMemory } from './rpc/reply-memory.ts';
export { type ServedCluster, type ServedConnection, serveConnection } from './rpc/serve.ts';
export { agentAudience, agentTokenPath, tokenExchange } from './rpc/token-protocol.ts';
export {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  subprotocol,
  webSocketChannel,
} from './rpc/web-socket.ts';
export { SnapshotTopics } from './snapshots/snapshot-topics.ts';
export { takeSnapshot } from './snapshots/take-snapshot.ts';
