import { type Apis, type ErrorName, errors } from '@weir/wire';
import { mayFetch } from '../placement/roles.ts';
import type { HandlerOf } from '../requests/handler.ts';
import {
  acknowledgementsOf,
  type PartitionAcknowledgements,
  permittedOf,
} from '../share/acknowledgements.ts';
import { ShareFetch, type ShareFetchRequest, type ShareFetchResponse } from '../share/share-fetch.ts';
import type { ShareService } from '../share/share-service.ts';
import { closingEpoch, isShareMemberId, type ShareSession } from '../share/share-sessions.ts';
import { refusalsById } from '../topics/topic-refusals.ts';

interface ShareFetchOptions {
  readonly roles: readonly string[];
  /** Called for every request. */
  readonly onFetch?: () => void;
}

/**
 * ShareFetch v1 and v2. The control plane acquires records for the member, and waits for them if necessary; the agent
 * reads them as Fetch does, in whole batches from which the member takes its acquired records.
 *
 * - `maxRecords` is never exceeded, in any acquire mode (KIP-1206). `maxBytes` is exceeded by one batch at most, if it
 *   alone is larger; records that were acquired by an estimate and do not fit are released.
 * - Acknowledgements of a request are applied before it acquires more records, and are durable before the response.
 * - A request that renews locks, or closes the session, fetches nothing.
 * - If the control plane is unavailable, the error is COORDINATOR_LOAD_IN_PROGRESS, and members begin a new session.
 * - Requires READ on the group; otherwise the whole request is GROUP_AUTHORIZATION_FAILED. Requires READ on each topic
 *   of the session; without it, nothing is fetched and acknowledgements are not applied (TOPIC_AUTHORIZATION_FAILED).
 *   Records that the member holds of such a topic are released with the session.
 * - An agent without a fetch role returns NOT_LEADER_OR_FOLLOWER, so that clients refresh their metadata.
 */
export function shareFetchHandler(
  service: ShareService,
  { roles, onFetch }: ShareFetchOptions,
): HandlerOf<Apis['ShareFetch']> {
  return (request, context) => {
    if (!mayFetch(roles)) return notLeader(request);
    onFetch?.();
    const { groupId, memberId, shareSessionEpoch } = request;
    const problem = problemOf(request);
    if (!groupId) return refused('INVALID_REQUEST', idsNeeded);
    if (!context.access.may('READ', 'GROUP', groupId)) return refused('GROUP_AUTHORIZATION_FAILED');
    if (!isShareMemberId(memberId) || problem !== undefined)
      return refused('INVALID_REQUEST', problem ?? idsNeeded);
    const caller = { groupId, memberId, shareSessionEpoch };
    const session = service.sessions.fetch(caller, request, context.closed);
    if (typeof session === 'string') return refused(session);
    const refusalOf = refusalsById(context, 'READ');
    const fetch = new ShareFetch(service.reading, request, session, context, refusalOf);
    const acknowledgements = acknowledgementsOf(
      request.topics,
      request.isRenewAck && context.apiVersion >= renewFromVersion,
    );
    const answer = answerOf(service, request, permittedOf(acknowledgements, refusalOf), session, fetch);
    // Released one step later, when the receiver of the response has already counted it.
    void answer.then(nothing, nothing).then(() => fetch.room?.release());
    return answer;
  };
}

async function answerOf(
  service: ShareService,
  { isRenewAck, shareSessionEpoch }: ShareFetchRequest,
  acknowledgements: readonly PartitionAcknowledgements[],
  session: ShareSession,
  fetch: ShareFetch,
): Promise<ShareFetchResponse> {
  const isOver = shareSessionEpoch === closingEpoch;
  const acknowledging = service.acknowledge(session, acknowledgements, isOver);
  // Not awaited yet, so that both calls share one round trip; an error is thrown at the await below.
  acknowledging.catch(nothing);
  const isFetching = !isOver && !isRenewAck;
  const acquired = isFetching ? await fetch.acquire() : nothingAcquired;
  const results = isFetching && acquired?.error === 'NONE' ? await fetch.read(acquired) : new Map();
  const acknowledged = await acknowledging;
  if (acknowledged.error !== 'NONE') return refused(acknowledged.error);
  // The acknowledgements are applied, so their results must be returned even if the acquisition failed.
  if (acquired?.error !== 'NONE' && acknowledgements.length === 0) {
    return refused(acquired?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS');
  }
  const lockMs = Math.max(acquired?.lockMs ?? 0, acknowledged.lockMs);
  return fetch.respond(results, acknowledgements, acknowledged.errors, lockMs);
}

const renewFromVersion = 2;
const idsNeeded = 'Group id and member id are required.';
const nothingAcquired = { error: 'NONE', lockMs: 0, partitions: [] } as const;

function problemOf(request: ShareFetchRequest): string | undefined {
  const { shareSessionEpoch, topics, isRenewAck, maxWaitMs, minBytes, maxBytes, maxRecords } = request;
  const hasAcknowledgements = topics.some(({ partitions }) =>
    partitions.some(({ acknowledgementBatches }) => acknowledgementBatches.length > 0),
  );
  if (shareSessionEpoch === 0 && hasAcknowledgements)
    return 'The initial request of a share session must not have acknowledgements.';
  if (isRenewAck && [maxWaitMs, minBytes, maxBytes, maxRecords].some((limit) => limit !== 0)) {
    return 'A request with lock renewals must have zero fetch limits.';
  }
  return undefined;
}

function refused(error: ErrorName, errorMessage: string | null = null): ShareFetchResponse {
  return {
    throttleTimeMs: 0,
    errorCode: errors[error].code,
    errorMessage,
    acquisitionLockTimeoutMs: 0,
    responses: [],
    nodeEndpoints: [],
  };
}

function notLeader({ topics }: ShareFetchRequest): ShareFetchResponse {
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    acquisitionLockTimeoutMs: 0,
    responses: topics.map(({ topicId, partitions }) => ({
      topicId,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
        acknowledgeErrorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
        currentLeader: { leaderId: -1, leaderEpoch: -1 },
        records: Buffer.alloc(0),
        acquiredRecords: [],
      })),
    })),
    nodeEndpoints: [],
  };
}

function nothing(): void {}
