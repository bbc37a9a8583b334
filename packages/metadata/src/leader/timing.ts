/**
 * The timing of a node. When a leader dies, a standby sees the last renewal at most one poll after it happened, waits
 * for the duration of the lease from there, and reads the rest of the journal. Where the database can detect that a
 * process is gone (SQLite), the gap is one poll, and the lease matters only for a leader that hangs. Elsewhere leases
 * are short.
 */
export interface Timing {
  /** How long the lease holds without a renewal. */
  readonly leaseTtlMs: number;
  /** How often the leader renews it, at the same moments as all leaders of its process: two renewals may fail. */
  readonly leaseRenewalMs: number;
  /**
   * How often a standby checks the lease and the journal without a notification, together with all standbys of its
   * process.
   */
  readonly standbyPollMs: number;
  /**
   * The minimum pause of a standby after a notification, so that a busy leader does not make it check at every append.
   */
  readonly standbyPauseMs: number;
  /** The delay before a failed database call is retried. */
  readonly retryMs: number;
  readonly purgeIntervalMs: number;
  /** How often transactions beyond their timeout are searched. */
  readonly transactionSweepMs: number;
  /** How often retention by age and size runs: Kafka's `log.retention.check.interval.ms`. */
  readonly retentionIntervalMs: number;
  /**
   * How often silent agents are searched. Changed loads are published then too, but rarely unless they matter
   * (agents.ts).
   */
  readonly agentSweepMs: number;
  /** How often new logins are stored. A leader that dies loses those received since. */
  readonly loginNoteMs: number;
  /** How long a stopping leader waits for its last append. */
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
 * For databases that cannot detect that a process is gone: another process leads at most 1.53 s after the leader died.
 * A leader whose database refuses renewals for 0.8 s loses the cluster; one without any answer stops serving then, and
 * loses it 1.4 s later.
 */
export const shortLease: Pick<Timing, 'leaseTtlMs' | 'leaseRenewalMs' | 'standbyPollMs'> = {
  leaseTtlMs: 1_400,
  leaseRenewalMs: 450,
  standbyPollMs: 125,
};

/** The part of the lease that the holder does not use, because its clock may run slower than that of a standby. */
export const leaseMarginShare = 0.1;
