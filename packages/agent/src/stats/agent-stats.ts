import {
  type AgentReport,
  namedBucketDigest,
  type ReportedConnections,
  type ReportedDamage,
  type ReportedExpiry,
} from '@weir/cluster';
import { type Clock, coreLimits, type Metrics, shortName } from '@weir/core';
import type { PasswordLogin } from '@weir/security';
import type { EndedRequest, StoreOperation } from '@weir/storage';
import { BucketStats } from './bucket-stats.ts';
import { ClientTimeouts } from './client-timeouts.ts';
import { InvalidRecordCounts } from './invalid-records.ts';
import { LoginStats } from './login-stats.ts';
import { RequestCounters } from './request-counters.ts';
import { TrafficStats } from './traffic-stats.ts';

interface AgentStatsOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** State of the agent at the time of a report, read anew for each. */
interface HeldThings {
  readonly certificates: () => readonly ReportedExpiry[];
  readonly tokens: () => readonly ReportedExpiry[];
  /** Files that readers of this agent found damaged. */
  readonly damagedFiles?: () => readonly ReportedDamage[];
  /** Why the agent cannot write to its bucket, if it cannot. */
  readonly writeProblem?: () => string | undefined;
  readonly connected?: () => ReportedConnections;
  /** Why the agent does not use the bucket that the cluster names. */
  readonly bucketProblem?: () => string | undefined;
  /** The bucket that it refers to. */
  readonly namedBucket?: () => string | undefined;
}

/** Metrics with fewer series are not reported. */
const reportedSeriesMin = 1_000;

interface Counts {
  files: number;
  fileBytes: number;
  mergedBytes: number;
  readonly clients: ClientTimeouts;
  readonly buckets: BucketStats;
  readonly invalidRecords: InvalidRecordCounts;
}

/**
 * Counts stats for the control plane, which monitors the health of the cluster. Nothing here runs per record: stats are
 * counted once per file, per store request, per login, per Produce request,
 * and per batch with invalid records.
 *
 * Stats that were sent and may not have been received are held separately from newer ones, and the next report contains
 * both.
 */
export class AgentStats {
  readonly #options: AgentStatsOptions;
  readonly #startedMs: number;
  readonly #logins = new LoginStats();
  readonly #requests: RequestCounters;
  readonly #traffic: TrafficStats;
  #fresh = noCounts();
  #unacked = noCounts();
  #number = 0;
  #ackedNumber = 0;
  /** Start of the period that was not received yet. */
  #sinceMs: number;
  #reportedMs: number;

  constructor(options: AgentStatsOptions) {
    this.#options = options;
    this.#requests = new RequestCounters(options.metrics);
    this.#traffic = new TrafficStats(options.metrics);
    this.#startedMs = options.clock.nowMs();
    this.#sinceMs = options.clock.monotonicMs();
    this.#reportedMs = this.#sinceMs;
  }

  /** Bytes of all files that were stored since the start. */
  storedBytes = 0;

  readonly fileStored = (bytes: number): void => {
    this.storedBytes += bytes;
    this.#fresh.files++;
    this.#fresh.fileBytes += bytes;
  };

  readonly produceRequested = (clientId: string | null, timeoutMs: number): void => {
    this.#fresh.clients.note(clientId ?? '', timeoutMs);
  };

  /** The time from the receipt of a Produce request until its answer. */
  readonly produceWritten = (latencyMs: number): void => {
    this.#traffic.written(latencyMs);
    this.onProduceWritten?.(latencyMs);
  };

  /** Also called with that time. */
  onProduceWritten: ((latencyMs: number) => void) | undefined;

  readonly requestEnded = (bucket: string, request: EndedRequest): void => {
    this.#fresh.buckets.note(bucket, request);
    this.#requests.add(bucket, request.operation, 1);
  };

  /** Requests that a merge sent, from its own thread. */
  readonly mergeRequested = (bucket: string, operation: StoreOperation, count: number): void => {
    this.#fresh.buckets.noteSent(bucket, operation, count);
    this.#requests.add(bucket, operation, count);
  };

