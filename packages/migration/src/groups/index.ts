/** Which committed offsets of the source are committed here. */
export { type CommitPlan, type CommitRules, type PlannedCommit, planCommits } from './plan-commits.ts';
