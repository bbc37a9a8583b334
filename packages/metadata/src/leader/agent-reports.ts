import {
  type AgentReport,
  type NamedBucketReport,
  problemOfReport,
  type ReceivedReport,
  type ReportedConnections,
  reportIntervalMs,
  reportRetentionMs,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { SeenLogins } from '@weir/machine';
import { metadataLimits } from '../limits.ts';
import type { LastTraffic } from '../series/cluster-sampler.ts';
import { StorageTrafficSums } from './storage-traffic.ts';

/**
 * As text, which takes a fraction of the memory: reports of thousands of agents are retained, and read once a minute.
 */
interface StoredReport extends Pick<AgentReport, 'startedMs' | 'number'> {
  readonly json: string;
  readonly receivedMs: number;
  readonly atMs: number;
}

interface ReceivedConnections {
  readonly connected: ReportedConnections;
  readonly receivedMs: number;
}

/** An agent without a report for so long does not send reports. */
const reportSilenceMsMax = 3 * reportIntervalMs;

/**
 * Reports of agents from the last minutes, and logins since this leader took over. In memory only: the next leader
 * receives the next reports. Logins are also stored from time to time.
 */
export class AgentReports {
  readonly #clock: Clock;
  readonly traffic: StorageTrafficSums;
  readonly #storedByAgent = new Map<string, StoredReport[]>();
  /** When an agent first sent a heartbeat, until it sends a report. */
  readonly #withoutReport = new Map<string, number>();
  /** By user, in the order in which the logins were received. */
  readonly #loginMs = new Map<string, number>();
  /** Of some of these users. */
  readonly #oldPasswordLoginMs = new Map<string, number>();
  /** Users with a login that is not stored yet. */
  #newLogins = new Set<string>();
  #loginsReceivedSinceMs: number;
  #storedChars = 0;
  readonly #connectedByAgent = new Map<string, Pick<StoredReport, 'json' | 'receivedMs' | 'atMs'>>();
  #connectedChars = 0;
  readonly #lastTraffic = new Map<string, LastTraffic>();
  readonly #startedMs = new Map<string, number>();
  readonly #namedBuckets = new Map<string, NamedBucketReport>();

  /** `loginsReceivedSinceMs`: since when earlier leaders have missed no login; by default now. */
  constructor(clock: Clock, loginsReceivedSinceMs = clock.nowMs()) {
    this.#clock = clock;
    this.traffic = new StorageTrafficSums(clock);
    this.#loginsReceivedSinceMs = loginsReceivedSinceMs;
  }

  /** Returns the problem of a report that is refused. */
  receive(agentId: string, report: AgentReport | undefined): string | undefined {
    const atMs = this.#clock.monotonicMs();
    if (report === undefined) {
      if (!this.#storedByAgent.has(agentId) && !this.#withoutReport.has(agentId))
        this.#withoutReport.set(agentId, atMs);
      return undefined;
    }
    const problem = problemOfReport(report, JSON.stringify(report));
    if (problem !== undefined) return problem;
    this.#withoutReport.delete(agentId);
    this.#noteLogins(report);
    // Only the last connections count, and they may be as long as all the rest.
    const { connected, ...counted } = report;
    this.traffic.add(report);
    const { spanMs, traffic } = report;
    this.#lastTraffic.set(agentId, { spanMs, traffic, atMs: this.#clock.monotonicMs() });
    this.#startedMs.set(agentId, report.startedMs);
    const { namedBucket: digest, bucketProblem } = report;
    if (digest !== undefined) this.#namedBuckets.set(agentId, { digest, problem: bucketProblem });
    this.#store(agentId, report, JSON.stringify(counted));
    this.#storeConnected(agentId, connected);
    return undefined;
  }

  forget(agentId: string): void {
    this.#lastTraffic.delete(agentId);
    this.#startedMs.delete(agentId);
    this.#namedBuckets.delete(agentId);
    this.#withoutReport.delete(agentId);
    for (const { json } of this.#storedByAgent.get(agentId) ?? []) this.#storedChars -= json.length;
    this.#storedByAgent.delete(agentId);
    this.#storeConnected(agentId, undefined);
  }

  /** The last reported clients of an agent, and when; `undefined` if there is no recent report. */
  connectedOf(agentId: string): ReceivedConnections | undefined {
    const stored = this.#connectedByAgent.get(agentId);
    if (stored === undefined || this.#clock.monotonicMs() - stored.atMs > reportRetentionMs) return undefined;
    return { connected: JSON.parse(stored.json) as ReportedConnections, receivedMs: stored.receivedMs };
  }

  /** When the process of an agent started; `undefined` before its first report. */
  startedMs(agentId: string): number | undefined {
    return this.#startedMs.get(agentId);
  }

  /** What an agent last reported of the bucket that the cluster names. */
  namedBucketOf(agentId: string): NamedBucketReport | undefined {
    return this.#namedBuckets.get(agentId);
  }

  lastTraffic(agentId: string): LastTraffic | undefined {
    return this.#lastTraffic.get(agentId);
  }

  reports(): ReadonlyMap<string, readonly ReceivedReport[]> {
    const found = new Map<string, readonly ReceivedReport[]>();
    for (const agentId of [...this.#storedByAgent.keys()]) {
      const stored = this.#dropFrom(agentId, (one) => this.#isOld(one));
      if (stored.length === 0) continue;
      const received = stored.map(({ json, receivedMs }) => ({
        report: JSON.parse(json) as AgentReport,
        receivedMs,
      }));
      found.set(agentId, received);
    }
    return found;
  }

  /** The last login of each user, of those that logged in since this leader took over. */
  get loginMs(): ReadonlyMap<string, number> {
    return this.#loginMs;
  }

  /** The last login of each of these users with the old password of a rotation. */
  get oldPasswordLoginMs(): ReadonlyMap<string, number> {
    return this.#oldPasswordLoginMs;
  }

  /** Takes the logins that are not stored yet. */
  takeLogins(): SeenLogins {
    const uses = Array.from(this.#newLogins, (username) => {
      const oldPasswordUsedMs = this.#oldPasswordLoginMs.get(username);
      return {
        username,
        usedMs: this.#loginMs.get(username)!,
        ...(oldPasswordUsedMs === undefined ? {} : { oldPasswordUsedMs }),
      };
    });
    this.#newLogins = new Set();
    return { uses, receivedSinceMs: this.loginsReceivedSinceMs ?? null };
  }

  /** Returns logins whose save failed. */
  putBackLogins({ uses }: SeenLogins): void {
    for (const { username, usedMs, oldPasswordUsedMs } of uses)
      this.#noteLogin(username, usedMs, oldPasswordUsedMs);
    this.#forgetLogins();
  }

  get loginsReceivedSinceMs(): number | undefined {
    const atMs = this.#clock.monotonicMs();
    const isAnySilent = [...this.#withoutReport.values()].some(
      (sinceMs) => atMs - sinceMs > reportSilenceMsMax,
    );
    // Logins on such an agent are unknown, also after the agent has gone.
    if (isAnySilent) this.#loginsReceivedSinceMs = this.#clock.nowMs();
    return isAnySilent ? undefined : this.#loginsReceivedSinceMs;
  }

  #store(agentId: string, { startedMs, number, sinceNumber }: AgentReport, json: string): void {
    // The agent did not learn that these were received, and repeats their content.
    const isSentAgain = (before: StoredReport) =>
      before.startedMs === startedMs && before.number > sinceNumber;
    for (const one of this.#storedByAgent.get(agentId) ?? [])
      if (isSentAgain(one)) this.traffic.add(JSON.parse(one.json) as AgentReport, -1);
    const stored = this.#dropFrom(agentId, (one) => isSentAgain(one) || this.#isOld(one));
    if (stored.length >= metadataLimits.agentReportsRetainedMax)
      this.#storedChars -= stored.shift()!.json.length;
    this.#storedByAgent.set(agentId, stored);
    if (this.#storedChars + json.length > metadataLimits.clusterReportCharsMax) return;
    this.#storedChars += json.length;
    stored.push({
      startedMs,
      number,
      json,
      receivedMs: this.#clock.nowMs(),
      atMs: this.#clock.monotonicMs(),
    });
  }

  #storeConnected(agentId: string, connected: ReportedConnections | undefined): void {
    this.#connectedChars -= this.#connectedByAgent.get(agentId)?.json.length ?? 0;
    this.#connectedByAgent.delete(agentId);
    if (connected === undefined) return;
    const isRoom = (json: string) =>
      this.#connectedChars + json.length <= metadataLimits.clusterSoftwareCharsMax;
    const json = [connected, { ...connected, software: [] }].map((part) => JSON.stringify(part)).find(isRoom);
    if (json === undefined) return;
    this.#connectedChars += json.length;
    this.#connectedByAgent.set(agentId, {
      json,
      receivedMs: this.#clock.nowMs(),
      atMs: this.#clock.monotonicMs(),
    });
  }

  #dropFrom(agentId: string, isDropped: (report: StoredReport) => boolean): StoredReport[] {
    const remaining: StoredReport[] = [];
    for (const one of this.#storedByAgent.get(agentId) ?? []) {
      if (isDropped(one)) this.#storedChars -= one.json.length;
      else remaining.push(one);
    }
    // An agent that has reported stays known as a reporting one.
    if (this.#storedByAgent.has(agentId)) this.#storedByAgent.set(agentId, remaining);
    return remaining;
  }

  #isOld({ atMs }: StoredReport): boolean {
    return this.#clock.monotonicMs() - atMs > reportRetentionMs;
  }

  #noteLogins({ logins = [] }: AgentReport): void {
    const nowMs = this.#clock.nowMs();
    const before = (agoMs: number) => Math.floor(nowMs - Math.max(0, agoMs));
    for (const { username, agoMs, oldPasswordAgoMs } of logins)
      this.#noteLogin(
        username,
        before(agoMs),
        oldPasswordAgoMs === undefined ? undefined : before(oldPasswordAgoMs),
      );
    this.#forgetLogins();
  }

  #noteLogin(username: string, atMs: number, oldPasswordMs: number | undefined): void {
    const loginMs = Math.max(atMs, this.#loginMs.get(username) ?? 0);
    this.#loginMs.delete(username);
    this.#loginMs.set(username, loginMs);
    this.#newLogins.add(username);
    if (oldPasswordMs === undefined) return;
    const before = this.#oldPasswordLoginMs.get(username) ?? 0;
    this.#oldPasswordLoginMs.set(username, Math.max(oldPasswordMs, before));
  }

  #forgetLogins(): void {
    while (this.#loginMs.size > metadataLimits.lastLoginsMax) {
      const [oldest] = this.#loginMs.keys();
      this.#loginMs.delete(oldest!);
      this.#oldPasswordLoginMs.delete(oldest!);
      // A user who is evicted before the login is stored must not count as one without logins.
      if (this.#newLogins.delete(oldest!)) this.#loginsReceivedSinceMs = this.#clock.nowMs();
    }
  }
}
