import type { GroupError, OffsetsCommit, OffsetsCommitAnswer } from '@weir/cluster';
import { type Apis, type ErrorName, errors, type RequestOf, zeroUuid } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { isPossiblyLate, repeatedIfLate } from '../cluster-calls/late-requests.ts';
import { offsetWeight, portionsOf } from '../cluster-calls/portions.ts';
import { readOffsetsToCommit } from '../groups/offsets-to-commit.ts';
import type { HandlerOf } from '../requests/handler.ts';

const topicIdsFromVersion = 10;
const epochsFromVersion = 9;

/**
 * OffsetCommit v2 to v10. Concurrent commits are sent to the control plane in one call and become one journal entry. A
 * commit that is too large for one call is split into several commits.
 *
 * - A partition that does not exist gets its own error; the others are committed.
 * - An error of the group or the member is returned for every partition. Clients before v9 do not know
 *   GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH here and get ILLEGAL_GENERATION.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and clients back off and
 *   retry. A commit on another connection than the last one of its member is held for a moment (`repeatedIfLate`).
 * - Requires READ on the group; otherwise every partition is GROUP_AUTHORIZATION_FAILED. Requires READ on each topic.
 */
export function offsetCommitHandler({ commits, marks }: GroupCalls): HandlerOf<Apis['OffsetCommit']> {
  return async (request, context) => {
    const { apiVersion, cluster, access, origin } = context;
    const { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId } = request;
    if (!access.may('READ', 'GROUP', groupId)) return allDenied(request.topics);
    const byId = apiVersion >= topicIdsFromVersion;
    const read = readOffsetsToCommit(request.topics, { cluster, access, byId });
    const { offsets } = read;
    const answer =
      offsets.length === 0
        ? undefined
        : await repeatedIfLate(context, isPossiblyLate, () =>
            coordinatorAnswer(
              commitInPortions({
                groupId,
                generationIdOrMemberEpoch,
                memberId,
                groupInstanceId,
                origin: marks.originOf(origin),
                retentionMs: Number(request.retentionTimeMs),
                offsets,
              }),
              context,
            ),
          );
    const topics = read.answer((at) => {
      if (answer === undefined) return 'COORDINATOR_LOAD_IN_PROGRESS';
      return answer.error === 'NONE' ? answer.offsets[at]! : groupErrorFor(answer.error, apiVersion);
    });
    return {
      throttleTimeMs: 0,
      topics: topics.map((topic) => ({ ...topic, topicId: topic.topicId ?? zeroUuid })),
    };
  };

  /** Returns the result of each offset, or the first answer with an error. */
  async function commitInPortions(commit: OffsetsCommit): Promise<Omit<OffsetsCommitAnswer, 'mark'>> {
    const portions = portionsOf(commit.offsets, offsetWeight);
    if (portions.length <= 1) return commits.ask(commit);
    const offsets: OffsetsCommitAnswer['offsets'][number][] = [];
    for (const portion of portions) {
      const answer = await commits.ask({ ...commit, offsets: portion });
      if (answer.error !== 'NONE') return answer;
      for (const outcome of answer.offsets) offsets.push(outcome);
    }
    return { error: 'NONE', offsets };
  }
}

function allDenied(topics: RequestOf<Apis['OffsetCommit']>['topics']) {
  const errorCode = errors.GROUP_AUTHORIZATION_FAILED.code;
  return {
    throttleTimeMs: 0,
    topics: topics.map(({ name, topicId, partitions }) => ({
      name,
      topicId,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  };
}

function groupErrorFor(error: GroupError, apiVersion: number): ErrorName {
  const isUnknownBefore = error === 'GROUP_ID_NOT_FOUND' || error === 'STALE_MEMBER_EPOCH';
  return isUnknownBefore && apiVersion < epochsFromVersion ? 'ILLEGAL_GENERATION' : error;
}
