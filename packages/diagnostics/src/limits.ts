/** Limits of diagnostics: what a snapshot distinguishes, and what is stored. */
export const diagnosticLimits = {
  /**
   * Findings that are stored of one diagnostic. A cluster may have a hundred thousand groups, and all may be stuck.
   */
  diagnosticFindingsMax: 20,

  /**
   * A name or a sentence in a finding, and the reason with which a user mutes a diagnostic. Names have up to 1,024
   * characters.
   */
  diagnosticTextCharsMax: 2048,

  /** Transitions that are stored of one diagnostic of one cluster; the oldest are forgotten first. */
  diagnosticTransitionsMax: 100,

  /**
   * Damaged files of one cluster that a diagnostic snapshot distinguishes, of those that all agents have reported.
   */
  diagnosedDamagedFilesMax: 100,

  /**
   * Groups of one cluster whose progress is followed from snapshot to snapshot, and their partitions. About 150
   * bytes each.
   */
  diagnosedGroupsMax: 5_000,
  diagnosedPartitionsMax: 50_000,

  /**
   * Clients, buckets and metrics of one cluster that a diagnostic snapshot distinguishes, of those that all agents
   * have reported.
   */
  diagnosedClientsMax: 1_000,
  diagnosedBucketsMax: 100,
  diagnosedMetricsMax: 100,

  /** Topics with a reason for invalid records of one cluster that a diagnostic snapshot distinguishes. */
  diagnosedInvalidRecordsMax: 500,
} as const;
