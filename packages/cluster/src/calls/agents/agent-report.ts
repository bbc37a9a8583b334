import { coreLimits } from '@weir/core';
import { clusterLimits } from '../../limits.ts';
import { list, number, object, oneOf, optional, type Shape, text, whole } from '../../shapes/shape.ts';
import { isLatencies } from './latencies.ts';

/** How often a heartbeat carries a report. */
export const reportIntervalMs = 20_000;

/**
 * What an agent has counted since the last report that the leader acknowledged. If the acknowledgement of a report is
 * missing, the next report covers its span again and replaces it. Members without content are absent.
 */
export interface AgentReport {
  /** When this agent process started, by its own clock. Reports are numbered from 1 per process. */
  readonly startedMs: number;
  readonly number: number;
  /** Number of the last acknowledged report; 0 for none. */
  readonly sinceNumber: number;
  /** Time since the last acknowledged report. */
  readonly spanMs: number;
  /** The agent's clock when it sent the report. */
  readonly nowMs: number;
  readonly files?: WrittenFiles | undefined;
  /** Bytes of files that merges of this agent wrote. Agents of earlier releases do not send it. */
  readonly mergedBytes?: number | undefined;
  /** Producers with the shortest timeouts. */
  readonly clients?: readonly ReportedClient[] | undefined;
  readonly buckets?: readonly ReportedBucket[] | undefined;
  /** Metrics with the most series. */
  readonly metrics?: readonly ReportedMetric[] | undefined;
  readonly logins?: readonly ReportedLogin[] | undefined;
  /** Certificates that the agent presents to clients and other agents. Times are those in the certificates. */
  readonly certificates?: readonly ReportedExpiry[] | undefined;
  /** Files that the agent currently cannot read as they were committed. */
  readonly damagedFiles?: readonly ReportedDamage[] | undefined;
  /** Why the agent cannot write to its bucket, if it cannot. Agents of earlier releases do not send it. */
  readonly writeProblem?: string | undefined;
  /** Clients that are currently connected. Agents of earlier releases do not send it. */
  readonly connected?: ReportedConnections | undefined;
  /** Tokens that the agent presents to the control plane. Times are by the agent's clock. */
  readonly tokens?: readonly ReportedExpiry[] | undefined;
  /** Why the agent does not use the bucket that the cluster names. Agents of earlier releases do not send it. */
  readonly bucketProblem?: string | undefined;
  /**
   * `namedBucketDigest` of the bucket to which `bucketProblem` refers: the last one that the cluster named and the
   * agent tried. Agents of earlier releases do not send it.
   */
  readonly namedBucket?: string | undefined;
  /** Records that did not fit their schema, most of all. Agents of earlier releases do not send it. */
  readonly invalidRecords?: readonly InvalidRecords[] | undefined;
  /** Absent without any. Agents of earlier releases do not send it. */
  readonly traffic?: ReportedTraffic | undefined;
}

/** Records of clients, as batches that were committed or read, and how long Produce requests took. */
export interface ReportedTraffic {
  readonly inRecords: number;
  /** As sent, which is compressed if the client compresses. */
  readonly inBytes: number;
  readonly outRecords: number;
  readonly outBytes: number;
  /** From the receipt of a request to its answer, packed as in `latencies.ts`. */
  readonly produceLatencies: readonly number[];
}

/** Records of a topic that validates schemas, by what was wrong. */
export interface InvalidRecords {
  readonly topic: string;
  readonly reason: string;
  readonly count: number;
}

/** Kinds of requests as object stores bill them. */
export const requestKinds = ['put', 'get', 'list', 'delete'] as const;
export type RequestKind = (typeof requestKinds)[number];

interface WrittenFiles {
  readonly count: number;
  readonly bytes: number;
}

export interface ReportedClient {
  readonly clientId: string;
  /** The shortest timeout of its Produce requests. */
  readonly timeoutMs: number;
  readonly requestCount: number;
}

export interface ReportedBucket {
  /** Its URL without secrets. */
  readonly name: string;
  /** Individual requests, including retries. */
  readonly operationCount: number;
  readonly failureCount: number;
  /** All requests that were sent, aborted ones and those of merges too, in the order of `requestKinds`. */
  readonly requests?: readonly number[] | undefined;
  /** Requests that the object store denied, by operation: `put`, `get`, `list`, `delete`. */
  readonly denied?: readonly DeniedRequests[] | undefined;
  /** Requests that found no bucket. */
  readonly missingCount?: number | undefined;
  /** Latencies of successful requests, packed as in `latencies.ts`. */
  readonly putLatencies?: readonly number[] | undefined;
  readonly getLatencies?: readonly number[] | undefined;
}

interface DeniedRequests {
  readonly operation: string;
  readonly count: number;
}

interface ReportedMetric {
  readonly name: string;
  readonly seriesCount: number;
}

export interface ReportedLogin {
  readonly username: string;
  /** Time between the login and the report. */
  readonly agoMs: number;
}

/** Something that expires. The name identifies it and is not secret. */
export interface ReportedExpiry {
  readonly name: string;
  readonly expiresMs: number;
  readonly issuedMs?: number | undefined;
}

/** The file is absent, shorter than committed, or has other bytes than were written. */
const reportedDamageKinds = ['missing', 'short', 'corrupt'] as const;

export interface ReportedDamage {
  readonly fileId: string;
  readonly kind: (typeof reportedDamageKinds)[number];
  /** All partitions that the agent knows are affected; `partitions` lists the first few. */
  readonly partitionCount: number;
  readonly partitions: readonly DamagedOffsets[];
}

