import { type ActualTopic, isInternalTopic } from '../actual.ts';
import type { DesiredCluster, DesiredTopic } from '../desired.ts';
import { protectionConfig } from '../document/desired-cluster.ts';
import { changesOf, creation, deletion, leftOut, nothing, targetsOf, update } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Change, Step } from './step.ts';

/** Plans topics. Configs that the documents leave out stay. The number of partitions can only grow. */
export function planTopics(context: PlanContext): Step[] {
  const { desired, actual, refuse } = context;
  if (desired.topics === undefined) return [];
  const there = new Map(actual?.topics?.map((topic) => [topic.name, topic]));
  const steps = desired.topics.map((topic): Step => {
    const found = there.get(topic.name);
    return found === undefined ? newTopic(desired, topic) : changedTopic(desired, topic, found, refuse);
  });
  const wanted = desired.topics.map(({ name }) => name);
  return [...steps, ...leftOut(context, actual?.topics, wanted).map((topic) => prune(desired, topic))];
}

function newTopic(desired: DesiredCluster, topic: DesiredTopic): Step {
  const { name, partitionCount, configs } = topic;
  return creation(desired, {
    kind: 'topic',
    name,
    phase: 'topics',
    changes: [{ field: 'partition_count', to: String(partitionCount) }, ...changesOf(configs, undefined)],
    task: {
      operation: 'create_topic',
      input: { topic_name: name, partition_count: partitionCount, configs: { ...configs } },
    },
  });
}

function changedTopic(
  desired: DesiredCluster,
  topic: DesiredTopic,
  found: ActualTopic,
  refuse: PlanContext['refuse'],
): Step {
  const { name, partitionCount } = topic;
  for (const rule of rulesAgainst(topic, found))
    refuse({ place: topic.place, message: `topic ${name} ${rule}` });
  const configs = changesOf(topic.configs, found.configs);
  const isGrowing = partitionCount > found.partitionCount;
  if (!isGrowing && configs.length === 0) return nothing(desired, 'topic', name);
  const growth: Change[] = isGrowing
    ? [{ field: 'partition_count', from: String(found.partitionCount), to: String(partitionCount) }]
    : [];
  return update(desired, {
    kind: 'topic',
    name,
    phase: 'topics',
    changes: [...growth, ...configs],
    task: {
      operation: 'update_topic',
      input: {
        topic_name: name,
        ...(isGrowing ? { partition_count: partitionCount } : {}),
        configs: targetsOf(configs),
      },
    },
  });
}

function rulesAgainst({ partitionCount, configs }: DesiredTopic, found: ActualTopic): string[] {
  const policy = configs['cleanup.policy'];
  const policyThere = found.configs?.['cleanup.policy'];
  const isRecompacted =
    policy !== undefined &&
    typeof policyThere === 'string' &&
    isCompacted(policy) !== isCompacted(policyThere);
  return [
    ...(partitionCount < found.partitionCount
      ? [`has ${found.partitionCount} partitions and cannot be reduced to ${partitionCount}`]
      : []),
    ...(isRecompacted
      ? [`cannot change cleanup.policy from ${policyThere} to ${policy}; create another topic`]
      : []),
  ];
}

function isCompacted(policy: string): boolean {
  return policy.split(',').includes('compact');
}

function prune(desired: DesiredCluster, { name, configs }: ActualTopic): Step {
  const keeper = isInternalTopic(name)
    ? 'is an internal topic'
    : configs?.[protectionConfig] === 'true'
      ? 'has deletion protection'
      : undefined;
  if (keeper !== undefined)
    return { action: 'keep', kind: 'topic', cluster: desired.name, name, reason: keeper };
  return deletion(desired, {
    kind: 'topic',
    name,
    phase: 'topic deletions',
    task: { operation: 'delete_topic', input: { topic_name: name } },
  });
}
