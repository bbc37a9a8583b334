import type { ShareOffsetToAlter } from '@weir/cluster';
import { type Apis, type ErrorName, errors, zeroUuid } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { readableTopic } from '../topics/readable-topic.ts';

/**
 * AlterShareGroupOffsets v0: a share group without members begins elsewhere, with all records undelivered. A group that is not there is made.
 *
 * - A group with members is NON_EMPTY_GROUP; a topic that is not there is UNKNOWN_TOPIC_OR_PARTITION.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS.
 * - It takes READ on the group and on each topic.
 */
export const alterShareGroupOffsetsHandler: HandlerOf<Apis['AlterShareGroupOffsets']> = async (
  { groupId, topics },
  { cluster, access },
) => {
  if (!access.may('READ', 'GROUP', groupId)) return failed('GROUP_AUTHORIZATION_FAILED');
  const offsets: ShareOffsetToAlter[] = [];
  const asked = topics.map(({ topicName, partitions }) => {
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
  const answer = await ifAvailable(cluster.port.alterShareOffsets({ groupId, offsets }));
  if (answer === undefined || answer.error !== 'NONE') {
    return failed(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS');
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    responses: asked.map(({ topicName, topicId, partitions }) => ({
      topicName,
      topicId,
      partitions: partitions.map(({ partitionIndex, place }) => ({
        partitionIndex,
        errorCode: errors[typeof place === 'string' ? place : answer.results[place]!].code,
      })),
    })),
  };
};

function failed(error: ErrorName) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, responses: [] };
}
