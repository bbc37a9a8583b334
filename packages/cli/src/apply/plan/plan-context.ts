import type { ActualCluster, ActualRegistry } from '../actual.ts';
import type { DesiredCluster } from '../desired.ts';
import type { DocumentProblem } from '../document/problem.ts';

export interface PlanOptions {
  /** Whether to delete what the documents leave out, among the kinds that they mention. */
  readonly isPruning: boolean;
}

/** The input of the planner of one kind. */
export interface PlanContext extends PlanOptions {
  readonly desired: DesiredCluster;
  /** `undefined` if the cluster does not exist yet. */
  readonly actual: ActualCluster | undefined;
  /** Only of a cluster whose schema registry the documents mention; empty for one that does not exist yet. */
  readonly registry: ActualRegistry | undefined;
  readonly refuse: (obstacle: DocumentProblem) => void;
}
