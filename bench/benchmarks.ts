import { aclDecisions } from './acl-decisions.ts';
import { agentConnections } from './agent-connections.ts';
import { apiReads } from './api-reads.ts';
import type { Benchmark } from './benchmark.ts';
import { cliStart } from './cli-start.ts';
import { closePolicy } from './close-policy.ts';
import { compaction } from './compaction.ts';
import { crcChecks } from './crc-checks.ts';
import { driversBenchmark } from './drivers.ts';
import { eventEmission } from './event-emission.ts';
import { eventQueries } from './event-queries.ts';
import { fetchEncode } from './fetch-encode.ts';
import { fileLifecycle } from './file-lifecycle.ts';
import { groupHeartbeats } from './group-heartbeats.ts';
import { groupRebalance } from './group-rebalance.ts';
import { headerRewrite } from './header-rewrite.ts';
import { hostedClusters } from './hosted-clusters.ts';
import { httpFetch, httpProduce } from './http-records.ts';
import { keyVerification } from './key-verification.ts';
import { loginFlood } from './login-flood.ts';
import { mcpCalls } from './mcp-calls.ts';
import { metadataDecode } from './metadata-decode.ts';
import { metadataScale } from './metadata-scale.ts';
import { migrationCopy } from './migration-copy.ts';
import { migrationCutOver } from './migration-cut-over.ts';
import { offsetCommits } from './offset-commits.ts';
import { pipelineCopy } from './pipeline-copy.ts';
import { pipelineMapping } from './pipeline-mapping.ts';
import { produceDecode } from './produce-decode.ts';
import { coldPartition, fanOut, mergedPartition } from './read-path.ts';
import { registry } from './registry.ts';
import { backupCost, restore } from './restore.ts';
import { scaleOut } from './scale-out.ts';
import { schemaValidation } from './schema-validation.ts';
import { schemaValidationProduce } from './schema-validation-produce.ts';
import { sequenceReplays } from './sequence-replay.ts';
import { lightning, slowStore } from './slow-store.ts';
import { transactionalCopy } from './transactional-copy.ts';

export const benchmarks: readonly Benchmark[] = [
  cliStart,
  produceDecode,
  headerRewrite,
  schemaValidation,
  registry,
  schemaValidationProduce,
  metadataDecode,
  fetchEncode,
  crcChecks,
  fanOut,
  coldPartition,
  mergedPartition,
  aclDecisions,
  metadataScale,
  restore,
  backupCost,
  hostedClusters,
  agentConnections,
  httpProduce,
  httpFetch,
  scaleOut,
  groupHeartbeats,
  groupRebalance,
  offsetCommits,
  pipelineMapping,
  loginFlood,
  apiReads,
  mcpCalls,
  keyVerification,
  transactionalCopy,
  pipelineCopy,
  migrationCopy,
  migrationCutOver,
  compaction,
  fileLifecycle,
  driversBenchmark,
  closePolicy,
  slowStore,
  lightning,
  sequenceReplays,
  eventEmission,
  eventQueries,
];