  /** Bytes of files that a merge wrote. */
  readonly merged = (bytesWritten: number): void => {
    this.#fresh.mergedBytes += bytesWritten;
  };

  /** Records of a topic that do not fit their schema, by what is wrong. */
  readonly recordsInvalid = (topic: string, reason: string, count: number): void => {
    this.#fresh.invalidRecords.note(topic, reason, count);
  };

  readonly loggedIn = (login: PasswordLogin): void => {
    this.#logins.note(login, this.#options.clock.monotonicMs());
  };

  /** Returns everything counted since the last report that was received. */
  report({
    certificates,
    tokens,
    damagedFiles,
    writeProblem,
    connected,
    bucketProblem,
    namedBucket,
  }: HeldThings): AgentReport {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#reportedMs = nowMs;
    const counts = this.#unacked;
    absorb(counts, this.#fresh);
    this.#fresh = noCounts();
    this.#number++;
    const problem = writeProblem?.();
    const traffic = this.#traffic.report();
    return {
      startedMs: this.#startedMs,
      number: this.#number,
      sinceNumber: this.#ackedNumber,
      spanMs: Math.round(nowMs - this.#sinceMs),
      nowMs: clock.nowMs(),
      ...(counts.files === 0 ? {} : { files: { count: counts.files, bytes: counts.fileBytes } }),
      ...(counts.mergedBytes === 0 ? {} : { mergedBytes: counts.mergedBytes }),
      ...unlessEmpty('clients', counts.clients.report()),
      ...unlessEmpty('buckets', counts.buckets.report()),
      ...unlessEmpty('invalidRecords', counts.invalidRecords.report()),
      ...unlessEmpty('metrics', this.#manySeries()),
      ...unlessEmpty('logins', this.#logins.report(nowMs)),
      ...unlessEmpty('certificates', certificates().slice(0, coreLimits.reportedExpiriesMax)),
      ...unlessEmpty('damagedFiles', damagedFiles?.() ?? []),
      ...(problem === undefined ? {} : { writeProblem: shortName(problem) }),
      ...(connected === undefined ? {} : { connected: connected() }),
      ...bucketProblemOf(bucketProblem?.()),
      ...namedBucketOf(namedBucket?.()),
      ...(traffic === undefined ? {} : { traffic }),
      ...unlessEmpty('tokens', tokens().slice(0, coreLimits.reportedExpiriesMax)),
    };
  }

  /** Called when the last report was received. */
  reportReceived(): void {
    this.#ackedNumber = this.#number;
    this.#sinceMs = this.#reportedMs;
    this.#unacked = noCounts();
    this.#logins.reportReceived();
    this.#traffic.reportReceived();
  }

  #manySeries() {
    return this.#options.metrics
      .seriesCounts()
      .filter(({ seriesCount }) => seriesCount >= reportedSeriesMin)
      .sort((a, b) => b.seriesCount - a.seriesCount)
      .slice(0, coreLimits.reportedMetricsMax);
  }
}

function namedBucketOf(url: string | undefined): Pick<AgentReport, 'namedBucket'> {
  return url === undefined ? {} : { namedBucket: namedBucketDigest(url) };
}

function bucketProblemOf(problem: string | undefined): Pick<AgentReport, 'bucketProblem'> {
  return problem === undefined ? {} : { bucketProblem: problem.slice(0, coreLimits.reportedProblemCharsMax) };
}

function noCounts(): Counts {
  return {
    files: 0,
    fileBytes: 0,
    mergedBytes: 0,
    clients: new ClientTimeouts(),
    buckets: new BucketStats(),
    invalidRecords: new InvalidRecordCounts(),
  };
}

function absorb(into: Counts, from: Counts): void {
  into.files += from.files;
  into.fileBytes += from.fileBytes;
  into.mergedBytes += from.mergedBytes;
  into.clients.absorb(from.clients);
  into.buckets.absorb(from.buckets);
  into.invalidRecords.absorb(from.invalidRecords);
}

function unlessEmpty<Name extends string, Row>(name: Name, rows: readonly Row[]) {
  return (rows.length === 0 ? {} : { [name]: rows }) as { readonly [N in Name]?: readonly Row[] };
}
