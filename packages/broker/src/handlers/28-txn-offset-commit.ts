import type { CommitOrigin, GroupError, OffsetToCommit, TransactionOffsetsAnswer } from '@weir/cluster';
import type { Access } from '@weir/security';
import type { Apis, ErrorName, RequestOf, ResponseOf } from '@weir/wire';
import type { CommitMarks } from '../cluster/commit-marks.ts';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { isPossiblyLate, repeatedIfLate } from '../cluster-calls/late-requests.ts';
import { CommitsInOrder } from '../groups/commits-in-order.ts';
import {
  type AnsweredTopic,
  failOffsetsToCommit,
  type OffsetsToCommit,
} from '../groups/offsets-to-commit.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { inTurns, Turns } from '../requests/turns.ts';

const addsGroupFromVersion = 5;
const abortableFromVersion = 4;

/**
 * TxnOffsetCommit v0 to v5: offsets that take effect when the transaction commits. A commit that is too large for one
 * call is split into several, and later ones of the connection wait for it. Long lists are read and answered in turns.
 *
 * - From v5 on the group is added to the transaction implicitly; before v5, AddOffsetsToTxn must come first.
 * - A transaction that is not open is TRANSACTION_ABORTABLE from v4 on and INVALID_TXN_STATE before; a fenced producer
 *   is INVALID_PRODUCER_EPOCH, as in Kafka.
 * - An empty transactional id is INVALID_REQUEST.
 * - GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH become ILLEGAL_GENERATION.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS in every version; Kafka
 *   sends COORDINATOR_NOT_AVAILABLE to v0 and v1. A commit on another connection than the last one is held for a moment
 *   (`repeatedIfLate`): kafkajs ends when it gets that error.
 * - Requires WRITE on the transactional id (TRANSACTIONAL_ID_AUTHORIZATION_FAILED) and READ on the group
 *   (GROUP_AUTHORIZATION_FAILED), returned for every partition, and READ on each topic (TOPIC_AUTHORIZATION_FAILED).
 */
export function txnOffsetCommitHandler({ marks }: GroupCalls): HandlerOf<Apis['TxnOffsetCommit']> {
  const inOrder = new CommitsInOrder();

  return (request, context) => {
    const refusal = refusalOf(request, context.access);
    if (refusal !== undefined) {
      const refused = inTurns(failOffsetsToCommit(request.topics, refusal), context.clock);
      return refused instanceof Promise ? refused.then(responseOf) : responseOf(refused);
    }
    return inOrder.commit(context, {
      topics: request.topics,
      byId: false,
      send: (read, portions) => commit(request, context, { read, portions, marks }),
    });
  };
}

interface Commit {
  readonly read: OffsetsToCommit;
  readonly portions: readonly OffsetToCommit[][];
  readonly marks: CommitMarks;
}

async function commit(
  request: Request,
  context: RequestContext,
  { read, portions, marks }: Commit,
): Promise<Response> {
  const { apiVersion, cluster, clock } = context;
  const isWithoutId = request.transactionalId === '' && request.groupId !== '';
  const answer =
    portions.length === 0 || isWithoutId
      ? undefined
      : await repeatedIfLate(context, isPossiblyLate, () => coordinatorAnswer(commitInPortions(), context));
  const work = read.answer((at) => {
    if (isWithoutId) return 'INVALID_REQUEST';
    if (answer === undefined) return 'COORDINATOR_LOAD_IN_PROGRESS';
    return answer.error === 'NONE' ? answer.offsets[at]! : errorFor(answer.error, apiVersion);
  });
  const topics = inTurns(work, clock);
  return responseOf(topics instanceof Promise ? await topics : topics);

  /** Returns the result of each offset, or the first answer with an error. */
  async function commitInPortions(): Promise<Pick<TransactionOffsetsAnswer, 'error' | 'offsets'>> {
    const origin = marks.originOf(context.origin);
    const turns = new Turns(clock);
    const offsets: GroupError[] = [];
    for (const portion of portions) {
      const answer = await commitPortion(portion, origin);
      marks.hear(answer.mark);
      if (answer.error !== 'NONE') return answer;
      for (const outcome of answer.offsets) offsets.push(outcome);
      const turn = portions.length === 1 ? undefined : turns.next(portion.length);
      if (turn !== undefined) await turn;
    }
    return { error: 'NONE', offsets };
  }

  function commitPortion(offsets: readonly OffsetToCommit[], origin: CommitOrigin) {
    return cluster.port.commitTransactionOffsets({
      transactionalId: request.transactionalId,
      producerId: Number(request.producerId),
      producerEpoch: request.producerEpoch,
      groupId: request.groupId,
      generationIdOrMemberEpoch: request.generationId,
      memberId: request.memberId,
      groupInstanceId: request.groupInstanceId,
      origin,
      addsGroup: apiVersion >= addsGroupFromVersion,
      offsets,
    });
  }
}

type Request = RequestOf<Apis['TxnOffsetCommit']>;
type Response = ResponseOf<Apis['TxnOffsetCommit']>;

function refusalOf({ transactionalId, groupId }: Request, access: Access): ErrorName | undefined {
  if (!access.may('WRITE', 'TRANSACTIONAL_ID', transactionalId))
    return 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
  if (!access.may('READ', 'GROUP', groupId)) return 'GROUP_AUTHORIZATION_FAILED';
  return undefined;
}

function responseOf(topics: readonly AnsweredTopic[]): Response {
  return { throttleTimeMs: 0, topics: topics.map(({ name, partitions }) => ({ name, partitions })) };
}

function errorFor(error: TransactionOffsetsAnswer['error'], apiVersion: number): ErrorName {
  switch (error) {
    case 'GROUP_ID_NOT_FOUND':
    case 'STALE_MEMBER_EPOCH':
      return 'ILLEGAL_GENERATION';
    case 'PRODUCER_FENCED':
      return 'INVALID_PRODUCER_EPOCH';
    case 'INVALID_TXN_STATE':
      return apiVersion >= abortableFromVersion ? 'TRANSACTION_ABORTABLE' : error;
    default:
      return error;
  }
}
