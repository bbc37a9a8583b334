import { type Apis, errors, zeroUuid } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/**
 * DeleteShareGroupOffsets v0: a share group without members forgets topics.
 *
 * - A group with members is NON_EMPTY_GROUP; a topic that is not there is UNKNOWN_TOPIC_OR_PARTITION.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS.
 *
 * Missing: ACLs.
 */
export const deleteShareGroupOffsetsHandler: HandlerOf<Apis['DeleteShareGroupOffsets']> = async (
  { groupId, topics },
  { cluster },
) => {
  const topicIds: string[] = [];
  const asked = topics.map(({ topicName }) => {
    const topicId = cluster.topicByName(topicName)?.topicId;
    return {
      topicName,
      topicId: topicId ?? zeroUuid,
      at: topicId === undefined ? -1 : topicIds.push(topicId) - 1,
    };
  });
  const answer = await ifAvailable(cluster.port.deleteShareOffsets({ groupId, topicIds }));
  if (answer === undefined || answer.error !== 'NONE') {
    const error = answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
    return { throttleTimeMs: 0, errorCode: errors[error].code, responses: [] };
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    responses: asked.map(({ topicName, topicId, at }) => ({
      topicName,
      topicId,
      errorCode: errors[at < 0 ? 'UNKNOWN_TOPIC_OR_PARTITION' : answer.results[at]!].code,
    })),
  };
};
