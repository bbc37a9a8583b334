import type { TopicPartition } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { readableTopic } from '../topics/readable-topic.ts';

/**
 * OffsetDelete v0.
 *
 * - A topic that a member subscribes to is GROUP_SUBSCRIBED_TO_TOPIC; a topic or partition that does not exist is
 *   UNKNOWN_TOPIC_OR_PARTITION.
 * - An error of the whole group comes without topics, as does COORDINATOR_LOAD_IN_PROGRESS if the control plane is
 *   unavailable or fails.
 * - Requires DELETE on the group and READ on each topic.
 */
export const offsetDeleteHandler: HandlerOf<Apis['OffsetDelete']> = async (request, context) => {
  const { cluster, access } = context;
  if (!access.may('DELETE', 'GROUP', request.groupId)) return failed('GROUP_AUTHORIZATION_FAILED');
  const partitions: TopicPartition[] = [];
  const topics = request.topics.map(({ name, partitions: requested }) => {
    const topic = readableTopic(name, cluster, access);
    return {
      name,
      partitions: requested.map(({ partitionIndex }) => {
        if (typeof topic === 'string') return { partitionIndex, place: topic };
        if (partitionIndex < 0 || partitionIndex >= topic.partitionCount) {
          return { partitionIndex, place: 'UNKNOWN_TOPIC_OR_PARTITION' as const };
        }
        const { topicId } = topic;
        return { partitionIndex, place: partitions.push({ topicId, partition: partitionIndex }) - 1 };
      }),
    };
  });
  const answer = await coordinatorAnswer(
    cluster.port.deleteOffsets({ groupId: request.groupId, partitions }),
    context,
  );
  if (answer === undefined || answer.error !== 'NONE') {
    return failed(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS');
  }
  return {
    errorCode: errors.NONE.code,
    throttleTimeMs: 0,
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, place }) => ({
        partitionIndex,
        errorCode: errors[typeof place === 'string' ? place : answer.offsets[place]!].code,
      })),
    })),
  };
};

function failed(error: ErrorName) {
  return { errorCode: errors[error].code, throttleTimeMs: 0, topics: [] };
}
