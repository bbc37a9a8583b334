import type { GroupError, OffsetsCommit, OffsetsCommitAnswer } from '@weir/cluster';
import { type Apis, type ErrorName, errors, type RequestOf, zeroUuid } from '@weir/wire';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { offsetWeight, portionsOf } from '../cluster-calls/portions.ts';
import { readOffsetsToCommit } from '../groups/offsets-to-commit.ts';
import type { HandlerOf } from '../requests/handler.ts';

const topicIdsFromVersion = 10;
const epochsFromVersion = 9;

/**
 * OffsetCommit v2 to v10. Commits that come together go to the control plane together, as one entry of its journal; one
 * that is too long for a call goes in several, as commits of their own.
 *
 * - A partition that is not there is answered by itself; the others are committed.
 * - What is wrong with the group or the member is told for every partition. Clients before v9 know neither GROUP_ID_NOT_FOUND nor
 *   STALE_MEMBER_EPOCH there and hear ILLEGAL_GENERATION.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which clients wait and retry. So it is for a commit that may
 *   have been under way for too long: the first one of a member on another connection than before, now and then.
 * - It takes READ on the group, without which every partition is GROUP_AUTHORIZATION_FAILED, and READ on each topic.
 */
export function offsetCommitHandler({ commits, marks }: GroupCalls): HandlerOf<Apis['OffsetCommit']> {
  return async (request, { apiVersion, cluster, access, origin }) => {
    const { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId } = request;
    if (!access.may('READ', 'GROUP', groupId)) return allDenied(request.topics);
    const byId = apiVersion >= topicIdsFromVersion;
    const read = readOffsetsToCommit(request.topics, { cluster, access, byId });
    const { offsets } = read;
    const answer =
      offsets.length === 0
        ? undefined
        : await ifAvailable(
            commitInPortions({
              groupId,
              generationIdOrMemberEpoch,
              memberId,
              groupInstanceId,
              origin: marks.originOf(origin),
              retentionMs: Number(request.retentionTimeMs),
              offsets,
            }),
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

  /** What each offset became, or the first answer that is an error. */
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
