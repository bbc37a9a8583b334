import { defineCheck } from '../check.ts';
import { type DiagnosticSnapshot, livingAgents, type PipelineFacts } from '../diagnostic-snapshot.ts';
import { count, counted } from '../number-texts.ts';

/** An agent with room takes an instance within a second. */
const waitMsMin = 60_000;

export const pipelineNotRunning = defineCheck({
  name: 'pipeline_not_running',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'high',
  title: 'No agent runs a pipeline',
  observes:
    'How many instances of every pipeline that should run have an agent, and how many agents take them. Instances that fail are pipeline_failing.',
  explanation:
    'A pipeline without an agent reads and writes nothing; one with fewer instances than it should have is slower.',
  fix: 'Start agents with -enableManagedPipelines, or with pipelines in -roles; a pipeline with service.pipeline_group needs agents with that -agentGroup. An agent runs 4 instances per core and at least 8: add agents if all are full, or lower service.cluster_concurrency_target. Schema linking needs an agent of the registry cluster with the role jobs.',
  kinds: ['kafka', 'schema_registry'],
  run(snapshot) {
    const { pipelines, atMs } = snapshot;
    if (pipelines === undefined) return { missing: 'pipelines' };
    // A cluster without any agent is another diagnostic.
    if (livingAgents(snapshot).length === 0) return [];
    return pipelines.flatMap((pipeline) => {
      const { name, type, instanceCount, agentCount, instances } = pipeline;
      const placed = instances.filter(
        ({ state, plannedMs }) => state !== 'waiting' || atMs - plannedMs < waitMsMin,
      ).length;
      const isPlaced = type === 'schema_linking' ? agentCount > 0 : placed >= instanceCount;
      if (isPlaced) return [];
      const running = instances.filter(({ state }) => state === 'running').length;
      return [
        {
          entity: { kind: 'pipeline', name } as const,
          ...(placed > 0 ? { severity: 'medium' as const } : {}),
          message: `Pipeline ${name}: ${count(running)} of ${counted(instanceCount, 'instance')} running; ${reasonOf(pipeline, snapshot)}.`,
          weight: instanceCount - placed,
        },
      ];
    });
  },
});

function reasonOf(
  { type, agentCount, agentGroup }: PipelineFacts,
  snapshot: Pick<DiagnosticSnapshot, 'agents' | 'atMs'>,
): string {
  if (type === 'schema_linking') return 'no agent takes its syncs';
  if (agentCount === 0) return 'no agent runs pipelines';
  const isInGroup = livingAgents(snapshot).some(
    ({ roles, group }) => roles.includes('pipelines') && group === agentGroup,
  );
  if (agentGroup !== undefined && !isInGroup) return `no agent of the group ${agentGroup} runs pipelines`;
  const ofGroup = agentGroup === undefined ? '' : ` of the group ${agentGroup}`;
  return `${counted(agentCount, 'agent')} run pipelines, and none${ofGroup} has room`;
}
