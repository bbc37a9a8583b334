import type { DeleteRecordsResult, RecordsToDelete } from '@weir/cluster';
import { isInternalTopic } from '@weir/core';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { refusalsByName } from '../topics/topic-refusals.ts';

/**
 * DeleteRecords v0 to v2: raises the log start offset. Records before it are invisible to readers when the response is
 * sent.
 *
 * - -1 is the end of the log. An offset beyond it, or another negative one, is OFFSET_OUT_OF_RANGE. An offset before
 *   the log start changes nothing, and the response has the log start.
 * - A topic that is only compacted is POLICY_VIOLATION, and an internal topic INVALID_TOPIC_EXCEPTION.
 * - The log is cut between batches where possible; a batch that spans the new start stays, and clients skip its first
 *   records.
 * - If the control plane is unavailable, the error is NOT_LEADER_OR_FOLLOWER, and clients refresh metadata and retry.
 * - Requires DELETE on the topic; otherwise its partitions are TOPIC_AUTHORIZATION_FAILED.
 *
 * Not implemented: `timeoutMs`.
 */
export const deleteRecordsHandler: HandlerOf<Apis['DeleteRecords']> = async (request, context) => {
  const { cluster } = context;
  const deletions: RecordsToDelete[] = [];
  const refusalOf = refusalsByName(context, 'DELETE');
  const topics = request.topics.map(({ name, partitions }) => {
    const refusal = refusalOf(name) ?? (isInternalTopic(name) ? 'INVALID_TOPIC_EXCEPTION' : undefined);
    const topicId = refusal === undefined ? cluster.topicByName(name)?.topicId : undefined;
    return {
      name,
      problem: refusal ?? ('UNKNOWN_TOPIC_OR_PARTITION' as const),
      partitions: partitions.map(({ partitionIndex, offset }) => ({
        partitionIndex,
        at:
          topicId === undefined || partitionIndex < 0
            ? -1
            : deletions.push({ topicId, partition: partitionIndex, offset: Number(offset) }) - 1,
      })),
    };
  });
  const results = deletions.length === 0 ? [] : await ifAvailable(cluster.port.deleteRecords(deletions));
  await waitForView(context, () =>
    (results ?? []).every((result, index) => isVisible(deletions[index]!, result)),
  );
  return {
    throttleTimeMs: 0,
    topics: topics.map(({ name, problem, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, at }) => {
        if (at < 0) return failed(partitionIndex, problem);
        const result = results?.[at];
        if (result === undefined) return failed(partitionIndex, 'NOT_LEADER_OR_FOLLOWER');
        // This API addresses topics by name only.
        if (result.error === 'UNKNOWN_TOPIC_ID') return failed(partitionIndex, 'UNKNOWN_TOPIC_OR_PARTITION');
        if (result.error !== 'NONE') return failed(partitionIndex, result.error);
        return {
          partitionIndex,
          lowWatermark: BigInt(result.logStartOffset),
          errorCode: errors.NONE.code,
        };
      }),
    })),
  };

  function isVisible(
    { topicId, partition }: RecordsToDelete,
    { logStartOffset }: DeleteRecordsResult,
  ): boolean {
    const ends = cluster.ends(topicId, partition);
    return ends === undefined || ends.logStartOffset >= logStartOffset;
  }
};

function failed(partitionIndex: number, error: ErrorName) {
  return { partitionIndex, lowWatermark: -1n, errorCode: errors[error].code };
}
