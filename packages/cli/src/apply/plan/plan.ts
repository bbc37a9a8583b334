import type { Found } from '../actual.ts';
import type { DesiredCluster } from '../desired.ts';
import type { DocumentProblem } from '../document/problem.ts';
import { planAcls } from './plan-acls.ts';
import { planAgentKeys } from './plan-agent-keys.ts';
import { planCluster } from './plan-cluster.ts';
import { planConfiguration } from './plan-configuration.ts';
import type { PlanContext, PlanOptions } from './plan-context.ts';
import { planCredentials } from './plan-credentials.ts';
import { planEvents } from './plan-events.ts';
import { planPipelines } from './plan-pipelines.ts';
import { planTopics } from './plan-topics.ts';
import { isWriting, phases, type Step } from './step.ts';

/** What to do about one cluster, in order. */
interface ClusterPlan {
  /** As people call it. */
  readonly name: string;
  /** Of a cluster that is there. */
  readonly id: string | undefined;
  readonly steps: readonly Step[];
}

export interface Plan {
  readonly clusters: readonly ClusterPlan[];
  /** What cannot be done at all. Nothing is done while there is one. */
  readonly obstacles: readonly DocumentProblem[];
}

const planners = [
  planCluster,
  planConfiguration,
  planTopics,
  planCredentials,
  planAgentKeys,
  planAcls,
  planEvents,
  planPipelines,
] as const satisfies readonly ((context: PlanContext) => readonly Step[])[];

/** Compares what is wanted with what there is. It knows of nothing else, so that the same two always give the same plan. */
export function planChanges(
  wanted: readonly { readonly desired: DesiredCluster; readonly found: Found }[],
  options: PlanOptions,
): Plan {
  const obstacles: DocumentProblem[] = [];
  const clusters = wanted.flatMap(({ desired, found }): ClusterPlan[] => {
    if (found !== undefined && 'workspaceIds' in found) {
      const message = `several workspaces have a virtual cluster ${desired.name}; say workspace_id, one of ${found.workspaceIds.join(', ')}`;
      obstacles.push({ place: desired.place, message });
      return [];
    }
    const context = { ...options, desired, actual: found, refuse: (o: DocumentProblem) => obstacles.push(o) };
    const steps = planners.flatMap((plan): readonly Step[] => plan(context));
    return [{ name: desired.name, id: found?.id, steps: inOrder(steps) }];
  });
  return { clusters, obstacles };
}

/** By phase, and within a phase as the documents have it. What is left alone comes first. */
function inOrder(steps: readonly Step[]): Step[] {
  const rank = (step: Step) => (isWriting(step) ? phases.indexOf(step.phase) : -1);
  return steps.toSorted((a, b) => rank(a) - rank(b));
}
