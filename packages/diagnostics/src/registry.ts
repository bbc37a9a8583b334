import type { Check, CheckDescription } from './check.ts';
import { avoidedRelease } from './checks/avoided-release.ts';
import { bucketFailures } from './checks/bucket-failures.ts';
import { bucketLatency } from './checks/bucket-latency.ts';
import { bucketPermission } from './checks/bucket-permission.ts';
import { bucketUnavailable } from './checks/bucket-unavailable.ts';
import { clockSkew } from './checks/clock-skew.ts';
import { compactionBehind } from './checks/compaction-behind.ts';
import { consumerGroupFallingBehind } from './checks/consumer-group-falling-behind.ts';
import { consumerGroupStuck } from './checks/consumer-group-stuck.ts';
import { consumerGroupWithoutMembers } from './checks/consumer-group-without-members.ts';
import { controlPlaneUtilization } from './checks/control-plane-utilization.ts';
import { damagedFiles } from './checks/damaged-files.ts';
import { deadFilesGrowing } from './checks/dead-files-growing.ts';
import { expiringCertificates } from './checks/expiring-certificates.ts';
import { expiringDelegationTokens } from './checks/expiring-delegation-tokens.ts';
import { expiringTokens } from './checks/expiring-tokens.ts';
import { failingAlertChannels } from './checks/failing-alert-channels.ts';
import { failingJobs } from './checks/failing-jobs.ts';
import { highCardinality } from './checks/high-cardinality.ts';
import { invalidAclRules } from './checks/invalid-acls.ts';
import { invalidRecords } from './checks/invalid-records.ts';
import { lostAgent } from './checks/lost-agent.ts';
import { metadataBackupBehind } from './checks/metadata-backup-behind.ts';
import { migrationCutOverTimedOut } from './checks/migration-cut-over-timed-out.ts';
import { migrationFallingBehind } from './checks/migration-falling-behind.ts';
import { migrationPartitionStopped } from './checks/migration-partition-stopped.ts';
import { migrationSourceFailing } from './checks/migration-source-failing.ts';
import { migrationUnproxiedWrites } from './checks/migration-unproxied-writes.ts';
import { mixedReleases } from './checks/mixed-releases.ts';
import { namedBucketUnused } from './checks/named-bucket-unused.ts';
import { noAgents } from './checks/no-agents.ts';
import { noJobsAgent } from './checks/no-jobs-agent.ts';
import { noSuperuser } from './checks/no-superuser.ts';
import { overloadedAgents } from './checks/overloaded-agents.ts';
import { partitionCount } from './checks/partition-count.ts';
import { pipelineFailing } from './checks/pipeline-failing.ts';
import { pipelineFallingBehind } from './checks/pipeline-falling-behind.ts';
import { pipelineNotRunning } from './checks/pipeline-not-running.ts';
import { pipelineOutputDown } from './checks/pipeline-output-down.ts';
import { pipelineRestarting } from './checks/pipeline-restarting.ts';
import { produceTimeout } from './checks/produce-timeout.ts';
import { singleZone } from './checks/single-zone.ts';
import { smallFiles } from './checks/small-files.ts';
import { subjectsWithoutCompatibility } from './checks/subjects-without-compatibility.ts';
import { tableCatalogDenies } from './checks/table-catalog-denies.ts';
import { tableDeadLetters } from './checks/table-dead-letters.ts';
import { tableFailing } from './checks/table-failing.ts';
import { tableFallingBehind } from './checks/table-falling-behind.ts';
import { tablesNotRunning } from './checks/tables-not-running.ts';
import { topicsWithoutRetention } from './checks/topics-without-retention.ts';
import { unbalancedAgents } from './checks/unbalanced-agents.ts';
import { unusedCredentials } from './checks/unused-credentials.ts';
import { waitingJobs } from './checks/waiting-jobs.ts';
import { clusterKinds } from './diagnostic-snapshot.ts';

/** Every check, by type. */
export const checks = [
  noAgents,
  noJobsAgent,
  failingJobs,
  waitingJobs,
  lostAgent,
  avoidedRelease,
  mixedReleases,
  overloadedAgents,
  unbalancedAgents,
  clockSkew,
  singleZone,
  produceTimeout,
  invalidRecords,
  subjectsWithoutCompatibility,
  consumerGroupStuck,
  consumerGroupFallingBehind,
  consumerGroupWithoutMembers,
  pipelineFailing,
  pipelineRestarting,
  pipelineOutputDown,
  pipelineFallingBehind,
  pipelineNotRunning,
  tableFailing,
  tableCatalogDenies,
  tableFallingBehind,
  tableDeadLetters,
  tablesNotRunning,
  migrationSourceFailing,
  migrationPartitionStopped,
  migrationFallingBehind,
  migrationUnproxiedWrites,
  migrationCutOverTimedOut,
  partitionCount,
  controlPlaneUtilization,
  failingAlertChannels,
  highCardinality,
  invalidAclRules,
  noSuperuser,
  expiringCertificates,
  expiringTokens,
  expiringDelegationTokens,
  unusedCredentials,
  damagedFiles,
  bucketUnavailable,
  bucketPermission,
  namedBucketUnused,
  bucketFailures,
  bucketLatency,
  deadFilesGrowing,
  compactionBehind,
  smallFiles,
  metadataBackupBehind,
  topicsWithoutRetention,
] as const satisfies readonly Check[];

export type CheckName = (typeof checks)[number]['name'];

/** Describes a check that fails to run. The runner reports it, so it has no `run` of its own. */
export const checkFailedToRun = {
  name: 'check_failed_to_run',
  type: 'limits',
  source: 'control_plane',
  severity: 'medium',
  title: 'A check failed to run',
  observes: 'Whether the data of the cluster could be collected, and whether every check completed.',
  explanation: 'Problems that the check looks for go unnoticed. Other checks are not affected.',
  fix: 'Check the control plane log for the error. A check that throws is a bug: please report it.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 2, recoverAfterRuns: 2 },
} as const satisfies CheckDescription;

const descriptions: ReadonlyMap<string, CheckDescription> = new Map(
  [...checks, checkFailedToRun].map((check) => [check.name, check]),
);

/** All diagnostics, including checks that fail to run. */
export const diagnostics: readonly CheckDescription[] = [...descriptions.values()];

/** `undefined` for an unknown name, such as a check of a later release. */
export function describeCheck(name: string): CheckDescription | undefined {
  return descriptions.get(name);
}
