export { aclKey, aclValue, describeAcl, readAclKey, readAcls } from './acls/acl-entry.ts';
export { matchesAcl, onlyAclOf } from './acls/acl-filter.ts';
export { type AclDecision, AclIndex, type AclQuestion } from './acls/acl-index.ts';
export { type InvalidAcl, invalidAcls, problemOfNewAcl } from './acls/check-acl.ts';
export type { CallKind, PortOf } from './calls/call.ts';
export { CallRefused, CallTooLarge } from './calls/call-refused.ts';
export {
  type AnswerOf,
  type ArgsOf,
  type CallClass,
  type CallName,
  type ClusterPort,
  callClass,
  callOn,
  callPortClass,
  clusterCalls,
  isCallName,
  portOf,
} from './calls/cluster-calls.ts';
export type { EventsPort } from './calls/event-calls.ts';
export { type GroupsPort, groupCalls } from './calls/group-calls.ts';
export type { QueriesPort } from './calls/query-calls.ts';
export { type SharePort, shareCalls } from './calls/share-calls.ts';
export { alteredConfigs, type ConfigsBy, clusterConflict } from './configs/alter-configs.ts';
export { checkClusterConfigs, checkConfigs, checkTopicConfigs } from './configs/check-configs.ts';
export { configCatalogues, isConfigName } from './configs/config-catalogues.ts';
export { describeProblem } from './configs/config-row.ts';
export {
  type ConfigSource,
  type ConfigTexts,
  clusterConfigValue,
  groupConfigValue,
  topicConfigValue,
} from './configs/config-value.ts';
export { type DescribedConfig, describeConfigs } from './configs/describe-configs.ts';
export {
  type ClassicSubscription,
  type NamedPartitions,
  readAssignment,
  readSubscription,
  writeAssignment,
} from './consumer-protocol.ts';
export { readCredentialRecord, writeCredentialRecord } from './credentials/credential-entry.ts';
export { credentialSpellings } from './credentials/credential-names.ts';
export { readScramCredential, writeScramCredential } from './credentials/scram-entry.ts';
export { isPasswordOf, newScramCredential, scramIterations } from './credentials/scram-secret.ts';
export type { Figure } from './metrics/combined-stats.ts';
export { readMeasuredSnapshot } from './metrics/measured-cluster-snapshot.ts';
export type { MeasuredClusterView } from './metrics/measured-cluster-view.ts';
export { leftOutRow, publishedMetrics } from './metrics/published-metrics.ts';
export { PublishedStats } from './metrics/published-stats.ts';
export type { GroupLimits } from './metrics/read-groups.ts';
export { type ClusterMetricsSettings, readStats } from './metrics/read-stats.ts';
export { NewerFormat } from './newer-format.ts';
export {
  compilePattern,
  compileRewrite,
  matchInSlices,
  type Pattern,
  restorePattern,
  type UsablePattern,
} from './patterns/pattern.ts';
export type { AclFilter, AclResult, DeletedAcls } from './ports/acls-port.ts';
export {
  type AlterConfigsResult,
  type ConfigChange,
  type ConfigResourceKind,
  type ConfigsToAlter,
  configOperations,
  type DeleteRecordsResult,
  type JournalState,
  type LogSizes,
  type RecordsToDelete,
  type StoredConfigKind,
  type StoredConfigResource,
} from './ports/admin-port.ts';
export {
  type AgentHeartbeat,
  type AgentReport,
  type DamagedOffsets,
  type LostAgent,
  problemOfReport,
  type ReceivedReport,
  type ReceivedReports,
  type ReportedBucket,
  type ReportedClient,
  type ReportedConnections,
  type ReportedDamage,
  type ReportedExpiry,
  type ReportedLogin,
  type ReportedSoftware,
  reportIntervalMs,
  reportRetentionMs,
} from './ports/agent-report.ts';
export { clusterFacts } from './ports/cluster-facts.ts';
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
} from './ports/cluster-secrets.ts';
export {
  type ControlPlaneEvent,
  type ControlPlaneEventsPoll,
  type ControlPlaneEventsTaken,
  controlPlaneEventsWaitMsMax,
} from './ports/events-port.ts';
export {
  type CommitMark,
  type CommitOrigin,
  type CommittedOffset,
  type ConsumerGroupDescription,
  type ConsumerHeartbeat,
  type ConsumerHeartbeatAnswer,
  type GroupDescription,
  type GroupError,
  type GroupFilter,
  type GroupHeartbeat,
  type GroupListing,
  type GroupStateName,
  type GroupType,
  groupTypes,
  type JoinGroupAnswer,
  type JoinGroupRequest,
  type LeaveGroupAnswer,
  type LeaveGroupRequest,
  type LeavingMember,
  type NamedBytes,
  type OffsetsAnswer,
  type OffsetsCommit,
  type OffsetsCommitAnswer,
  type OffsetsCommitter,
  type OffsetsQuery,
  type OffsetsToDelete,
  type OffsetToCommit,
  type PartitionsOfTopic,
  type SyncGroupAnswer,
  type SyncGroupRequest,
  type TopicPartition,
  type TopicReader,
} from './ports/groups-port.ts';
export {
  addLatencies,
  type LatencyCounts,
  latencyP99,
  latencyStepOf,
  noLatencies,
  packLatencies,
} from './ports/latencies.ts';
export { NotLeader } from './ports/not-leader.ts';
export type {
  AgentClients,
  DeletedTopic,
  ResourceCounts,
  SeenAgent,
  TopicsWithEnds,
} from './ports/owner-port.ts';
export {
  type AbortedTransactions,
  type AgentDescription,
  agentSilenceMsMax,
  type BatchesAnswer,
  type BatchesQuery,
  CallNotDone,
  type ClusterChange,
  type ClusterFollower,
  type ClusterSnapshot,
  ClusterUnavailable,
  type EntryError,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
  heartbeatIntervalMs,
  type Markers,
  type MetadataEntry,
  markerBytes,
  markerCoordinatorEpoch,
  type OffsetAnswer,
  type OffsetQuery,
  type PartitionsToCreate,
  type Pointers,
  replicationFactorOf,
  type ShutdownLockRequest,
  shutdownLeaseMs,
  type TopicDescription,
  type TopicError,
  type TopicReference,
  type TopicResult,
  type TopicToCreate,
  type TransactionalBatches,
  usualReplicationFactor,
} from './ports/port.ts';
export type {
  AlterClientQuotasResult,
  ClientQuotaFilter,
  ClientQuotas,
  ClientQuotasToAlter,
  CredentialDescription,
  CredentialResult,
  CredentialToPut,
  QuotaEntity,
  QuotaFilterPart,
  ScramCredential,
  ScramCredentialChange,
  ScramCredentialDescription,
  ScramCredentialResult,
} from './ports/principals-port.ts';
export {
  type ClaimedQuery,
  type JobHold,
  jobLeaseMs,
  type QueryOutcome,
  type QueryPoll,
  type QueryRefusal,
  type QueryReport,
  type QueryToRun,
  queryLimitMsMax,
  queryReportIntervalMs,
  querySilenceMsMax,
} from './ports/queries-port.ts';
export {
  type AcknowledgeAnswer,
  type AcknowledgedPartition,
  type AcknowledgeType,
  type AcquireAnswer,
  type AcquiredPartition,
  acknowledgeTypes,
  type RecordsToAcknowledge,
  type RecordsToAcquire,
  type ShareError,
  type ShareGroupDescription,
  type ShareHeartbeat,
  type ShareHeartbeatAnswer,
  type ShareOffset,
  type ShareOffsetsAnswer,
  type ShareOffsetsQuery,
  type ShareOffsetsResult,
  type ShareOffsetsToAlter,
  type ShareOffsetsToDelete,
  type ShareOffsetToAlter,
} from './ports/share-port.ts';
export {
  type ListedTransaction,
  type OffsetsToAdd,
  type PartitionsToAdd,
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
  type TransactionToEnd,
  transactionStates,
} from './ports/transactions-port.ts';
export { entityProblem, isQuotaEntityType, quotaEntityKey, quotaEntityOf } from './quotas/quota-entity.ts';
export { type Quotas, readQuotas } from './quotas/quota-entry.ts';
export { type QuotaKey, quotaProblem } from './quotas/quota-rows.ts';
export { assignRanges, rangeAssignorName, type Subscriber } from './range-assignor.ts';
export { SnapshotTopics } from './snapshots/snapshot-topics.ts';
export { takeSnapshot } from './snapshots/take-snapshot.ts';
