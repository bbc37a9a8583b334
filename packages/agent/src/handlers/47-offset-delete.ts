import type { TopicPartition } from '@weir/metadata';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/**
 * OffsetDelete v0.
 *
 * - A topic that a member subscribes to is GROUP_SUBSCRIBED_TO_TOPIC; one that is not there is UNKNOWN_TOPIC_OR_PARTITION.
 * - An error of the group as a whole comes without topics, as does COORDINATOR_LOAD_IN_PROGRESS when the control plane cannot
 *   be reached.
 */
export const offsetDeleteHandler: HandlerOf<Apis['OffsetDelete']> = async (request, { cluster }) => {
  const partitions: TopicPartition[] = [];
  const topics = request.topics.map((topic) => ({
    name: topic.name,
    partitions: topic.partitions.map(({ partitionIndex }) => {
      const topicId = cluster.topicByName(topic.name)?.topicId;
      if (topicId === undefined) return { partitionIndex, at: -1 };
      return { partitionIndex, at: partitions.push({ topicId, partition: partitionIndex }) - 1 };
    }),
  }));
  const answer = await ifAvailable(cluster.port.deleteOffsets({ groupId: request.groupId, partitions }));
  if (answer === undefined || answer.error !== 'NONE') {
    const error: ErrorName = answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
    return { errorCode: errors[error].code, throttleTimeMs: 0, topics: [] };
  }
  return {
    errorCode: errors.NONE.code,
    throttleTimeMs: 0,
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, at }) => ({
        partitionIndex,
        errorCode: errors[at < 0 ? 'UNKNOWN_TOPIC_OR_PARTITION' : answer.offsets[at]!].code,
      })),
    })),
  };
};
