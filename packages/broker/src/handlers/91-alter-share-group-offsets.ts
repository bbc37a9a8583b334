import type { ShareOffsetToAlter } from '@weir/cluster';
import { type Apis, type ErrorName, errors, zeroUuid } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { readableTopic } from '../topics/readable-topic.ts';

/**
 * AlterShareGroupOffsets v0: moves the start offset of a share group without members; all records from there on are
 * undelivered. A group that does not exist is created.
 *
 * - A group with members is NON_EMPTY_GROUP; a topic that does not exist is UNKNOWN_TOPIC_OR_PARTITION.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires READ on the group and on each topic.
 */
export const alterShareGroupOffsetsHandler: HandlerOf<Apis['AlterShareGroupOffsets']> = async (
  { groupId, topics },
  context,
) => {
  const { cluster, access } = context;
  if (!access.may('READ', 'GROUP', groupId)) return failed('GROUP_AUTHORIZATION_FAILED');
  const offsets: ShareOffsetToAlter[] = [];
  const requested = topics.map(({ topicName, partitions }) => {
    const topic = readableTopic(topicName, cluster, access);
    const topicId = typeof topic === 'string' ? zeroUuid : topic.topicId;
    return {
      topicName,
      topicId,
      partitions: partitions.map(({ partitionIndex, startOffset }) => {
        if (typeof topic === 'string') return { partitionIndex, place: topic };
        const offset = { topicId, partition: partitionIndex, startOffset: Number(startOffset) };
        return { partitionIndex, place: offsets.push(offset) - 1 };
      }),
    };
  });
  const answer = await coordinatorAnswer(cluster.port.alterShareOffsets({ groupId, offsets }), context);
  if (answer === undefined || answer.error !== 'NONE') {
    return failed(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS');
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    responses: requested.map(({ topicName, topicId, partitions }) => ({
      topicName,
      topicId,
      partitions: partitions.map(({ partitionIndex, place }) => ({
        partitionIndex,
        ...resultOf(typeof place === 'string' ? place : answer.results[place]!),
      })),
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
