import { coreLimits } from '@weir/core';
import { clusterLimits } from '../../limits.ts';
import * as s from '../../shapes/shape.ts';
import { isLatencies } from './latencies.ts';

/** How often a heartbeat carries a report. */
export const reportIntervalMs = 20_000;

const writtenFiles = s.struct({
  count: s.whole,
  bytes: s.whole,
});

const name: s.Shape<string> = (value, where) =>
  s.text(value, where) ??
  ((value as string).length > coreLimits.reportedNameCharsMax
    ? `${where}: longer than ${coreLimits.reportedNameCharsMax} characters`
    : undefined);

const reportedClient = s.struct({
  clientId: name,
  /** The shortest timeout of its Produce requests. */
  timeoutMs: s.number,
  requestCount: s.whole,
});
export type ReportedClient = s.TypeOf<typeof reportedClient>;

/** Kinds of requests as object stores bill them. */
export const requestKinds = ['put', 'get', 'list', 'delete'] as const;
export type RequestKind = (typeof requestKinds)[number];

const deniedRequests = s.struct({
  operation: name,
  count: s.whole,
});

const latencies: s.Shape<readonly number[]> = (value, where) =>
  isLatencies(value) ? undefined : `${where}: not latency counts`;

const reportedLogin = s.struct({
  username: name,
  /** Time between the login and the report. */
  agoMs: s.number,
  /** Time since the last login with the old password of a rotation. Agents of earlier releases do not send it. */
  oldPasswordAgoMs: s.optional(s.number),
});
export type ReportedLogin = s.TypeOf<typeof reportedLogin>;

const damagedOffsets = s.struct({
  topicId: name,
  partition: s.whole,
  firstOffset: s.whole,
  /** The offset after the last damaged record. */
  nextOffset: s.whole,
});
export type DamagedOffsets = s.TypeOf<typeof damagedOffsets>;

/** The file is absent, shorter than committed, or has other bytes than were written. */
const reportedDamageKinds = ['missing', 'short', 'corrupt'] as const;

const reportedDamage = s.struct({
  fileId: name,
  kind: s.oneOf(...reportedDamageKinds),
  /** All partitions that the agent knows are affected; `partitions` lists the first few. */
  partitionCount: s.whole,
  partitions: s.list(damagedOffsets),
});
export type ReportedDamage = s.TypeOf<typeof reportedDamage>;

const names: s.Shape<readonly string[]> = (value, where) => {
  const isLong = Array.isArray(value) && value.length > clusterLimits.reportedSoftwareNamesMax;
  return isLong
    ? `${where}: more than ${clusterLimits.reportedSoftwareNamesMax}`
    : s.list(name)(value, where);
};

/**
 * Clients with the same software name and version in ApiVersions; clients that send none are one kind with empty names.
 */
const oneSoftware = s.struct({
  name,
  version: name,
  connectionCount: s.whole,
  /** The principals with the most connections, most first, and the total number of principals. */
  principals: names,
  principalCount: s.whole,
  clientIds: names,
  clientIdCount: s.whole,
});
export type ReportedSoftware = s.TypeOf<typeof oneSoftware>;

/**
 * Bounded by total size: most clients have short names, so a count limit that is safe for the longest names would be
 * needlessly low.
 */
const software: s.Shape<readonly ReportedSoftware[]> = (value, where) =>
  s.list(oneSoftware)(value, where) ??
  (JSON.stringify(value).length > clusterLimits.reportedSoftwareCharsMax
    ? `${where}: more than ${clusterLimits.reportedSoftwareCharsMax} characters`
    : undefined);

const problem: s.Shape<string> = (value, where) =>
  s.text(value, where) ??
  ((value as string).length > coreLimits.reportedProblemCharsMax
    ? `${where}: longer than ${coreLimits.reportedProblemCharsMax} characters`
    : undefined);

/** Records of a topic that validates schemas, by what was wrong. */
const invalidRecords = s.struct({
  topic: name,
  reason: name,
  count: s.whole,
});
export type InvalidRecords = s.TypeOf<typeof invalidRecords>;

/** Records of clients, as batches that were committed or read, and how long Produce requests took. */
const reportedTraffic = s.struct({
  inRecords: s.whole,
  /** As sent, which is compressed if the client compresses. */
  inBytes: s.whole,
  outRecords: s.whole,
  outBytes: s.whole,
  /** From the receipt of a request to its answer, packed as in `latencies.ts`. */
  produceLatencies: latencies,
});
export type ReportedTraffic = s.TypeOf<typeof reportedTraffic>;

