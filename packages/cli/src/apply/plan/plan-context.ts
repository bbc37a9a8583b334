import type { ActualCluster } from '../actual.ts';
import type { DesiredCluster } from '../desired.ts';
import type { DocumentProblem } from '../document/problem.ts';

export interface PlanOptions {
  /** Whether to delete what the documents leave out of the kinds that they mention. */
  readonly isPruning: boolean;
}

/** What the planner of one kind of thing is given. */
export interface PlanContext extends PlanOptions {
  readonly desired: DesiredCluster;
  /** Nothing, when the cluster is to be made. */
  readonly actual: ActualCluster | undefined;
  readonly refuse: (obstacle: DocumentProblem) => void;
}
