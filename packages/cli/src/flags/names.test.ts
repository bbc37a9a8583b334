import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentName } from './names.ts';

test('a variable is the words of its flag', () => {
  const cases: readonly [flag: string, variable: string][] = [
    ['roles', 'SERVICE_ROLES'],
    ['batchMaxSizeBytes', 'SERVICE_BATCH_MAX_SIZE_BYTES'],
    ['kafkaTLS', 'SERVICE_KAFKA_TLS'],
    ['apiURL', 'SERVICE_API_URL'],
    ['additionalBackgroundTasksBucketURLs', 'SERVICE_ADDITIONAL_BACKGROUND_TASKS_BUCKET_URLS'],
    ['agentEnableZonalURLs', 'SERVICE_AGENT_ENABLE_ZONAL_URLS'],
    ['saslOAuthIssuerURL', 'SERVICE_SASL_OAUTH_ISSUER_URL'],
    ['enabledSASLMechanisms', 'SERVICE_ENABLED_SASL_MECHANISMS'],
    ['httpsProxyCACertFile', 'SERVICE_HTTPS_PROXY_CA_CERT_FILE'],
    ['tableflowInternalHTTPPort', 'SERVICE_TABLEFLOW_INTERNAL_HTTP_PORT'],
    ['disableS3Checksums', 'SERVICE_DISABLE_S3_CHECKSUMS'],
    ['zonedCIDRBlocks', 'SERVICE_ZONED_CIDR_BLOCKS'],
    ['useRangeFileIDAllocator', 'SERVICE_USE_RANGE_FILE_ID_ALLOCATOR'],
    ['overridePipelinesSharedRateLimitPerVCPU', 'SERVICE_OVERRIDE_PIPELINES_SHARED_RATE_LIMIT_PER_VCPU'],
    ['bootstrap-host', 'SERVICE_BOOTSTRAP_HOST'],
    ['max-records-per-second', 'SERVICE_MAX_RECORDS_PER_SECOND'],
  ];
  for (const [flag, variable] of cases) assert.equal(environmentName(flag), variable);
});
