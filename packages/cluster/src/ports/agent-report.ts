import { coreLimits } from '@weir/core';
import { clusterLimits } from '../limits.ts';
import { list, number, object, oneOf, optional, type Shape, text, whole } from '../shapes/shape.ts';
import { isLatencies } from './latencies.ts';
import type { AgentDescription } from './port.ts';

/** What an agent says of itself every few seconds, and with some of these what it has measured. */
export interface AgentHeartbeat extends AgentDescription {
  /** Agents of earlier releases send none, and nobody but the leader is told of it. */
  readonly report?: AgentReport | undefined;
}

/** How often a heartbeat carries a report. */
export const reportIntervalMs = 20_000;

/**
 * What an agent has counted since the last report of which it knows that it was heard. One that may or may not have been heard is told
 * again as part of the next, which so replaces it. What there is nothing to tell of is left out.
 */
export interface AgentReport {
  /** When this life of the agent began, by its own clock; reports are numbered from 1 within it. */
  readonly startedMs: number;
  readonly number: number;
  /** The last that was heard for certain; 0 for none. */
  readonly sinceNumber: number;
  /** How long that was ago. */
  readonly spanMs: number;
  /** The agent's clock when it sent this. */
  readonly nowMs: number;
  readonly files?: WrittenFiles | undefined;
  /** Producers with the shortest times to wait. */
  readonly clients?: readonly ReportedClient[] | undefined;
  readonly buckets?: readonly ReportedBucket[] | undefined;
  /** Metrics with the most series. */
  readonly metrics?: readonly ReportedMetric[] | undefined;
  readonly logins?: readonly ReportedLogin[] | undefined;
  /** What the agent shows to clients or to other agents. Times are as the certificates say them. */
  readonly certificates?: readonly ReportedExpiry[] | undefined;
  /** Files that the agent cannot read as they were committed, as of now. */
  readonly damagedFiles?: readonly ReportedDamage[] | undefined;
  /** Clients that are connected, as of now. Agents of earlier releases do not tell. */
  readonly connected?: ReportedConnections | undefined;
  /** What the agent shows to the control plane. Times are by the agent's clock. */
  readonly tokens?: readonly ReportedExpiry[] | undefined;
}

interface WrittenFiles {
  readonly count: number;
  readonly bytes: number;
}

export interface ReportedClient {
  readonly clientId: string;
  /** The shortest that it gave a write. */
  readonly timeoutMs: number;
  readonly requestCount: number;
}

export interface ReportedBucket {
  /** Its URL without anything secret. */
  readonly name: string;
  /** Single requests, repetitions included. */
  readonly operationCount: number;
  readonly failureCount: number;
  /** Requests that were not allowed, by what they were for: `put`, `get`, `list`, `delete`. */
  readonly denied?: readonly DeniedRequests[] | undefined;
  /** How long successful ones took, as `latencies.ts` has it. */
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
  /** How long before the report. */
  readonly agoMs: number;
}

/** Something that ends at a time. The name says what it is and is no secret. */
export interface ReportedExpiry {
  readonly name: string;
  readonly expiresMs: number;
  readonly issuedMs?: number | undefined;
}

/** What is wrong with a file: it is not there, it ends too early, or its bytes are not what was written. */
const reportedDamageKinds = ['missing', 'short', 'corrupt'] as const;

export interface ReportedDamage {
  readonly fileId: string;
  readonly kind: (typeof reportedDamageKinds)[number];
  /** All that the agent knows of; the first few are listed. */
  readonly partitionCount: number;
  readonly partitions: readonly DamagedOffsets[];
}

export interface DamagedOffsets {
  readonly topicId: string;
  readonly partition: number;
  readonly firstOffset: number;
  /** Behind the last one. */
  readonly nextOffset: number;
}

export interface ReportedConnections {
  /** All of them, also those whose software is not listed. */
  readonly connectionCount: number;
  /** The most connections first, as far as there was room. */
  readonly software: readonly ReportedSoftware[];
}

/** Clients of one kind, as they call themselves in ApiVersions; clients that say nothing are one kind with empty names. */
export interface ReportedSoftware {
  readonly name: string;
  readonly version: string;
  readonly connectionCount: number;
  /** A few of them, those with the most connections first, and how many there are. */
  readonly principals: readonly string[];
  readonly principalCount: number;
  readonly clientIds: readonly string[];
  readonly clientIdCount: number;
}

/** What a leader has heard from its agents, by its own clock. */
export interface AgentsHeard {
  /** Of agents that live, by their ids. */
  readonly reports: ReadonlyMap<string, readonly HeardReport[]>;
  /** Agents that fell silent within the last hour and had not said that they stop. */
  readonly lost: readonly LostAgent[];
  /** Since when no login can have been missed, by whatever leader; `undefined` while agents live that do not tell of logins. */
  readonly loginsHeardSinceMs: number | undefined;
}

export interface HeardReport {
  readonly report: AgentReport;
  readonly heardMs: number;
}

export interface LostAgent extends AgentDescription {
  readonly lastSeenMs: number;
}

/** How long reports are kept: somewhat longer than the time between two looks at them. */
export const reportKeptMs = 90_000;

const name: Shape<string> = (value, where) =>
  text(value, where) ??
  ((value as string).length > coreLimits.reportedNameCharsMax
    ? `${where}: longer than ${coreLimits.reportedNameCharsMax} characters`
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

/** Bounded as a whole, since most clients have short names and a list of the longest would be short. */
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
  clients: few(
    object<ReportedClient>({ clientId: name, timeoutMs: number, requestCount: whole }),
    coreLimits.reportedClientsMax,
  ),
  buckets: few(
    object<ReportedBucket>({
      name,
      operationCount: whole,
      failureCount: whole,
      denied: few(object<DeniedRequests>({ operation: name, count: whole }), coreLimits.reportedDenialsMax),
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
});

/**
 * What is wrong with a report, which is also given as JSON, members that nobody here knows included. It is asked by whoever keeps it and not
 * with the arguments of the call: an agent whose report cannot be used lives all the same.
 */
export function problemOfReport(value: unknown, json: string): string | undefined {
  if (json.length > coreLimits.agentReportCharsMax)
    return `report: ${json.length} characters; at most ${coreLimits.agentReportCharsMax}`;
  return report(value, 'report');
}
