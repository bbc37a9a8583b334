import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagRows } from './catalogue.ts';
import { flagSpellings, variableSpellings } from './settings.ts';

/**
 * The names that are the public interface, as the contract spells them. A name may be removed only together with the
 * contract.
 */
const flagsWithVariables: readonly [flag: string, variable: string][] = [
  ['-additionalBackgroundTasksBucketURLs', 'SERVICE_ADDITIONAL_BACKGROUND_TASKS_BUCKET_URLS'],
  ['-additionalDeadscannerBucketURLs', 'SERVICE_ADDITIONAL_DEADSCANNER_BUCKET_URLS'],
  ['-agentGroup', 'SERVICE_AGENT_GROUP'],
  ['-autoTuneFetchLimits', 'SERVICE_AUTO_TUNE_FETCH_LIMITS'],
  ['-batchMaxCompressedSizeBytes', 'SERVICE_BATCH_MAX_COMPRESSED_SIZE_BYTES'],
  ['-batchMaxSizeBytes', 'SERVICE_BATCH_MAX_SIZE_BYTES'],
  ['-batchTimeout', 'SERVICE_BATCH_TIMEOUT'],
  ['-checkBucketAccessRetryCount', 'SERVICE_CHECK_BUCKET_ACCESS_RETRY_COUNT'],
  ['-defaultPartitionAssignmentStrategy', 'SERVICE_DEFAULT_PARTITION_ASSIGNMENT_STRATEGY'],
  ['-disableAzLookupWarnings', 'SERVICE_DISABLE_AZ_LOOKUP_WARNINGS'],
  ['-disableConsumerGroupMetrics', 'SERVICE_DISABLE_CONSUMER_GROUP_METRICS'],
  ['-disableConsumerGroupsMetricsTags', 'SERVICE_DISABLE_CONSUMER_GROUP_METRICS_TAGS'],
  ['-disableOutOfRangeOrbit', 'SERVICE_DISABLE_OUT_OF_RANGE_ORBIT'],
  ['-enableACLLogs', 'SERVICE_ENABLE_ACL_LOGS'],
  ['-enableDatadogMetrics', 'SERVICE_ENABLE_DATADOG_METRICS'],
  ['-enableMetadataTopicsCache', 'SERVICE_ENABLE_METADATA_TOPICS_CACHE'],
  ['-enableRipcord', 'SERVICE_ENABLE_RIPCORD'],
  ['-enableShutdownLock', 'SERVICE_ENABLE_SHUTDOWN_LOCK'],
  ['-enabledSASLMechanisms', 'SERVICE_ENABLED_SASL_MECHANISMS'],
  ['-gcsDirectConnectivityRequired', 'SERVICE_GCS_DIRECT_CONNECTIVITY_REQUIRED'],
  ['-gracefulShutdownDuration', 'SERVICE_GRACEFUL_SHUTDOWN_DURATION'],
  ['-httpsProxyCACertFile', 'SERVICE_HTTPS_PROXY_CA_CERT_FILE'],
  ['-injectPrincipalHeader', 'SERVICE_INJECT_PRINCIPAL_HEADER'],
  ['-internalSpiffeTrustDomain', 'SERVICE_INTERNAL_SPIFFE_TRUST_DOMAIN'],
  ['-internalSpiffeWorkloadID', 'SERVICE_INTERNAL_SPIFFE_WORKLOAD_ID'],
  ['-jobSelector', 'SERVICE_JOB_SELECTOR'],
  ['-jobsRunnerSlotsAmplification', 'SERVICE_JOBS_RUNNER_SLOTS_AMPLIFICATION'],
  ['-kafkaHighCardinalityDistributionMetrics', 'SERVICE_KAFKA_HIGH_CARDINALITY_DISTRIBUTION_METRICS'],
  ['-kafkaPort', 'SERVICE_KAFKA_PORT'],
  ['-kafkaProxyProtocol', 'SERVICE_KAFKA_PROXY_PROTOCOL'],
  ['-kafkaTLS', 'SERVICE_TLS_ENABLED'],
  ['-logMTLSCertificateInfo', 'SERVICE_LOG_MTLS_CERTIFICATE_INFO'],
  ['-maxConcurrentMetadataRequestsPerCPU', 'SERVICE_MAX_CONCURRENT_METADATA_REQUESTS_PER_CPU'],
  ['-metadataURL', 'SERVICE_METADATA_URL'],
  ['-overridePipelinesSharedRateLimitPerVCPU', 'SERVICE_OVERRIDE_PIPELINES_SHARED_RATE_LIMIT_PER_VCPU'],
  ['-requireMTLSAuthentication', 'SERVICE_REQUIRE_MTLS_AUTHENTICATION'],
  ['-requireSASLAuthentication', 'SERVICE_REQUIRE_SASL_AUTHENTICATION'],
  ['-roles', 'SERVICE_AGENT_ROLES'],
  ['-saslOAuthAudience', 'SERVICE_SASL_OAUTH_AUDIENCE'],
  ['-saslOAuthIssuerURL', 'SERVICE_SASL_OAUTH_ISSUER_URL'],
  ['-schemaRegistryEnableLogRequest', 'SERVICE_SCHEMA_REGISTRY_ENABLE_LOG_REQUEST'],
  ['-schemaRegistryPort', 'SERVICE_SCHEMA_REGISTRY_PORT'],
  ['-skipBucketsPermissionCheck', 'SERVICE_SKIP_BUCKETS_PERMISSION_CHECK'],
  ['-tlsBlobURL', 'SERVICE_TLS_BLOB_URL'],
  ['-tlsProfile', 'SERVICE_TLS_PROFILE'],
  ['-workloadIdentityTokenSource', 'SERVICE_AGENT_WORKLOAD_IDENTITY_TOKEN_SOURCE'],
  ['-zonedCIDRBlocks', 'SERVICE_ZONED_CIDR_BLOCKS'],
];

