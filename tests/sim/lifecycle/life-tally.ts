/** How often something happened in a simulated month. A month without it would prove little about it. */
export interface LifeTally {
  filesWritten: number;
  batchesWritten: number;
  recordsWritten: number;
  commitsRepeated: number;
  transactionsCommitted: number;
  transactionsAborted: number;
  transactionsAbandoned: number;
  recordsDeleted: number;
  topicsDeleted: number;
  topicsRestored: number;
  topicsRemoved: number;
  topicsCloned: number;
  agentCrashes: number;
  agentPauses: number;
  leaderKills: number;
  restores: number;
  /** Files that went to the second bucket of the cluster. */
  filesInSecondBucket: number;
  jobsRunTwice: number;
  merges: number;
  keyCompactions: number;
  filesDeleted: number;
  orphansDeclared: number;
  levelMax: number;
  slowReads: number;
  audits: number;
}

export function newLifeTally(): LifeTally {
  return {
    filesWritten: 0,
    batchesWritten: 0,
    recordsWritten: 0,
    commitsRepeated: 0,
    transactionsCommitted: 0,
    transactionsAborted: 0,
    transactionsAbandoned: 0,
    recordsDeleted: 0,
    topicsDeleted: 0,
    topicsRestored: 0,
    topicsRemoved: 0,
    topicsCloned: 0,
    agentCrashes: 0,
    agentPauses: 0,
    leaderKills: 0,
    restores: 0,
    filesInSecondBucket: 0,
    jobsRunTwice: 0,
    merges: 0,
    keyCompactions: 0,
    filesDeleted: 0,
    orphansDeclared: 0,
    levelMax: 0,
    slowReads: 0,
    audits: 0,
  };
}

export function addLifeTally(sum: LifeTally, tally: LifeTally): void {
  for (const key of Object.keys(sum) as (keyof LifeTally)[]) {
    sum[key] = key === 'levelMax' ? Math.max(sum[key], tally[key]) : sum[key] + tally[key];
  }
}