const reportedBucket = s.struct({
  /** Its URL without secrets. */
  name,
  /** Individual requests, including retries. */
  operationCount: s.whole,
  failureCount: s.whole,
  /** All requests that were sent, aborted ones and those of merges too, in the order of `requestKinds`. */
  requests: few(s.whole, requestKinds.length),
  /** Requests that the object store denied, by operation: `put`, `get`, `list`, `delete`. */
  denied: few(deniedRequests, coreLimits.reportedDenialsMax),
  /** Requests that found no bucket. */
  missingCount: s.optional(s.whole),
  /** Latencies of successful requests, packed as in `latencies.ts`. */
  putLatencies: s.optional(latencies),
  getLatencies: s.optional(latencies),
});
export type ReportedBucket = s.TypeOf<typeof reportedBucket>;

const reportedMetric = s.struct({
  name,
  seriesCount: s.whole,
});

/** Something that expires. The name identifies it and is not secret. */
const expiry = s.struct({
  name,
  expiresMs: s.number,
  issuedMs: s.optional(s.number),
});
export type ReportedExpiry = s.TypeOf<typeof expiry>;

const reportedConnections = s.struct({
  /** All connections, including those whose software is not listed. */
  connectionCount: s.whole,
  /** Most connections first, as many as fit the limit. */
  software,
});
export type ReportedConnections = s.TypeOf<typeof reportedConnections>;

/**
 * What an agent has counted since the last report that the leader acknowledged. If the acknowledgement of a report is
 * missing, the next report covers its span again and replaces it. Members without content are absent.
 */
const report = s.struct({
  /** When this agent process started, by its own clock. Reports are numbered from 1 per process. */
  startedMs: s.whole,
  number: s.whole,
  /** Number of the last acknowledged report; 0 for none. */
  sinceNumber: s.whole,
  /** Time since the last acknowledged report. */
  spanMs: s.number,
  /** The agent's clock when it sent the report. */
  nowMs: s.whole,
  files: s.optional(writtenFiles),
  /** Bytes of files that merges of this agent wrote. Agents of earlier releases do not send it. */
  mergedBytes: s.optional(s.whole),
  /** Producers with the shortest timeouts. */
  clients: few(reportedClient, coreLimits.reportedClientsMax),
  buckets: few(reportedBucket, coreLimits.reportedBucketsMax),
  /** Metrics with the most series. */
  metrics: few(reportedMetric, coreLimits.reportedMetricsMax),
  logins: few(reportedLogin, coreLimits.reportedLoginsMax),
  /** Certificates that the agent presents to clients and other agents. Times are those in the certificates. */
  certificates: few(expiry, coreLimits.reportedExpiriesMax),
  /** Files that the agent currently cannot read as they were committed. */
  damagedFiles: few(reportedDamage, coreLimits.reportedDamagedFilesMax),
  /** Why the agent cannot write to its bucket, if it cannot. Agents of earlier releases do not send it. */
  writeProblem: s.optional(name),
  /** Clients that are currently connected. Agents of earlier releases do not send it. */
  connected: s.optional(reportedConnections),
  /** Tokens that the agent presents to the control plane. Times are by the agent's clock. */
  tokens: few(expiry, coreLimits.reportedExpiriesMax),
  /** Why the agent does not use the bucket that the cluster names. Agents of earlier releases do not send it. */
  bucketProblem: s.optional(problem),
  /**
   * `namedBucketDigest` of the bucket to which `bucketProblem` refers: the last one that the cluster named and the
   * agent tried. Agents of earlier releases do not send it.
   */
  namedBucket: s.optional(name),
  /** Records that did not fit their schema, most of all. Agents of earlier releases do not send it. */
  invalidRecords: few(invalidRecords, coreLimits.reportedInvalidRecordsMax),
  /** Absent without any. Agents of earlier releases do not send it. */
  traffic: s.optional(reportedTraffic),
});
export type AgentReport = s.TypeOf<typeof report>;

function few<T>(shape: s.Shape<T>, countMax: number): s.Shape<readonly T[] | undefined> {
  const each = s.list(shape);
  return s.optional<readonly T[]>((value, where) =>
    Array.isArray(value) && value.length > countMax ? `${where}: more than ${countMax}` : each(value, where),
  );
}

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
