import type { StreamsTopology } from '@weir/cluster';
import { internalTopicProblem, isInternalTopic } from '@weir/core';
import type { Access } from '@weir/security';
import type { Apis, ErrorName, RequestOf } from '@weir/wire';
import { isTopicName } from '../topics/topic-name.ts';

type SentTopology = NonNullable<RequestOf<Apis['StreamsGroupHeartbeat']>['topology']>;
type SentTopic = SentTopology['subtopologies'][number]['stateChangelogTopics'][number];

interface Denial {
  readonly error: ErrorName;
  readonly message: string;
}

/** Why a client may not bring this topology; `undefined` if it may. It has to see all topics that it names. */
export function topologyDenial({ subtopologies }: SentTopology, access: Access): Denial | undefined {
  const names = new Set<string>();
  for (const subtopology of subtopologies) {
    for (const name of subtopology.sourceTopics) names.add(name);
    for (const name of subtopology.repartitionSinkTopics) names.add(name);
    for (const { name } of subtopology.repartitionSourceTopics) names.add(name);
    for (const { name } of subtopology.stateChangelogTopics) names.add(name);
  }
  for (const name of names) {
    if (!isTopicName(name)) {
      const message = `Topic names ${JSON.stringify(name.slice(0, 249))} are not valid topic names.`;
      return { error: 'STREAMS_INVALID_TOPOLOGY', message };
    }
    if (isInternalTopic(name))
      return { error: 'STREAMS_INVALID_TOPOLOGY', message: internalTopicProblem(name) };
  }
  for (const name of names) {
    if (access.may('DESCRIBE', 'TOPIC', name)) continue;
    return {
      error: 'TOPIC_AUTHORIZATION_FAILED',
      message: 'DESCRIBE is required on all topics of the topology.',
    };
  }
  return undefined;
}

/** A topology as the coordinator reads it: copartition groups name their topics. */
export function streamsTopologyOf({ epoch, subtopologies }: SentTopology): StreamsTopology {
  return {
    epoch,
    subtopologies: subtopologies.map((subtopology) => {
      const { sourceTopics, repartitionSourceTopics } = subtopology;
      return {
        subtopologyId: subtopology.subtopologyId,
        sourceTopics,
        changelogTopics: subtopology.stateChangelogTopics.map(topicOf),
        repartitionSinkTopics: subtopology.repartitionSinkTopics,
        repartitionSourceTopics: repartitionSourceTopics.map(topicOf),
        // An index without a topic is an empty name, which no source of the subtopology has.
        copartitionGroups: subtopology.copartitionGroups.map((group) => [
          ...group.sourceTopics.map((index) => sourceTopics[index] ?? ''),
          ...group.repartitionSourceTopics.map((index) => repartitionSourceTopics[index]?.name ?? ''),
        ]),
      };
    }),
  };
}

function topicOf({ name, partitions, replicationFactor, topicConfigs }: SentTopic) {
  const configs = Object.fromEntries(topicConfigs.map(({ key, value }) => [key, value]));
  return { name, partitionCount: partitions, replicationFactor, configs };
}
