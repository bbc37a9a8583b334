export {
  type Acl,
  type AclOperation,
  type AclPatternType,
  type AclPermission,
  type AclResourceType,
  aclOperations,
  aclPatternTypes,
  aclPermissions,
  aclResourceTypes,
  clusterResourceName,
  type KafkaResourceType,
  kafkaResourceTypes,
  type NeededOperation,
  operationBits,
  operationsOfResource,
  registryResourceName,
} from './acl.ts';
export {
  type AclRoleInput,
  type AclRoleName,
  aclRole,
  aclRoleInputs,
  aclRoleNames,
  missingRoleInputs,
  readResourcePatterns,
  rulesOfRole,
} from './acl-roles.ts';
export { backOffMs, type JitteredBackOff, jitteredBackOffMs } from './back-off.ts';
export { formatBytes, GiB, KiB, MiB, parseBytes, TiB } from './bytes.ts';
export {
  clientQuotas,
  isQuotaKey,
  type QuotaEntityType,
  type QuotaKey,
  quotaEntityTypes,
  quotaKeys,
} from './client-quotas.ts';
export { afterEvents, type Clock, systemClock } from './clock.ts';
export { clusterIdPrefixes, clusterKind } from './cluster-kind.ts';
export { compatibilityLevels } from './compatibility-levels.ts';
export { type ConfigGroup, configGroupIds, configGroups } from './config-groups.ts';
export { type ConfigUnit, configUnits, formatAmount, parseAmount } from './config-units.ts';
export { formatDurationMs, parseDurationMs } from './durations.ts';
export { type Environment, systemEnvironment } from './environment.ts';
export { type EventTypeName, eventTypeNames } from './event-type-names.ts';
export { Failure } from './failure.ts';
export {
  fileBucketMax,
  fileIdBucket,
  fileIdLevel,
  fileIdLevelMax,
  fileIdSequence,
  fileIdTimeMs,
  isFileSequence,
  namesBucketBit,
} from './file-id-time.ts';
export { fileIdOf, fileOriginOf, fileReference, isFileReference } from './file-reference.ts';
export { type FilterOperator, filterOperators } from './filter-operators.ts';
export { internalTopicPrefix, internalTopicProblem, isInternalTopic } from './internal-topics.ts';
export { type JobCategory, jobCategories } from './job-categories.ts';
export { brokenBound, type JsonBounds } from './json-bounds.ts';
export { JsonReader, jsonStepsPerTurn } from './json-reader.ts';
export { coreLimits } from './limits.ts';
export { jsonLog, type Log, type LogFields, type LogLevel, silentLog } from './log.ts';
export { lowerBound } from './lower-bound.ts';
export { escapeHtml, escapeMarkdown, escapePipes, markdownTable } from './markup.ts';
export { MemoryCounter } from './memory-counter.ts';
export {
  type SeriesMetricName,
  type SeriesTag,
  seriesLongRangeMs,
  seriesLongStepMs,
  seriesMetricNames,
  seriesMetrics,
  seriesShortRangeMs,
  seriesShortStepMs,
  seriesTags,
} from './metric-series.ts';
export {
  durationBucketsSeconds,
  type LabelValues,
  type MetricReading,
  type MetricRow,
  Metrics,
  type Series,
  type SeriesReading,
  scrapedName,
  scrapeIntervalMs,
  seriesPerMetricMax,
} from './metrics.ts';
export { nearestName, nearestNames } from './nearest-names.ts';
export { newOffset, type OffsetTarget } from './offset-target.ts';
export { Outage } from './outage.ts';
export { nextTurn, pauseUnlessStopped } from './pause.ts';
export { anonymousName, problemOfPrincipalName } from './principal-name.ts';
export {
  InvalidProtobuf,
  ProtobufReader,
  type ProtobufValue,
  protobufBytes,
  protobufFields,
  protobufText,
} from './protobuf/protobuf-reader.ts';
export { ProtobufWriter } from './protobuf/protobuf-writer.ts';
export { type Random, randomId, seededRandom, systemRandom } from './random.ts';
export { RecentlyUsed } from './recently-used.ts';
export { release } from './release.ts';
export { RetainedCopies, retainedCopy } from './retained-copy.ts';
export { looksSealed, sealedReference, sealedTextsIn, withOpened } from './sealed-text.ts';
export {
  isSecretName,
  isSecretReference,
  problemOfSecretReferences,
  SecretMissing,
  secretNamePattern,
  secretNameRule,
  secretNamesIn,
  withSecrets,
} from './secret-reference.ts';
export { Semaphore, SemaphoreFull } from './semaphore.ts';
export { shortName } from './short-name.ts';
export { timeText } from './time-text.ts';
export { TokenBucket, type TokenRate } from './token-bucket.ts';
export { utf8Text } from './utf8.ts';
