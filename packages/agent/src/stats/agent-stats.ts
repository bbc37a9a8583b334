import type { AgentReport, ReportedConnections, ReportedDamage, ReportedExpiry } from '@weir/cluster';
import { type Clock, coreLimits, type Metrics } from '@weir/core';
import type { EndedRequest } from '@weir/storage';
import { BucketStats } from './bucket-stats.ts';
import { ClientTimeouts } from './client-timeouts.ts';
import { LoginStats } from './login-stats.ts';

interface AgentStatsOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** What an agent holds or knows at the moment of a report, asked anew for each. */
interface HeldThings {
  readonly certificates: () => readonly ReportedExpiry[];
  readonly tokens: () => readonly ReportedExpiry[];
  /** Files that readers of this agent found damaged. */
  readonly damagedFiles?: () => readonly ReportedDamage[];
  readonly connected?: () => ReportedConnections;
}

/** Metrics with fewer series are nobody's concern. */
const toldSeriesMin = 1_000;

interface Counts {
  files: number;
  fileBytes: number;
  readonly clients: ClientTimeouts;
  readonly buckets: BucketStats;
}

/**
 * What an agent counts for its control plane, which looks after the health of the cluster. Nothing here happens per record: it is noted
 * once per file, per request to the store, per login, and per produce request of a client with an unusual timeout.
 *
 * What was reported and may not have been heard is kept beside what came since, and the next report tells both.
 */
export class AgentStats {
  readonly #options: AgentStatsOptions;
  readonly #startedMs: number;
  readonly #logins = new LoginStats();
  #fresh = noCounts();
  #unheard = noCounts();
  #number = 0;
  #ackedNumber = 0;
  /** Since when nothing of what happened was heard. */
  #sinceMs: number;
  #reportedMs: number;

  constructor(options: AgentStatsOptions) {
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
    this.#sinceMs = options.clock.monotonicMs();
    this.#reportedMs = this.#sinceMs;
  }

  readonly fileStored = (bytes: number): void => {
    this.#fresh.files++;
    this.#fresh.fileBytes += bytes;
  };

  readonly produceAsked = (clientId: string | null, timeoutMs: number): void => {
    this.#fresh.clients.note(clientId ?? '', timeoutMs);
  };

  readonly requestEnded = (bucket: string, request: EndedRequest): void => {
    this.#fresh.buckets.note(bucket, request);
  };

  readonly loggedIn = (user: string): void => {
    this.#logins.note(user, this.#options.clock.monotonicMs());
  };

  /** All that was counted since the last report that was heard. */
  report({ certificates, tokens, damagedFiles, connected }: HeldThings): AgentReport {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#reportedMs = nowMs;
    const counts = this.#unheard;
    absorb(counts, this.#fresh);
    this.#fresh = noCounts();
    this.#number++;
    return {
      startedMs: this.#startedMs,
      number: this.#number,
      sinceNumber: this.#ackedNumber,
      spanMs: Math.round(nowMs - this.#sinceMs),
      nowMs: clock.nowMs(),
      ...(counts.files === 0 ? {} : { files: { count: counts.files, bytes: counts.fileBytes } }),
      ...unlessEmpty('clients', counts.clients.told()),
      ...unlessEmpty('buckets', counts.buckets.told()),
      ...unlessEmpty('metrics', this.#manySeries()),
      ...unlessEmpty('logins', this.#logins.tell(nowMs)),
      ...unlessEmpty('certificates', certificates().slice(0, coreLimits.reportedExpiriesMax)),
      ...unlessEmpty('damagedFiles', damagedFiles?.() ?? []),
      ...(connected === undefined ? {} : { connected: connected() }),
      ...unlessEmpty('tokens', tokens().slice(0, coreLimits.reportedExpiriesMax)),
    };
  }

  /** The last report was heard. */
  heard(): void {
    this.#ackedNumber = this.#number;
    this.#sinceMs = this.#reportedMs;
    this.#unheard = noCounts();
    this.#logins.heard();
  }

  #manySeries() {
    return this.#options.metrics
      .seriesCounts()
      .filter(({ seriesCount }) => seriesCount >= toldSeriesMin)
      .sort((a, b) => b.seriesCount - a.seriesCount)
      .slice(0, coreLimits.reportedMetricsMax);
  }
}

function noCounts(): Counts {
  return { files: 0, fileBytes: 0, clients: new ClientTimeouts(), buckets: new BucketStats() };
}

function absorb(into: Counts, from: Counts): void {
  into.files += from.files;
  into.fileBytes += from.fileBytes;
  into.clients.absorb(from.clients);
  into.buckets.absorb(from.buckets);
}

function unlessEmpty<Name extends string, Row>(name: Name, rows: readonly Row[]) {
  return (rows.length === 0 ? {} : { [name]: rows }) as { readonly [N in Name]?: readonly Row[] };
}
