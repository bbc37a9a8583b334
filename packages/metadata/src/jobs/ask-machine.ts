import type { ClusterMachine } from '@weir/machine';

/** The state of the cluster that planners read. */
type PlannedState = Pick<
  ClusterMachine,
  | 'clusterConfigs'
  | 'compactionBacklog'
  | 'deadFiles'
  | 'keyCompactionBacklog'
  | 'kv'
  | 'planCompaction'
  | 'planKeyCompaction'
  | 'readRegistry'
>;

/** Reads the state of the cluster; resolves when all that was read is durable. */
export type AskMachine = <Answer>(
  question: (machine: PlannedState, nowMs: number) => Answer,
) => Promise<Answer>;
