import {
  type AgentReport,
  addLatencies,
  type CredentialDescription,
  type DamagedOffsets,
  type LatencyCounts,
  latencyP99,
  noLatencies,
  type ReceivedReport,
  type ReceivedReports,
  type ReportedBucket,
  type ReportedClient,
  type ReportedDamage,
} from '@weir/cluster';
import type {
  AgentFacts,
  BucketFacts,
  CredentialFacts,
  InvalidRecordFacts,
  MetricFacts,
  ProduceFacts,
} from './diagnostic-snapshot.ts';
import { diagnosticLimits } from './limits.ts';

/** The period of stats: about the interval between two runs. */
export const snapshotSpanMs = 60_000;

/** Recent reports of agents, as far as a snapshot uses them. All fields are absent if no agent reports. */
interface ReportedFacts {
  readonly produce: ProduceFacts | undefined;
  readonly buckets: readonly BucketFacts[] | undefined;
  readonly metrics: readonly MetricFacts[] | undefined;
  readonly invalidRecords: readonly InvalidRecordFacts[] | undefined;
  /** The latest report of each agent, one row per file. */
  readonly damagedFiles: readonly ReportedDamage[] | undefined;
  ofAgent(
    agentId: string,
  ): Pick<AgentFacts, 'clockOffsetMs' | 'writeProblem' | 'certificates' | 'tokens' | 'bucketProblem'>;
}

/** `nowMs` is by the clock of the leader that received the reports. */
export function reportedFacts({ reports }: Pick<ReceivedReports, 'reports'>, nowMs: number): ReportedFacts {
  const lateByAgent = new Map<string, readonly ReceivedReport[]>();
  for (const [agentId, received] of reports) {
    const late = received.filter(({ receivedMs }) => nowMs - receivedMs <= snapshotSpanMs);
    if (late.length > 0) lateByAgent.set(agentId, late);
  }
  const ofAgent = (agentId: string) => factsOfAgent(lateByAgent.get(agentId) ?? []);
  if (lateByAgent.size === 0)
    return {
      produce: undefined,
      buckets: undefined,
      metrics: undefined,
      invalidRecords: undefined,
      damagedFiles: undefined,
      ofAgent,
    };
  const late = [...lateByAgent.values()].flatMap((received) => received.map(({ report }) => report));
  const spans = [...lateByAgent.values()].map((received) =>
    received.reduce((sum, { report }) => sum + report.spanMs, 0),
  );
  return {
    produce: {
      // Agents report at different times, and a report of a minute ago may be just too old to count.
      spanMs: spans.reduce((longest, spanMs) => Math.max(longest, spanMs), 0),
      fileCount: late.reduce((sum, { files }) => sum + (files?.count ?? 0), 0),
      fileBytes: late.reduce((sum, { files }) => sum + (files?.bytes ?? 0), 0),
      clientTimeouts: clientsOf(late),
    },
    buckets: bucketsOf(late),
    metrics: metricsOf(late),
    invalidRecords: invalidRecordsOf(late),
    damagedFiles: damagedFilesOf([...lateByAgent.values()].map((received) => received.at(-1)!.report)),
    ofAgent,
  };
}

/**
 * Returns the last use of a credential. If it was not used since logins are reported without a gap, it may have been
 * used just before, and that time is returned.
 */
export function lastUsed(
  { loginsReceivedSinceMs }: Pick<ReceivedReports, 'loginsReceivedSinceMs'>,
  { createdMs, lastUsedMs }: Pick<CredentialDescription, 'createdMs' | 'lastUsedMs'>,
): CredentialFacts['lastUsedMs'] {
  if (loginsReceivedSinceMs === undefined) return undefined;
  if (typeof lastUsedMs === 'number') return Math.max(lastUsedMs, loginsReceivedSinceMs);
  return createdMs >= loginsReceivedSinceMs ? null : loginsReceivedSinceMs;
}

function factsOfAgent(received: readonly ReceivedReport[]): ReturnType<ReportedFacts['ofAgent']> {
  const last = received.at(-1)?.report;
  if (last === undefined) return {};
  // Network delay makes the agent's time look too early and never too late, so the largest difference is the most
  // accurate.
  const clockOffsetMs = Math.max(...received.map(({ report, receivedMs }) => report.nowMs - receivedMs));
  const { certificates = [], tokens = [], writeProblem, bucketProblem = '' } = last;
  return {
    clockOffsetMs,
    ...(writeProblem === undefined ? {} : { writeProblem }),
    certificates,
    bucketProblem,
    // The expiry of a certificate is absolute; that of a token is by the agent's clock.
    tokens: tokens.map(({ name, expiresMs, issuedMs }) => ({
      name,
      expiresMs: expiresMs - clockOffsetMs,
      issuedMs: issuedMs === undefined ? undefined : issuedMs - clockOffsetMs,
    })),
  };
}

