import { type Apis, type ErrorName, errors, type ResponseOf } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import { acknowledgementsOf, permittedOf } from '../share/acknowledgements.ts';
import type { ShareService } from '../share/share-service.ts';
import { closingEpoch, isShareMemberId } from '../share/share-sessions.ts';
import { refusalsById } from '../topics/topic-refusals.ts';

type Response = ResponseOf<Apis['ShareAcknowledge']>;

const renewFromVersion = 2;
const noOtherLeader = { leaderId: -1, leaderEpoch: -1 };

/**
 * ShareAcknowledge v1 and v2: acknowledges records without fetching more. Acknowledgements are durable before the
 * response.
 *
 * - It continues the session of ShareFetch, and may close it; records that the member still holds are then released.
 * - Acknowledgements of one partition are applied all or none: INVALID_RECORD_STATE if the member does not hold a
 *   record, or no longer holds it.
 * - If the control plane is unavailable, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires READ on the group; otherwise the whole request is GROUP_AUTHORIZATION_FAILED. Requires READ on each topic;
 *   without it, acknowledgements of its records are not applied (TOPIC_AUTHORIZATION_FAILED).
 */
export function shareAcknowledgeHandler(service: ShareService): HandlerOf<Apis['ShareAcknowledge']> {
  return async (request, context) => {
    const { apiVersion, access, closed } = context;
    const { groupId, memberId, shareSessionEpoch, isRenewAck } = request;
    if (groupId === null) return refused('INVALID_REQUEST');
    if (!access.may('READ', 'GROUP', groupId)) return refused('GROUP_AUTHORIZATION_FAILED');
    if (!isShareMemberId(memberId)) return refused('INVALID_REQUEST');
    const session = service.sessions.acknowledge({ groupId, memberId, shareSessionEpoch }, closed);
    if (typeof session === 'string') return refused(session);
    const isRenewing = isRenewAck && apiVersion >= renewFromVersion;
    const acknowledgements = permittedOf(
      acknowledgementsOf(request.topics, isRenewing),
      refusalsById(context, 'READ'),
    );
    const acknowledged = await service.acknowledge(
      session,
      acknowledgements,
      shareSessionEpoch === closingEpoch,
    );
    if (acknowledged.error !== 'NONE') return refused(acknowledged.error);
    const topics = new Map<string, Response['responses'][number]['partitions'][number][]>();
    for (const [index, { topicId, partition }] of acknowledgements.entries()) {
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
