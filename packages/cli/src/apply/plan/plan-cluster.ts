import type { ActualCluster } from '../actual.ts';
import type { DesiredCluster } from '../desired.ts';
import { changesOf, creation, nothing, update } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Change, Step, WritingStep } from './step.ts';

/** Plans the cluster itself: its existence, its tier and its tags. A cluster with another name is another cluster. */
export function planCluster(context: PlanContext): Step[] {
  const { desired, actual } = context;
  if (actual === undefined) return [newCluster(desired)];
  refuseMove(desired, actual, context.refuse);
  return [tierStep(desired, actual), ...tagSteps(desired, actual)];
}

function newCluster(desired: DesiredCluster): WritingStep {
  const { name, fullName, type, tier, tags, cloud, workspaceId } = desired;
  return creation(desired, {
    kind: 'virtual_cluster',
    name,
    phase: 'cluster',
    changes: [
      { field: 'type', to: type },
      ...(tier === undefined ? [] : [{ field: 'tier', to: tier }]),
      ...Object.entries(tags ?? {}).map(([tag, to]): Change => ({ field: `tags.${tag}`, to })),
    ],
    task: {
      operation: 'create_virtual_cluster',
      input: {
        virtual_cluster_name: fullName,
        virtual_cluster_type: type,
        virtual_cluster_tier: tier,
        virtual_cluster_cloud_provider: cloud?.provider,
        virtual_cluster_region: cloud?.region,
        virtual_cluster_region_group: cloud?.region_group,
        virtual_cluster_tags: tags,
        workspace_id: workspaceId,
        // A default agent key would be a secret that no document asks for and no file stores.
        skip_agent_key_creation: true,
      },
    },
  });
}

function tierStep(desired: DesiredCluster, actual: ActualCluster): Step {
  const { name, tier } = desired;
  if (tier === undefined || tier === actual.tier) return nothing(desired, 'virtual_cluster', name);
  return update(desired, {
    kind: 'virtual_cluster',
    name,
    phase: 'cluster',
    changes: [{ field: 'tier', from: actual.tier, to: tier }],
    task: { operation: 'update_virtual_cluster_tier', input: { tier } },
  });
}

/** Tags are replaced as a whole, so tags that are left out are removed. */
function tagSteps(desired: DesiredCluster, actual: ActualCluster): Step[] {
  const { tags } = desired;
  if (tags === undefined) return [];
  const gone = Object.entries(actual.tags ?? {}).filter(([tag]) => !Object.hasOwn(tags, tag));
  const changes = [
    ...changesOf(tags, actual.tags),
    ...gone.map(([field, from]): Change => ({ field, from, to: '(none)' })),
  ];
  if (changes.length === 0) return [nothing(desired, 'tags')];
  return [
    update(desired, {
      kind: 'tags',
      name: '',
      phase: 'cluster',
      changes,
      task: { operation: 'update_virtual_cluster_tags', input: { tags } },
    }),
  ];
}

/** The location of a cluster cannot be changed. */
function refuseMove(
  { place, name, cloud }: DesiredCluster,
  actual: ActualCluster,
  refuse: PlanContext['refuse'],
): void {
  const facts = [
    ['provider', cloud?.provider, actual.cloudProvider],
    ['region', cloud?.region, actual.region],
    ['region_group', cloud?.region_group, actual.regionGroup],
  ] as const;
  for (const [field, wanted, there] of facts) {
    if (wanted === undefined || wanted === there) continue;
    const message = `virtual cluster ${name}: ${field} cannot be changed from ${there ?? '(none)'} to ${wanted}`;
    refuse({ place, message });
  }
}
