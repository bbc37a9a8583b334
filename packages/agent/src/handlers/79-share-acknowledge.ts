import { type Apis, type ErrorName, errors, type ResponseOf } from '@weir/wire';
import { saidOf } from '../share/acknowledgements.ts';
import type { ShareService } from '../share/share-service.ts';
import { closingEpoch } from '../share/share-sessions.ts';
import type { HandlerOf } from './handler.ts';

type Response = ResponseOf<Apis['ShareAcknowledge']>;

const renewFromVersion = 2;
const noOtherLeader = { leaderId: -1, leaderEpoch: -1 };

/**
 * ShareAcknowledge v1 and v2: what became of records, without fetching more. It is durable before it is answered.
 *
 * - It goes on with the session of ShareFetch, and may close it; what the member still has goes back then.
 * - All that is said of one partition is done, or nothing: INVALID_RECORD_STATE when the member does not have a record, or no longer.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS.
 *
 * Missing: ACLs.
 */
export function shareAcknowledgeHandler(service: ShareService): HandlerOf<Apis['ShareAcknowledge']> {
  return async (request, { apiVersion, closed }) => {
    const { groupId, memberId, shareSessionEpoch, isRenewAck } = request;
    if (!groupId || !memberId) return refused('INVALID_REQUEST');
    const session = service.sessions.acknowledge({ groupId, memberId, shareSessionEpoch }, closed);
    if (typeof session === 'string') return refused(session);
    const said = saidOf(request.topics, isRenewAck && apiVersion >= renewFromVersion);
    const acknowledged = await service.acknowledge(session, said, shareSessionEpoch === closingEpoch);
    if (acknowledged.error !== 'NONE') return refused(acknowledged.error);
    const topics = new Map<string, Response['responses'][number]['partitions'][number][]>();
    for (const [index, { topicId, partition }] of said.entries()) {
      const partitions = topics.get(topicId) ?? [];
      topics.set(topicId, partitions);
      const errorCode = errors[acknowledged.errors[index]!].code;
      partitions.push({ partitionIndex: partition, errorCode, currentLeader: noOtherLeader });
    }
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      acquisitionLockTimeoutMs: acknowledged.lockMs,
      responses: Array.from(topics, ([topicId, partitions]) => ({ topicId, partitions })),
      nodeEndpoints: [],
    };
  };
}

function refused(error: ErrorName): Response {
  return { throttleTimeMs: 0, errorCode: errors[error].code, responses: [], nodeEndpoints: [] };
}
