export { aclKey, aclValue, describeAcl, readAclKey, readAcls } from './acls/acl-entry.ts';
export { matchesAcl, onlyAclOf } from './acls/acl-filter.ts';
export { type AclDecision, AclIndex, type AclQuestion } from './acls/acl-index.ts';
export { type InvalidAcl, invalidAcls, problemOfNewAcl, problemOfOperation } from './acls/check-acl.ts';
export type { AclFilter, AclResult, DeletedAcls } from './calls/acl-calls.ts';
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
} from './calls/admin-calls.ts';
export {
  type AgentDescription,
  type AgentHeartbeat,
  agentSilenceMsMax,
  heartbeatIntervalMs,
  loadIntervalMs,
  loadStep,
  type NamedAgent,
  overloadedFrom,
  overloadedUntil,
  overloadIntervalMs,
  type ShutdownLockRequest,
  shutdownLeaseMs,
  shutdownLockIntervalMs,
  takenOverGraceMs,
} from './calls/agents/agent-calls.ts';
export {
  type AgentReport,
  type DamagedOffsets,
  type InvalidRecords,
  problemOfReport,
  type ReportedBucket,
  type ReportedClient,
  type ReportedConnections,
  type ReportedDamage,
  type ReportedExpiry,
  type ReportedLogin,
  type ReportedSoftware,
  type ReportedTraffic,
  type RequestKind,
  reportIntervalMs,
  requestKinds,
} from './calls/agents/agent-report.ts';
export {
  addLatencies,
  type LatencyCounts,
  latencyP99,
  latencyPercentile,
  latencyStepOf,
  noLatencies,
  packLatencies,
} from './calls/agents/latencies.ts';
export {
  type LostAgent,
  type ReceivedReport,
  type ReceivedReports,
  reportRetentionMs,
} from './calls/agents/received-reports.ts';
export {
  type BoundaryAnswer,
  type BoundaryQuery,
  type BoundaryRange,
  boundaryQueryKind,
  type FoundBoundary,
  readBoundaryQuery,
} from './calls/boundary-query.ts';
export type { CallKind, PortOf } from './calls/call.ts';
export {
  CallNotDone,
  CallRefused,
  CallTooLarge,
  ClusterUnavailable,
  NotLeader,
} from './calls/call-errors.ts';
export type {
  ClusterChange,
  ClusterFollower,
  ClusterSnapshot,
  MetadataEntry,
} from './calls/change-stream.ts';
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
export {
  type CompactedKeys,
  type CompactionCommit,
  type CompactionJob,
  type CompactionResult,
  type KeyCompactionJob,
  noRangeFile,
  type RangeColumns,
  type RangePointerColumns,
} from './calls/compaction-calls.ts';
export type { EventsPort } from './calls/event-calls.ts';
export {
  type ControlPlaneEvent,
  type ControlPlaneEventsPoll,
  type ControlPlaneEventsTaken,
  controlPlaneEventsWaitMsMax,
} from './calls/event-calls.ts';
export type {
  CompactionBacklog,
  FilesPort,
  FileTotals,
  LateLevel,
  LatePartition,
  StorageTraffic,
} from './calls/file-calls.ts';
export type {
  GroupHeartbeat,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeaveGroupAnswer,
  LeaveGroupRequest,
  LeavingMember,
  NamedBytes,
  SyncGroupAnswer,
  SyncGroupRequest,
} from './calls/groups/classic-group-calls.ts';
export type {
  ConsumerGroupDescription,
  ConsumerHeartbeat,
  TopicReader,
} from './calls/groups/consumer-group-calls.ts';
export type { GroupDescription, GroupFilter, GroupListing } from './calls/groups/group-admin-calls.ts';
export { type GroupsPort, groupCalls } from './calls/groups/group-calls.ts';
export {
  type GroupError,
  type GroupStateName,
  type GroupType,
  groupTypes,
} from './calls/groups/group-names.ts';
export type {
  CommitMark,
  CommitOrigin,
  CommittedOffset,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsCommitter,
  OffsetsQuery,
  OffsetsToDelete,
  OffsetToCommit,
} from './calls/groups/group-offset-calls.ts';
export type {
  ModernGroupDescription,
  ModernHeartbeatAnswer,
  ModernMemberDescription,
} from './calls/groups/modern-groups.ts';
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
  type ShareHeartbeat,
  type ShareOffset,
  type ShareOffsetsAnswer,
  type ShareOffsetsQuery,
  type ShareOffsetsResult,
  type ShareOffsetsToAlter,
  type ShareOffsetsToDelete,
  type ShareOffsetToAlter,
  type SharePort,
  shareCalls,
} from './calls/groups/share-calls.ts';
export type {
  PartitionsOfEndpoint,
  StreamsEndpoint,
  StreamsGroupDescription,
  StreamsHeartbeat,
  StreamsHeartbeatAnswer,
  StreamsInternalTopic,
  StreamsStatus,
  StreamsSubtopology,
  StreamsTasks,
  StreamsTopology,
} from './calls/groups/streams-group-calls.ts';
export type { ClusterHealth } from './calls/health-calls.ts';
export type { JobsPort } from './calls/job-calls.ts';
export {
  type ClaimedJob,
  type HeldJob,
  type JobClaim,
  type JobProgress,
  type JobReport,
  type JobState,
  type JobsState,
  jobReportBytes,
  jobReportIntervalMs,
  type ListedJob,
} from './calls/job-calls.ts';
export {
  type BatchesAnswer,
  type BatchesQuery,
  type EntryError,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type FileContent,
  type FilesToCommit,
  fileCommitColumns,
  filesToSend,
  type OffsetAnswer,
  type OffsetQuery,
  type TransactionalBatches,
} from './calls/log-calls.ts';
export {
  type AgentConfirmation,
  type CopiedFile,
  type CopiedFileResult,
  type CopiedGroupOffsets,
  type CopiedGroupResult,
  type CopyError,
  copiedRowKinds,
  copyErrors,
  type ManagedConfigs,
  type ManagedLogStart,
  type ManagedLogStartResult,
  type ManagedTopicResult,
  type ManagedTopicState,
  type ManagedTopicsQuery,
  type MigrationSource,
  type MigrationStateAnswer,
  type MigrationStateChanges,
  type PartitionsToManage,
  type TopicToManage,
} from './calls/migration-calls.ts';
export {
  type PreflightAnswer,
  type PreflightConfig,
  type PreflightOutcome,
  type PreflightQuestion,
  preflightKind,
  readPreflightQuestion,
} from './calls/migration-question.ts';
export {
  boundedSourceTopic,
  type CopiedTopicState,
  type MigrationReport,
  migrationLine,
  migrationTopicReports,
  type ReportedMigration,
  type ReportedMigrationTopic,
  type SourceTopicState,
} from './calls/migration-report-calls.ts';
export type {
  AgentClients,
  CloneEnd,
  DeletedTopic,
  NamedBucketReport,
  ResourceCounts,
  RetentionEstimatePart,
  RetentionEstimatePlace,
  RetentionEstimateRequest,
  SeenAgent,
  TopicCloneResult,
  TopicsWithEnds,
  TopicToClone,
} from './calls/owner-calls.ts';
export {
  type AbortedTransactions,
  type Markers,
  markerBytes,
  markerCoordinatorEpoch,
  type Pointers,
} from './calls/pointers.ts';
export type {
  AlterClientQuotasResult,
  ClientQuotaFilter,
  ClientQuotas,
  ClientQuotasToAlter,
  CredentialDescription,
  CredentialResult,
  CredentialToPut,
  PasswordDerivation,
  PasswordRotation,
  PasswordRotationResult,
  QuotaEntity,
  QuotaFilterPart,
  ScramCredential,
  ScramCredentialChange,
  ScramCredentialDescription,
  ScramCredentialResult,
} from './calls/principal-calls.ts';
export type { QueriesPort } from './calls/query-calls.ts';
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
} from './calls/query-calls.ts';
export {
  type PartToWrite,
  type ProducedRecord,
  type ProduceRecordAnswer,
  type ProduceRecordQuery,
  produceRecordKind,
  type ReadRecords,
  type ReadRecordsAnswer,
  type ReadRecordsQuery,
  type RecordCaller,
  type RecordFormat,
  type RecordPosition,
  type RecordRefusal,
  readRecordQuery,
  readRecordsKind,
  type ShownPart,
  type ShownRecord,
} from './calls/record-query.ts';
export type {
  RegistryChangeRequest,
  RegistryChangeResult,
  RegistryEntry,
  RegistryEntryChange,
  RegistryPage,
  RegistryReadRequest,
  SettingToSeal,
} from './calls/registry-calls.ts';
export type {
  ClusterActivity,
  GroupActivity,
  MetricSeries,
  SeriesQuery,
  SeriesRead,
  SeriesTags,
} from './calls/series-calls.ts';
export {
  boundedTableState,
  lagOf,
  type ReplayState,
  type ReportedTable,
  type TableErrorCause,
  type TableState,
  type TablesPort,
  type TablesReport,
  tableReportIntervalMs,
  tablesReports,
} from './calls/table-calls.ts';
export {
  type AskedTable,
  type DescribedTable,
  readTableQuestion,
  type TableAnswer,
  type TableAnswers,
  type TableFailure,
  type TableFailuresAnswer,
  type TableFilesAnswer,
  type TableMetadataAnswer,
  type TableQuestion,
  type TableQuestionOf,
  type TableRefusal,
  type TableSqlAnswer,
} from './calls/table-question.ts';
export type {
  ChangedToken,
  CreatedToken,
  SealedToken,
  TokenDescription,
  TokenToChange,
} from './calls/token-calls.ts';
export {
  type PartitionsToCreate,
  replicationFactorOf,
  type TopicDescription,
  type TopicError,
  type TopicReference,
  type TopicResult,
  type TopicToCreate,
  usualReplicationFactor,
} from './calls/topic-calls.ts';
export type { PartitionsOfTopic, TopicPartition } from './calls/topic-partition.ts';
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
} from './calls/transaction-calls.ts';
export {
  type BucketPair,
  type BucketToRegister,
  bucketFact,
  bucketPairFact,
  bucketsReserved,
  bucketsReservedFact,
  type KnownBucket,
  namedBucketDigest,
  nextBucketNumber,
  readBucketPair,
  readBuckets,
  writeBucket,
  writeBucketPair,
} from './cluster-buckets.ts';
export { clusterFacts } from './cluster-facts.ts';
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
} from './cluster-secrets.ts';
export { alteredConfigs, type ConfigsBy, clusterConflict } from './configs/alter-configs.ts';
export { checkClusterConfigs, checkConfigs, checkTopicConfigs } from './configs/check-configs.ts';
export { configCatalogues, isConfigName } from './configs/config-catalogues.ts';
export { describeProblem, documentationOf } from './configs/config-row.ts';
export { unitOf } from './configs/config-unit.ts';
export {
  type ConfigSource,
  type ConfigTexts,
  clusterConfigValue,
  groupConfigValue,
  topicConfigValue,
} from './configs/config-value.ts';
export { type DescribedConfig, describeConfigs } from './configs/describe-configs.ts';
export { maskedFieldsOf, matchesWildcard } from './configs/mask-rules.ts';
export type { StartOffset } from './configs/start-offset.ts';
export {
  type ClassicSubscription,
  consumerProtocolType,
  type NamedPartitions,
  readAssignment,
  readSubscribedTopics,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from './consumer-protocol.ts';
export { readCredentialRecord, writeCredentialRecord } from './credentials/credential-entry.ts';
export {
  credentialSpellings,
  givenCredentialName,
  type NamedPrincipal,
  principalCalled,
  principalOfCredential,
} from './credentials/credential-names.ts';
export {
  type DelegationToken,
  isTokenLive,
  readDelegationToken,
  tokenIdOf,
  tokenIterations,
  tokenPassword,
  writeDelegationToken,
} from './credentials/delegation-token.ts';
export {
  mayHaveOldPassword,
  oldPasswordAt,
  readScramCredential,
  type StoredPassword,
  writeScramCredential,
} from './credentials/scram-entry.ts';
export {
  isPasswordOf,
  matchingPassword,
  newScramCredential,
  scramCredentialOf,
  scramIterations,
} from './credentials/scram-secret.ts';
export { type EntriesView, FollowedEntries, type FollowedEntriesView } from './entries/followed-entries.ts';
export type { FilePointers, FileState } from './file-pointers.ts';
export {
  fileSequenceIntervalMs,
  fileSequenceLeaseMs,
  fileSequenceSilenceMsMax,
  readFileSequence,
  ripcordEndMs,
  type SequenceToKeep,
  writeFileSequence,
} from './file-sequence.ts';
export { fileCompactionKind, readCompactionTask, writeCompactionTask } from './jobs/compaction-task.ts';
export { fileDeletionKind, readDeletionTask, writeDeletionTask } from './jobs/deletion-task.ts';
export {
  exporterKeys,
  exporterScope,
  isExportedKey,
  readExporterTask,
  schemaExportKind,
  writeExporterTask,
} from './jobs/exporter-task.ts';
export {
  keyCompactionKind,
  readKeyCompactionTask,
  writeKeyCompactionTask,
} from './jobs/key-compaction-task.ts';
export {
  type LinkingTask,
  linkingScope,
  readLinkingTask,
  schemaLinkingKind,
  writeLinkingTask,
} from './jobs/linking-task.ts';
export {
  type MigrationTask,
  migrationCopyKind,
  migrationCopyScope,
  migrationScope,
  migrationSlotOf,
  migrationSteadyMs,
  migrationTopicsKind,
  pipelineOfMigrationScope,
  readMigrationCopyTask,
  readMigrationTask,
  writeMigrationCopyTask,
  writeMigrationTask,
} from './jobs/migration-task.ts';
export {
  type PipelineTask,
  pipelineKind,
  pipelineScope,
  pipelineScopeStart,
  pipelineSteadyMs,
  readPipelineScope,
  readPipelineTask,
  writePipelineTask,
} from './jobs/pipeline-task.ts';
export { type ReplayTask, readReplayTask, sequenceReplayKind, writeReplayTask } from './jobs/replay-task.ts';
export { deadFileScanKind, readScanTask, type ScanTask, writeScanTask } from './jobs/scan-task.ts';
export { secretsDigest } from './jobs/secrets-digest.ts';
export {
  ingestionScope,
  readIngestionScope,
  readTableRemovalTask,
  readTableTask,
  replayScope,
  type TableRemovalTask,
  type TableTask,
  tableIngestionKind,
  tableMaintenanceKind,
  tablePath,
  tableRemovalKind,
  tableReplayKind,
  tableSteadyMs,
  writeTableRemovalTask,
  writeTableTask,
} from './jobs/table-task.ts';
export type { SeriesValue } from './metrics/combined-stats.ts';
export { controlPlaneUtilization, diagnosticFailure } from './metrics/health-metrics.ts';
export { addHealthStats } from './metrics/health-stats.ts';
export { readMeasuredSnapshot } from './metrics/measured-cluster-snapshot.ts';
export type { MeasuredClusterView } from './metrics/measured-cluster-view.ts';
export { leftOutRow, publishedMetrics } from './metrics/published-metrics.ts';
export { PublishedStats } from './metrics/published-stats.ts';
export type { GroupLimits } from './metrics/read-groups.ts';
export { type ClusterMetricsSettings, readStats } from './metrics/read-stats.ts';
export {
  isHandedOver,
  type ManagedTopic,
  managedTopicNamespace,
  migratedProducerIdMin,
  readManagedTopic,
  writeManagedTopic,
} from './migration/managed-topic.ts';
export {
  type MigrationState,
  migrationStates,
  migrationTransitions,
  stateAfterDeadline,
} from './migration/migration-states.ts';
export { NewerFormat } from './newer-format.ts';
export {
  compilePattern,
  compileRewrite,
  compileSearch,
  matchInSlices,
  type Pattern,
  restorePattern,
  type Search,
  type UsablePattern,
} from './patterns/pattern.ts';
export { patternCost } from './patterns/pattern-cost.ts';
export { entityProblem, isQuotaEntityType, quotaEntityKey, quotaEntityOf } from './quotas/quota-entity.ts';
export { type Quotas, readQuotas } from './quotas/quota-entry.ts';
export { addressLevels, clientLevels, type QuotaLevel } from './quotas/quota-levels.ts';
export { quotaProblem } from './quotas/quota-rows.ts';
export { assignRanges, rangeAssignorName, type Subscriber } from './range-assignor.ts';
export { assignInTurn, roundRobinAssignorName } from './round-robin-assignor.ts';
export { SnapshotTopics } from './snapshots/snapshot-topics.ts';
export { takeSnapshot } from './snapshots/take-snapshot.ts';
export {
  assignCooperatively,
  cooperativeStickyAssignorName,
  type OwningSubscriber,
} from './sticky-assignor.ts';
export { collisionKey, collisionProblem } from './topic-collision.ts';
