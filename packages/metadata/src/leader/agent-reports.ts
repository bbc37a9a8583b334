import {
  type AgentReport,
  type HeardReport,
  problemOfReport,
  type ReportedConnections,
  reportIntervalMs,
  reportKeptMs,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import type { HeardLogins } from '@weir/machine';

/** As text, which takes a fraction of the memory: reports of thousands of agents are kept, and looked at once a minute. */
interface Kept extends Pick<AgentReport, 'startedMs' | 'number'> {
  readonly json: string;
  readonly heardMs: number;
  readonly atMs: number;
}

interface HeardConnections {
  readonly connected: ReportedConnections;
  readonly heardMs: number;
}

/** An agent that sent none for so long does not send any. */
const reportSilenceMsMax = 3 * reportIntervalMs;

/**
 * What agents have reported in the last minutes, and who has logged in since this leader leads. It is in memory only: the next leader
 * hears the next reports. Of logins it knows besides what was written down of them.
 */
export class AgentReports {
  readonly #clock: Clock;
  readonly #keptByAgent = new Map<string, Kept[]>();
  /** When an agent first sent a heartbeat, until it sends a report. */
  readonly #withoutReport = new Map<string, number>();
  /** By user, in the order of their logins as they were heard. */
  readonly #loginMs = new Map<string, number>();
  /** Users who logged in since that was last written down. */
  #newLogins = new Set<string>();
  #loginsHeardSinceMs: number;
  #keptChars = 0;
  readonly #connectedByAgent = new Map<string, Pick<Kept, 'json' | 'heardMs' | 'atMs'>>();
  #connectedChars = 0;

  /** Since when the leaders before have missed no login; without it since now. */
  constructor(clock: Clock, loginsHeardSinceMs = clock.nowMs()) {
    this.#clock = clock;
    this.#loginsHeardSinceMs = loginsHeardSinceMs;
  }

  /** Says what is wrong with a report that is not kept. */
  heard(agentId: string, report: AgentReport | undefined): string | undefined {
    const atMs = this.#clock.monotonicMs();
    if (report === undefined) {
      if (!this.#keptByAgent.has(agentId) && !this.#withoutReport.has(agentId))
        this.#withoutReport.set(agentId, atMs);
      return undefined;
    }
    const problem = problemOfReport(report, JSON.stringify(report));
    if (problem !== undefined) return problem;
    this.#withoutReport.delete(agentId);
    this.#noteLogins(report);
    // Only the last of these counts, and they may be as long as all the rest.
    const { connected, ...counted } = report;
    this.#keep(agentId, report, JSON.stringify(counted));
    this.#keepConnected(agentId, connected);
    return undefined;
  }

  forget(agentId: string): void {
    this.#withoutReport.delete(agentId);
    for (const { json } of this.#keptByAgent.get(agentId) ?? []) this.#keptChars -= json.length;
    this.#keptByAgent.delete(agentId);
    this.#keepConnected(agentId, undefined);
  }

  /** The clients of an agent as it told of them last, and when; `undefined` if it did not of late. */
  connectedOf(agentId: string): HeardConnections | undefined {
    const kept = this.#connectedByAgent.get(agentId);
    if (kept === undefined || this.#clock.monotonicMs() - kept.atMs > reportKeptMs) return undefined;
    return { connected: JSON.parse(kept.json) as ReportedConnections, heardMs: kept.heardMs };
  }

  reports(): ReadonlyMap<string, readonly HeardReport[]> {
    const found = new Map<string, readonly HeardReport[]>();
    for (const agentId of [...this.#keptByAgent.keys()]) {
      const kept = this.#dropFrom(agentId, (one) => this.#isOld(one));
      if (kept.length === 0) continue;
      const heard = kept.map(({ json, heardMs }) => ({ report: JSON.parse(json) as AgentReport, heardMs }));
      found.set(agentId, heard);
    }
    return found;
  }

  /** When users have logged in last, of those who have since this leader leads. */
  get loginMs(): ReadonlyMap<string, number> {
    return this.#loginMs;
  }

  /** Those that are new, to be written down. */
  takeLogins(): HeardLogins {
    const uses = Array.from(this.#newLogins, (username) => ({
      username,
      usedMs: this.#loginMs.get(username)!,
    }));
    this.#newLogins = new Set();
    return { uses, heardSinceMs: this.loginsHeardSinceMs ?? null };
  }

  /** They could not be written down, and are new still. */
  putBackLogins({ uses }: HeardLogins): void {
    for (const { username, usedMs } of uses) this.#noteLogin(username, usedMs);
    this.#forgetLogins();
  }

  get loginsHeardSinceMs(): number | undefined {
    const atMs = this.#clock.monotonicMs();
    const isAnySilent = [...this.#withoutReport.values()].some(
      (sinceMs) => atMs - sinceMs > reportSilenceMsMax,
    );
    // What clients of such an agent did nobody knows, also when the agent is gone later.
    if (isAnySilent) this.#loginsHeardSinceMs = this.#clock.nowMs();
    return isAnySilent ? undefined : this.#loginsHeardSinceMs;
  }

  #keep(agentId: string, { startedMs, number, sinceNumber }: AgentReport, json: string): void {
    // The agent did not know that these were heard, and tells what was in them again.
    const isToldAgain = (before: Kept) => before.startedMs === startedMs && before.number > sinceNumber;
    const kept = this.#dropFrom(agentId, (one) => isToldAgain(one) || this.#isOld(one));
    if (kept.length >= clusterLimits.agentReportsKeptMax) this.#keptChars -= kept.shift()!.json.length;
    this.#keptByAgent.set(agentId, kept);
    if (this.#keptChars + json.length > clusterLimits.clusterReportCharsMax) return;
    this.#keptChars += json.length;
    kept.push({ startedMs, number, json, heardMs: this.#clock.nowMs(), atMs: this.#clock.monotonicMs() });
  }

  #keepConnected(agentId: string, connected: ReportedConnections | undefined): void {
    this.#connectedChars -= this.#connectedByAgent.get(agentId)?.json.length ?? 0;
    this.#connectedByAgent.delete(agentId);
    if (connected === undefined) return;
    const isRoom = (json: string) =>
      this.#connectedChars + json.length <= clusterLimits.clusterSoftwareCharsMax;
    const json = [connected, { ...connected, software: [] }].map((told) => JSON.stringify(told)).find(isRoom);
    if (json === undefined) return;
    this.#connectedChars += json.length;
    this.#connectedByAgent.set(agentId, {
      json,
      heardMs: this.#clock.nowMs(),
      atMs: this.#clock.monotonicMs(),
    });
  }

  #dropFrom(agentId: string, isDropped: (kept: Kept) => boolean): Kept[] {
    const kept: Kept[] = [];
    for (const one of this.#keptByAgent.get(agentId) ?? []) {
      if (isDropped(one)) this.#keptChars -= one.json.length;
      else kept.push(one);
    }
    // An agent that has reported stays known as one that does.
    if (this.#keptByAgent.has(agentId)) this.#keptByAgent.set(agentId, kept);
    return kept;
  }

  #isOld({ atMs }: Kept): boolean {
    return this.#clock.monotonicMs() - atMs > reportKeptMs;
  }

  #noteLogins({ logins = [] }: AgentReport): void {
    const nowMs = this.#clock.nowMs();
    for (const { username, agoMs } of logins)
      this.#noteLogin(username, Math.floor(nowMs - Math.max(0, agoMs)));
    this.#forgetLogins();
  }

  #noteLogin(username: string, atMs: number): void {
    const loginMs = Math.max(atMs, this.#loginMs.get(username) ?? 0);
    this.#loginMs.delete(username);
    this.#loginMs.set(username, loginMs);
    this.#newLogins.add(username);
  }

  #forgetLogins(): void {
    while (this.#loginMs.size > clusterLimits.lastLoginsMax) {
      const [oldest] = this.#loginMs.keys();
      this.#loginMs.delete(oldest!);
      // Of whoever is forgotten before that was written down it must not be said that he never came.
      if (this.#newLogins.delete(oldest!)) this.#loginsHeardSinceMs = this.#clock.nowMs();
    }
  }
}