export interface DamagedOffsets {
  readonly topicId: string;
  readonly partition: number;
  readonly firstOffset: number;
  /** The offset after the last damaged record. */
  readonly nextOffset: number;
}

export interface ReportedConnections {
  /** All connections, including those whose software is not listed. */
  readonly connectionCount: number;
  /** Most connections first, as many as fit the limit. */
  readonly software: readonly ReportedSoftware[];
}

/**
 * Clients with the same software name and version in ApiVersions; clients that send none are one kind with empty names.
 */
export interface ReportedSoftware {
  readonly name: string;
  readonly version: string;
  readonly connectionCount: number;
  /** The principals with the most connections, most first, and the total number of principals. */
  readonly principals: readonly string[];
  readonly principalCount: number;
  readonly clientIds: readonly string[];
  readonly clientIdCount: number;
}

const name: Shape<string> = (value, where) =>
  text(value, where) ??
  ((value as string).length > coreLimits.reportedNameCharsMax
    ? `${where}: longer than ${coreLimits.reportedNameCharsMax} characters`
    : undefined);

const problem: Shape<string> = (value, where) =>
  text(value, where) ??
  ((value as string).length > coreLimits.reportedProblemCharsMax
    ? `${where}: longer than ${coreLimits.reportedProblemCharsMax} characters`
    : undefined);

const latencies: Shape<readonly number[]> = (value, where) =>
  isLatencies(value) ? undefined : `${where}: no counts of latencies`;

function few<T>(shape: Shape<T>, countMax: number): Shape<readonly T[] | undefined> {
  const each = list(shape);
  return optional<readonly T[]>((value, where) =>
    Array.isArray(value) && value.length > countMax ? `${where}: more than ${countMax}` : each(value, where),
  );
}

const names: Shape<readonly string[]> = (value, where) => {
  const isLong = Array.isArray(value) && value.length > clusterLimits.reportedSoftwareNamesMax;
  return isLong ? `${where}: more than ${clusterLimits.reportedSoftwareNamesMax}` : list(name)(value, where);
};

const oneSoftware = object<ReportedSoftware>({
  name,
  version: name,
  connectionCount: whole,
  principals: names,
  principalCount: whole,
  clientIds: names,
  clientIdCount: whole,
});

/**
 * Bounded by total size: most clients have short names, so a count limit that is safe for the longest names would be
 * needlessly low.
 */
const software: Shape<readonly ReportedSoftware[]> = (value, where) =>
  list(oneSoftware)(value, where) ??
  (JSON.stringify(value).length > clusterLimits.reportedSoftwareCharsMax
    ? `${where}: more than ${clusterLimits.reportedSoftwareCharsMax} characters`
    : undefined);

const expiry = object<ReportedExpiry>({ name, expiresMs: number, issuedMs: optional(number) });

const report = object<AgentReport>({
  startedMs: whole,
  number: whole,
  sinceNumber: whole,
  spanMs: number,
  nowMs: whole,
  files: optional(object<WrittenFiles>({ count: whole, bytes: whole })),
  mergedBytes: optional(whole),
  invalidRecords: few(
    object<InvalidRecords>({ topic: name, reason: name, count: whole }),
    coreLimits.reportedInvalidRecordsMax,
  ),
  writeProblem: optional(name),
  clients: few(
    object<ReportedClient>({ clientId: name, timeoutMs: number, requestCount: whole }),
    coreLimits.reportedClientsMax,
  ),
  buckets: few(
    object<ReportedBucket>({
      name,
      operationCount: whole,
      failureCount: whole,
      requests: few(whole, requestKinds.length),
      denied: few(object<DeniedRequests>({ operation: name, count: whole }), coreLimits.reportedDenialsMax),
      missingCount: optional(whole),
      putLatencies: optional(latencies),
      getLatencies: optional(latencies),
    }),
    coreLimits.reportedBucketsMax,
  ),
  metrics: few(object<ReportedMetric>({ name, seriesCount: whole }), coreLimits.reportedMetricsMax),
  logins: few(object<ReportedLogin>({ username: name, agoMs: number }), coreLimits.reportedLoginsMax),
  damagedFiles: few(
    object<ReportedDamage>({
      fileId: name,
      kind: oneOf(...reportedDamageKinds),
      partitionCount: whole,
      partitions: list(
        object<DamagedOffsets>({ topicId: name, partition: whole, firstOffset: whole, nextOffset: whole }),
      ),
    }),
    coreLimits.reportedDamagedFilesMax,
  ),
  connected: optional(object<ReportedConnections>({ connectionCount: whole, software })),
  certificates: few(expiry, coreLimits.reportedExpiriesMax),
  tokens: few(expiry, coreLimits.reportedExpiriesMax),
  bucketProblem: optional(problem),
  namedBucket: optional(name),
  traffic: optional(
    object<ReportedTraffic>({
      inRecords: whole,
      inBytes: whole,
      outRecords: whole,
      outBytes: whole,
      produceLatencies: latencies,
    }),
  ),
});

/**
 * Returns what is wrong with a report. `json` is the report as JSON, including members that this release does not know.
 * The code that stores reports calls this; the arguments of the heartbeat are not validated by it, so an agent whose
 * report is unusable still counts as live.
 */
export function problemOfReport(value: unknown, json: string): string | undefined {
  if (json.length > coreLimits.agentReportCharsMax)
    return `report: ${json.length} characters; at most ${coreLimits.agentReportCharsMax}`;
  return report(value, 'report');
}
