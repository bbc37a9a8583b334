import { type Apis, type ErrorName, errors, type ResponseOf } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import { permittedOf, saidOf } from '../share/acknowledgements.ts';
import type { ShareService } from '../share/share-service.ts';
import { closingEpoch } from '../share/share-sessions.ts';
import { refusalsById } from '../topics/topic-refusals.ts';

type Response = ResponseOf<Apis['ShareAcknowledge']>;

const renewFromVersion = 2;
const noOtherLeader = { leaderId: -1, leaderEpoch: -1 };

/**
 * ShareAcknowledge v1 and v2: what became of records, without fetching more. It is durable before it is answered.
 *
 * - It goes on with the session of ShareFetch, and may close it; what the member still has goes back then.
 * - All that is said of one partition is done, or nothing: INVALID_RECORD_STATE when the member does not have a record, or no longer.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS.
 * - It takes READ on the group, or all of it is GROUP_AUTHORIZATION_FAILED, and READ on each topic, or what is said of its records is not
 *   done (TOPIC_AUTHORIZATION_FAILED).
 */
export function shareAcknowledgeHandler(service: ShareService): HandlerOf<Apis['ShareAcknowledge']> {
  return async (request, context) => {
    const { apiVersion, access, closed } = context;
    const { groupId, memberId, shareSessionEpoch, isRenewAck } = request;
    if (!groupId) return refused('INVALID_REQUEST');
    if (!access.may('READ', 'GROUP', groupId)) return refused('GROUP_AUTHORIZATION_FAILED');
    if (!memberId) return refused('INVALID_REQUEST');
    const session = service.sessions.acknowledge({ groupId, memberId, shareSessionEpoch }, closed);
    if (typeof session === 'string') return refused(session);
    const isRenewing = isRenewAck && apiVersion >= renewFromVersion;
    const said = permittedOf(saidOf(request.topics, isRenewing), refusalsById(context, 'READ'));
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
