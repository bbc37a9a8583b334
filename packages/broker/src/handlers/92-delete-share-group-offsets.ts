import { type Apis, type ErrorName, errors, zeroUuid } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { readableTopic } from '../topics/readable-topic.ts';

/**
 * DeleteShareGroupOffsets v0: deletes the offsets of topics from a share group without members.
 *
 * - A group with members is NON_EMPTY_GROUP; a topic that does not exist is UNKNOWN_TOPIC_OR_PARTITION.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires DELETE on the group and READ on each topic.
 */
export const deleteShareGroupOffsetsHandler: HandlerOf<Apis['DeleteShareGroupOffsets']> = async (
  { groupId, topics },
  context,
) => {
  const { cluster, access } = context;
  if (!access.may('DELETE', 'GROUP', groupId)) return failed('GROUP_AUTHORIZATION_FAILED');
  const topicIds: string[] = [];
  const requested = topics.map(({ topicName }) => {
    const topic = readableTopic(topicName, cluster, access);
    if (typeof topic === 'string') return { topicName, topicId: zeroUuid, place: topic };
    const { topicId } = topic;
    return { topicName, topicId, place: topicIds.push(topicId) - 1 };
  });
  const answer = await coordinatorAnswer(cluster.port.deleteShareOffsets({ groupId, topicIds }), context);
  if (answer === undefined || answer.error !== 'NONE') {
    return failed(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS');
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    responses: requested.map(({ topicName, topicId, place }) => ({
      topicName,
      topicId,
      ...resultOf(typeof place === 'string' ? place : answer.results[place]!),
    })),
  };
};

function failed(error: ErrorName) {
  const { code: errorCode, message: errorMessage } = errors[error];
  return { throttleTimeMs: 0, errorCode, errorMessage, responses: [] };
}

function resultOf(error: ErrorName) {
  const { code: errorCode, message } = errors[error];
  return { errorCode, errorMessage: error === 'NONE' ? null : message };
}
