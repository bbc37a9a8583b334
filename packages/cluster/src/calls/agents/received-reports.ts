import type { AgentDescription } from './agent-calls.ts';
import type { AgentReport } from './agent-report.ts';

/** What a leader has received from its agents. Times are by the leader's clock. */
export interface ReceivedReports {
  /** Reports of live agents, by agent id. */
  readonly reports: ReadonlyMap<string, readonly ReceivedReport[]>;
  /** Agents whose heartbeats stopped within the last hour without a `leave` call. */
  readonly lost: readonly LostAgent[];
  /**
   * Since when every login has been reported, to this leader or an earlier one; `undefined` while live agents exist
   * that do not report logins.
   */
  readonly loginsReceivedSinceMs: number | undefined;
}

export interface ReceivedReport {
  readonly report: AgentReport;
  readonly receivedMs: number;
}

export interface LostAgent extends AgentDescription {
  readonly lastSeenMs: number;
}

/** How long the leader retains reports: slightly longer than the interval at which they are evaluated. */
export const reportRetentionMs = 90_000;
