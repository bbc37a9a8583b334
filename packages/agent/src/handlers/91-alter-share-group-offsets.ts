import type { ShareOffsetToAlter } from '@weir/metadata';
import { type Apis, errors, zeroUuid } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/**
 * AlterShareGroupOffsets v0: a share group without members begins elsewhere, with all records undelivered.
 *
 * - A group with members is NON_EMPTY_GROUP; a topic that is not there is UNKNOWN_TOPIC_OR_PARTITION.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS.
 *
 * Missing: ACLs.
 */
export const alterShareGroupOffsetsHandler: HandlerOf<Apis['AlterShareGroupOffsets']> = async (
  { groupId, topics },
  { cluster },
) => {
  const offsets: ShareOffsetToAlter[] = [];
  const asked = topics.map(({ topicName, partitions }) => {
    const topicId = cluster.topicByName(topicName)?.topicId;
    return {
      topicName,
      topicId: topicId ?? zeroUuid,
      partitions: partitions.map(({ partitionIndex, startOffset }) => {
        if (topicId === undefined) return { partitionIndex, at: -1 };
        const offset = { topicId, partition: partitionIndex, startOffset: Number(startOffset) };
        return { partitionIndex, at: offsets.push(offset) - 1 };
      }),
    };
  });
  const answer = await ifAvailable(cluster.port.alterShareOffsets({ groupId, offsets }));
  if (answer === undefined || answer.error !== 'NONE') {
    const error = answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
    return { throttleTimeMs: 0, errorCode: errors[error].code, responses: [] };
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    responses: asked.map(({ topicName, topicId, partitions }) => ({
      topicName,
      topicId,
      partitions: partitions.map(({ partitionIndex, at }) => ({
        partitionIndex,
        errorCode: errors[at < 0 ? 'UNKNOWN_TOPIC_OR_PARTITION' : answer.results[at]!].code,
      })),
    })),
  };
};
