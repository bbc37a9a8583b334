import type { ActualRegistry, Found } from '../actual.ts';
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
import { planRegistry } from './plan-registry.ts';
import { planTopics } from './plan-topics.ts';
import { isWriting, phases, type Step } from './step.ts';

/** The ordered steps for one cluster. */
interface ClusterPlan {
  /** Without the prefix of its type. */
  readonly name: string;
  /** Only of an existing cluster. */
  readonly id: string | undefined;
  readonly steps: readonly Step[];
}

export interface Plan {
  readonly clusters: readonly ClusterPlan[];
  /** Changes that are impossible. If there is one, nothing is executed. */
  readonly obstacles: readonly DocumentProblem[];
}

const planners = [
  planCluster,
  planConfiguration,
  planRegistry,
  planTopics,
  planCredentials,
  planAgentKeys,
  planAcls,
  planEvents,
  planPipelines,
] as const satisfies readonly ((context: PlanContext) => readonly Step[])[];

/** Compares the desired with the actual state. It has no other input, so the same two always give the same plan. */
export function planChanges(
  wanted: readonly {
    readonly desired: DesiredCluster;
    readonly found: Found;
    readonly registry?: ActualRegistry | undefined;
  }[],
  options: PlanOptions,
): Plan {
  const obstacles: DocumentProblem[] = [];
  const clusters = wanted.flatMap(({ desired, found, registry }): ClusterPlan[] => {
    if (found !== undefined && 'workspaceIds' in found) {
      const message = `several workspaces have a virtual cluster ${desired.name}; set workspace_id to one of ${found.workspaceIds.join(', ')}`;
      obstacles.push({ place: desired.place, message });
      return [];
    }
    const refuse = (obstacle: DocumentProblem) => obstacles.push(obstacle);
    const context = { ...options, desired, actual: found, registry, refuse };
    const steps = planners.flatMap((plan): readonly Step[] => plan(context));
    return [{ name: desired.name, id: found?.id, steps: inOrder(steps) }];
  });
  return { clusters, obstacles };
}

/** By phase, and within a phase in the order of the documents. Unchanged things come first. */
function inOrder(steps: readonly Step[]): Step[] {
  const rank = (step: Step) => (isWriting(step) ? phases.indexOf(step.phase) : -1);
  return steps.toSorted((a, b) => rank(a) - rank(b));
}