/** Flags for which the contract names no variable. Their variable follows the naming rule. */
const flagsAlone: readonly string[] = [
  '-agentKeyPath',
  '-apiURL',
  '-apiKey',
  '-agentPoolName',
  '-virtualClusterID',
  '-clusterWideEnvironmentPort',
  '-consoleURL',
  '-disablePublishMetricsJob',
  '-disableQueryEngine',
  '-enableClusterWideEnvironment',
  '-httpPort',
  '-kafkaMaxFetchPartitionBytesUncompressedOverride',
  '-kafkaMaxFetchRequestBytesUncompressedOverride',
  '-kafkaProxyProtocolPrincipalTLVType',
  '-multiregion',
  '-tableflowInternalHTTPPort',
  '-tableflowMetadataSyncMode',
  '-tlsClientCACertFile',
  '-tlsServerCertFile',
  '-tlsServerPrivateKeyFile',
  // The tools.
  '-batch-size',
  '-bootstrap-host',
  '-bootstrap-port',
  '-config-file',
  '-config-name',
  '-group',
  '-max-records-per-second',
  '-num-clients',
  '-num-records',
  '-offset',
  '-output',
  '-partition',
  '-password',
  '-producer-max-bytes',
  '-record-size',
  '-records',
  '-sleep-between-batch',
  '-tls',
  '-tlsClientCertFile',
  '-tlsClientPrivateKeyFile',
  '-tlsServerCACertFile',
  '-topic',
  '-type',
  '-username',
];

/** Variables for which the contract names no flag. Their flag is the variable in camel case. */
const variablesAlone: readonly string[] = [
  'AZURE_STORAGE_ACCOUNT',
  'DD_AGENT_HOST',
  'POD_NAME',
  'POD_NAMESPACE',
  'SERVICE_ADVERTISE_HOSTNAME_STRATEGY',
  'SERVICE_AGENT_ENABLE_ZONAL_URLS',
  'SERVICE_AGENT_KEY',
  'SERVICE_AVAILABILITY_ZONE',
  'SERVICE_BUCKET_ASSUME_ROLE_ARN_DEFAULT',
  'SERVICE_BUCKET_URL',
  'SERVICE_COMPACTION_BUCKET_URL',
  'SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID',
  'SERVICE_DISABLE_S3_CHECKSUMS',
  'SERVICE_DISCOVERY_HOSTNAME_OVERRIDE',
  'SERVICE_DISCOVERY_KAFKA_HOSTNAME_OVERRIDE',
  'SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT',
  'SERVICE_ENABLE_MANAGED_PIPELINES',
  'SERVICE_ENABLE_PREFETCHING_FOR_SINGLE_PARTITION_WORKLOADS',
  'SERVICE_ENABLE_PROMETHEUS_METRICS',
  'SERVICE_FETCH_SINGLE_KAFKA_BATCH',
  'SERVICE_HIGH_CPU_BACKPRESSURE_THRESHOLD_PERCENT',
  'SERVICE_HTTP_PROXY',
  'SERVICE_INGESTION_BUCKET_URL',
  'SERVICE_KAFKA_CLOSE_IDLE_CONN_AFTER',
  'SERVICE_LOG_LEVEL',
  'SERVICE_LOOKUP_AVAILABILITY_ZONE_ID',
  'SERVICE_MAX_PRODUCE_RECORD_SIZE_BYTES',
  'SERVICE_REGION',
  'SERVICE_REQUIRE_AUTHENTICATION',
  'SERVICE_SCHEMA_REGISTRY_BASIC_AUTH_ENABLED',
  'SERVICE_SCHEMA_REGISTRY_TLS_ENABLED',
  'SERVICE_USE_RANGE_FILE_ID_ALLOCATOR',
];