function clientsOf(reports: readonly AgentReport[]): ReportedClient[] {
  const byId = new Map<string, ReportedClient>();
  for (const { clients = [] } of reports) {
    for (const { clientId, timeoutMs, requestCount } of clients) {
      const before = byId.get(clientId);
      byId.set(clientId, {
        clientId,
        timeoutMs: Math.min(timeoutMs, before?.timeoutMs ?? timeoutMs),
        requestCount: requestCount + (before?.requestCount ?? 0),
      });
    }
  }
  return [...byId.values()]
    .sort((a, b) => a.timeoutMs - b.timeoutMs || b.requestCount - a.requestCount)
    .slice(0, diagnosticLimits.diagnosedClientsMax);
}

interface BucketSums {
  operationCount: number;
  failureCount: number;
  missingCount: number;
  readonly denied: Map<string, number>;
  readonly put: LatencyCounts;
  readonly get: LatencyCounts;
}

function bucketsOf(reports: readonly AgentReport[]): BucketFacts[] {
  const byName = new Map<string, BucketSums>();
  for (const { buckets = [] } of reports) {
    for (const bucket of buckets) {
      const sums = byName.get(bucket.name) ?? noSums();
      if (!byName.has(bucket.name) && byName.size >= diagnosticLimits.diagnosedBucketsMax) continue;
      byName.set(bucket.name, sums);
      addBucket(sums, bucket);
    }
  }
  return [...byName].map(([name, { operationCount, failureCount, missingCount, denied, put, get }]) => ({
    name,
    operationCount,
    failureCount,
    missingCount,
    deniedOperations: [...denied].map(([operation, count]) => ({ operation, count })),
    putP99Ms: latencyP99(put),
    getP99Ms: latencyP99(get),
  }));
}

function noSums(): BucketSums {
  return {
    operationCount: 0,
    failureCount: 0,
    missingCount: 0,
    denied: new Map(),
    put: noLatencies(),
    get: noLatencies(),
  };
}

function addBucket(sums: BucketSums, bucket: ReportedBucket): void {
  sums.operationCount += bucket.operationCount;
  sums.failureCount += bucket.failureCount;
  sums.missingCount += bucket.missingCount ?? 0;
  for (const { operation, count } of bucket.denied ?? [])
    sums.denied.set(operation, (sums.denied.get(operation) ?? 0) + count);
  addLatencies(sums.put, bucket.putLatencies ?? []);
  addLatencies(sums.get, bucket.getLatencies ?? []);
}

function invalidRecordsOf(reports: readonly AgentReport[]): InvalidRecordFacts[] {
  const sums = new Map<string, { topic: string; reason: string; count: number }>();
  for (const { invalidRecords = [] } of reports) {
    for (const { topic, reason, count } of invalidRecords) {
      const key = `${topic} ${reason}`;
      const sum = sums.get(key) ?? { topic, reason, count: 0 };
      if (!sums.has(key) && sums.size >= diagnosticLimits.diagnosedInvalidRecordsMax) continue;
      sum.count += count;
      sums.set(key, sum);
    }
  }
  return [...sums.values()].sort((a, b) => b.count - a.count);
}

/** Each agent lists the damage that it met, so the union is the most complete. */
function damagedFilesOf(reports: readonly AgentReport[]): ReportedDamage[] {
  const byFile = new Map<string, ReportedDamage>();
  for (const { damagedFiles = [] } of reports) {
    for (const damage of damagedFiles) {
      const before = byFile.get(damage.fileId);
      if (before === undefined && byFile.size >= diagnosticLimits.diagnosedDamagedFilesMax) continue;
      const known = new Map((before?.partitions ?? []).map((one) => [placeOf(one), one]));
      for (const one of damage.partitions) if (!known.has(placeOf(one))) known.set(placeOf(one), one);
      byFile.set(damage.fileId, {
        ...(before ?? damage),
        partitionCount: Math.max(damage.partitionCount, before?.partitionCount ?? 0, known.size),
        partitions: [...known.values()],
      });
    }
  }
  return [...byFile.values()];
}

function placeOf({ topicId, partition }: DamagedOffsets): string {
  return `${topicId}/${partition}`;
}

/** Series are limited per process, so the agent with the most counts. */
function metricsOf(reports: readonly AgentReport[]): MetricFacts[] {
  const byName = new Map<string, number>();
  for (const { metrics = [] } of reports) {
    for (const { name, seriesCount } of metrics)
      byName.set(name, Math.max(seriesCount, byName.get(name) ?? 0));
  }
  return [...byName]
    .map(([name, seriesCount]) => ({ name, seriesCount }))
    .sort((a, b) => b.seriesCount - a.seriesCount)
    .slice(0, diagnosticLimits.diagnosedMetricsMax);
}
