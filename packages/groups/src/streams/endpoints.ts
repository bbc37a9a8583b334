import type { PartitionsOfEndpoint, PartitionsOfTopic } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import type { Tasks } from './sticky-assignor.ts';
import type { StreamsGroup } from './streams-group.ts';
import { sourcesOf } from './topology.ts';

/** The partitions that each instance of the application serves; computed once per epoch of the endpoints. */
export function endpointsOf(group: StreamsGroup, topics: TopicsView): readonly PartitionsOfEndpoint[] {
  if (group.endpoints?.epoch === group.endpointEpoch) return group.endpoints.list;
  const sources = sourcesById(group);
  const list: PartitionsOfEndpoint[] = [];
  for (const { endpoint, holding } of group.members.values()) {
    if (endpoint === null) continue;
    const { active, standby } = holding.assigned;
    list.push({
      endpoint,
      active: partitionsOf(active, sources, topics),
      standby: partitionsOf(standby, sources, topics),
    });
  }
  group.endpoints = { epoch: group.endpointEpoch, list };
  return list;
}

/** The partitions that tasks read, by topic id. */
export function readPartitions(group: StreamsGroup, tasks: Tasks, topics: TopicsView): PartitionsOfTopic[] {
  return partitionsOf(tasks, sourcesById(group), topics).flatMap(({ topic, partitions }) => {
    const topicId = topics.byName(topic)?.topicId;
    return topicId === undefined ? [] : [{ topicId, partitions }];
  });
}

function sourcesById({ topology }: StreamsGroup): ReadonlyMap<string, readonly string[]> {
  return new Map(
    topology?.subtopologies.map((subtopology) => [subtopology.subtopologyId, sourcesOf(subtopology)]),
  );
}

/** A topic has partitions for the first tasks only, if another source of the subtopology is larger. */
function partitionsOf(tasks: Tasks, sources: ReadonlyMap<string, readonly string[]>, topics: TopicsView) {
  return Array.from(tasks, ([subtopologyId, partitions]) =>
    (sources.get(subtopologyId) ?? []).map((topic) => {
      const count = topics.byName(topic)?.partitionCount ?? 0;
      return { topic, partitions: partitions.filter((partition) => partition < count) };
    }),
  ).flat();
}
