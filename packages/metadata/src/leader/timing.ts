/**
 * How long a cluster is without a leader when its leader dies: a standby sees the last renewal at most one poll after it
 * happened, waits for the time of the lease from there, and reads what it has not read yet. Where the database can tell that a process is
 * gone (SQLite), it is one poll, and the time of the lease matters only for a leader that hangs. Elsewhere leases are short.
 */
export interface Timing {
  /** How long the lease holds without being renewed. */
  readonly leaseTtlMs: number;
  /** How often the leader renews it, at the same moments as all leaders of its process: two renewals may fail. */
  readonly leaseRenewalMs: number;
  /** How often a standby looks at the lease and the journal when nobody tells it of news, with all standbys of its process. */
  readonly standbyPollMs: number;
  /** After news a standby looks not sooner than this, so that a busy leader does not make it look at every append. */
  readonly standbyPauseMs: number;
  /** When the database fails, what was asked of it is asked again after this. */
  readonly retryMs: number;
  readonly purgeIntervalMs: number;
  /** How often transactions are looked for that are open for too long. */
  readonly transactionSweepMs: number;
  /** How often records are looked for that are too old or too many: Kafka's `log.retention.check.interval.ms`. */
  readonly retentionIntervalMs: number;
  /** How often silent agents are looked for. Changed loads are told then too, but not more often than agents say them. */
  readonly agentSweepMs: number;
  /** How often logins are written down that are worth it. What was heard since is lost with a leader that dies. */
  readonly loginNoteMs: number;
  /** How long a leader that stops waits for its last append. */
  readonly drainMsMax: number;
}

export const defaultTiming: Timing = {
  leaseTtlMs: 3_000,
  leaseRenewalMs: 1_000,
  standbyPollMs: 250,
  standbyPauseMs: 20,
  retryMs: 100,
  purgeIntervalMs: 60_000,
  transactionSweepMs: 1_000,
  retentionIntervalMs: 300_000,
  agentSweepMs: 1_000,
  loginNoteMs: 60_000,
  drainMsMax: 2_000,
};

/**
 * For databases that cannot tell that a process is gone: another leads at most 1.75 s after its leader died. A leader whose renewals its
 * database refuses for 0.85 s loses the cluster; one that gets no answer at all serves nothing from then on, and loses it 1.5 s later.
 */
export const shortLease: Pick<Timing, 'leaseTtlMs' | 'leaseRenewalMs'> = {
  leaseTtlMs: 1_500,
  leaseRenewalMs: 500,
};

/** The part of the lease's time that the holder does not use, because its clock may run slower than a standby's. */
export const leaseMarginShare = 0.1;