const rowOfFlag = (flag: string) => flagRows.find((row) => flagSpellings(row).includes(flag));
const rowOfVariable = (variable: string) => flagRows.find((row) => variableSpellings(row).includes(variable));

test('every flag of the contract sets the same row as its variable', () => {
  for (const [flag, variable] of flagsWithVariables) {
    assert.notEqual(rowOfFlag(flag), undefined, flag);
    assert.equal(rowOfFlag(flag), rowOfVariable(variable), `${flag} and ${variable}`);
  }
});

test('every contract name without a counterpart has a row', () => {
  for (const flag of flagsAlone) assert.notEqual(rowOfFlag(flag), undefined, flag);
  for (const variable of variablesAlone) assert.notEqual(rowOfVariable(variable), undefined, variable);
});

test('the defaults and the ranges of the contract hold', () => {
  const cases: readonly [flag: string, fallback: string | undefined, allowed?: string][] = [
    ['-batchMaxSizeBytes', undefined, 'at most 128MiB'],
    ['-batchMaxCompressedSizeBytes', undefined],
    ['-batchTimeout', '250ms', 'at least 25ms'],
    ['-enabledSASLMechanisms', 'PLAIN,SCRAM-SHA-512', 'PLAIN, SCRAM-SHA-512'],
    ['-kafkaProxyProtocolPrincipalTLVType', undefined, '0xE0 to 0xEF'],
    ['-skipBucketsPermissionCheck', 'false'],
    ['-jobsRunnerSlotsAmplification', '1.0', 'above 0.0'],
    ['-maxConcurrentMetadataRequestsPerCPU', '16', 'at least 0'],
    ['-gracefulShutdownDuration', '5m'],
    [
      '-defaultPartitionAssignmentStrategy',
      'consistent_random_jump',
      'consistent_random_jump, single_agent, consistent_spread, consistent_spread_bounded_load, consistent_pods, ' +
        'equal_spread, equal_spread_v2',
    ],
    ['-disableConsumerGroupsMetricsTags', 'partition', 'partition, topic, consumer_group'],
    ['-kafkaHighCardinalityDistributionMetrics', 'false'],
    ['-enableMetadataTopicsCache', 'true'],
    ['-enableACLLogs', 'true'],
    ['-logMTLSCertificateInfo', 'false'],
    ['-tableflowInternalHTTPPort', '8081', '0 to 65535'],
    ['-kafkaMaxFetchRequestBytesUncompressedOverride', '256MiB'],
    ['-kafkaMaxFetchPartitionBytesUncompressedOverride', '256MiB'],
    ['-maxProduceRecordSizeBytes', '32MiB', '1MiB to 128MiB'],
    ['-highCPUBackpressureThresholdPercent', '98%', '0% to 100%'],
    ['-kafkaCloseIdleConnAfter', '1h'],
    ['-useRangeFileIDAllocator', 'false'],
    ['-enablePrefetchingForSinglePartitionWorkloads', 'true'],
    ['-agentEnableZonalURLs', 'true'],
    ['-roles', 'proxy,jobs', 'proxy, proxy-produce, proxy-consume, jobs, pipelines, query'],
    ['-autoTuneFetchLimits', 'true'],
    ['-requireSASLAuthentication', 'false'],
    ['-requireMTLSAuthentication', 'false'],
    ['-tlsProfile', 'golang-default', 'golang-default, old, intermediate, modern'],
    ['-workloadIdentityTokenSource', undefined, 'aws, gcp'],
    ['-kafkaPort', '9092', '0 to 65535'],
    ['-httpPort', '8080', '0 to 65535'],
    ['-schemaRegistryPort', '9094', '0 to 65535'],
  ];
  for (const [flag, fallback, allowed] of cases) {
    const row = rowOfFlag(flag)!;
    assert.equal(row.default === undefined ? undefined : row.type.print(row.default), fallback, flag);
    assert.equal(row.type.allowed, allowed, flag);
  }
});
