import type { GroupError, OffsetsCommit, OffsetsCommitAnswer, OffsetToCommit } from '@weir/cluster';
import type { Apis, ErrorName, RequestOf, ResponseOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { isPossiblyLate, repeatedIfLate } from '../cluster-calls/late-requests.ts';
import { CommitsInOrder } from '../groups/commits-in-order.ts';
import { failOffsetsToCommit, type OffsetsToCommit } from '../groups/offsets-to-commit.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { inTurns, Turns } from '../requests/turns.ts';

const topicIdsFromVersion = 10;
const epochsFromVersion = 9;

/**
 * OffsetCommit v2 to v10. Concurrent commits are sent to the control plane in one call and become one journal entry. A
 * commit that is too large for one call is split into several commits, and later commits of the connection wait for it.
 * Long lists are read and answered in turns.
 *
 * - A partition that does not exist gets its own error; the others are committed.
 * - An error of the group or the member is returned for every partition. Clients before v9 do not know
 *   GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH here: they get ILLEGAL_GENERATION, and UNSUPPORTED_VERSION.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and clients back off and
 *   retry. A commit on another connection than the last one of its member is held for a moment (`repeatedIfLate`).
 * - Requires READ on the group; otherwise every partition is GROUP_AUTHORIZATION_FAILED. Requires READ on each topic.
 */
export function offsetCommitHandler({ commits, marks }: GroupCalls): HandlerOf<Apis['OffsetCommit']> {
  const inOrder = new CommitsInOrder();

  return (request, context) => {
    const { apiVersion, access, clock } = context;
    if (!access.may('READ', 'GROUP', request.groupId)) {
      const denied = inTurns(failOffsetsToCommit(request.topics, 'GROUP_AUTHORIZATION_FAILED'), clock);
      return denied instanceof Promise ? denied.then(responseOf) : responseOf(denied);
    }
    return inOrder.commit(context, {
      topics: request.topics,
      byId: apiVersion >= topicIdsFromVersion,
      send: (read, portions) => commit(request, context, read, portions),
    });
  };

  async function commit(
    request: Request,
    context: RequestContext,
    read: OffsetsToCommit,
    portions: readonly OffsetToCommit[][],
  ): Promise<Response> {
    const { apiVersion, origin, clock } = context;
    const { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId } = request;
    const answer =
      portions.length === 0
        ? undefined
        : await repeatedIfLate(context, isPossiblyLate, () =>
            coordinatorAnswer(
              commitInPortions(portions, context, {
                groupId,
                generationIdOrMemberEpoch,
                memberId,
                groupInstanceId,
                origin: marks.originOf(origin),
                retentionMs: Number(request.retentionTimeMs),
              }),
              context,
            ),
          );
    const work = read.answer((at) => {
      if (answer === undefined) return 'COORDINATOR_LOAD_IN_PROGRESS';
      return answer.error === 'NONE' ? answer.offsets[at]! : groupErrorFor(answer.error, apiVersion);
    });
    const topics = inTurns(work, clock);
    return responseOf(topics instanceof Promise ? await topics : topics);
  }

  /** Returns the result of each offset, or the first answer with an error. */
  async function commitInPortions(
    portions: readonly OffsetToCommit[][],
    { clock }: RequestContext,
    commit: Omit<OffsetsCommit, 'offsets'>,
  ): Promise<Omit<OffsetsCommitAnswer, 'mark'>> {
    if (portions.length === 1) return commits.ask({ ...commit, offsets: portions[0]! });
    const turns = new Turns(clock);
    const offsets: OffsetsCommitAnswer['offsets'][number][] = [];
    for (const portion of portions) {
      const answer = await commits.ask({ ...commit, offsets: portion });
      if (answer.error !== 'NONE') return answer;
      for (const outcome of answer.offsets) offsets.push(outcome);
      const turn = turns.next(portion.length);
      if (turn !== undefined) await turn;
    }
    return { error: 'NONE', offsets };
  }
}

type Request = RequestOf<Apis['OffsetCommit']>;
type Response = ResponseOf<Apis['OffsetCommit']>;

function responseOf(topics: Response['topics']): Response {
  return { throttleTimeMs: 0, topics };
}

function groupErrorFor(error: GroupError, apiVersion: number): ErrorName {
  if (apiVersion >= epochsFromVersion) return error;
  if (error === 'STALE_MEMBER_EPOCH') return 'UNSUPPORTED_VERSION';
  return error === 'GROUP_ID_NOT_FOUND' ? 'ILLEGAL_GENERATION' : error;
}
