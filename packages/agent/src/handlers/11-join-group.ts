import type { AgentDescription } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { clientHostOf } from '../security/session/client-host.ts';

/**
 * JoinGroup v0 to v9. The control plane coordinates; the answer comes when all members have joined or the slow ones were
 * given up.
 *
 * - v0 has no rebalance timeout: it is the session timeout.
 * - From v4 on a new member must come back with the id that it was given (MEMBER_ID_REQUIRED).
 * - Up to v6 there is no null: an answer without a protocol names the empty one.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which clients wait and retry.
 * - It takes READ on the group.
 */
export function joinGroupHandler(self: () => AgentDescription): HandlerOf<Apis['JoinGroup']> {
  return async (request, context) => {
    const { apiVersion, cluster, access } = context;
    if (!access.may('READ', 'GROUP', request.groupId)) {
      return failed('GROUP_AUTHORIZATION_FAILED', request.memberId, apiVersion);
    }
    const answer = await ifAvailable(
      cluster.port.joinGroup({
        groupId: request.groupId,
        memberId: request.memberId,
        groupInstanceId: request.groupInstanceId,
        clientId: context.clientId ?? '',
        clientHost: clientHostOf(context.remoteAddress),
        sessionTimeoutMs: request.sessionTimeoutMs,
        rebalanceTimeoutMs:
          request.rebalanceTimeoutMs < 0 ? request.sessionTimeoutMs : request.rebalanceTimeoutMs,
        protocolType: request.protocolType,
        // The group keeps it, and the memory of the frame is used again.
        protocols: request.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
        requiresKnownMemberId: apiVersion >= 4,
        supportsSkipAssignment: apiVersion >= 9,
        reason: request.reason,
        agentId: self().agentId,
      }),
    );
    if (answer === undefined) return failed('COORDINATOR_LOAD_IN_PROGRESS', request.memberId, apiVersion);
    if (answer.error !== 'NONE') return failed(answer.error, answer.memberId, apiVersion);
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      generationId: answer.generationId,
      protocolType: answer.protocolType,
      protocolName: answer.protocolName ?? '',
      leader: answer.leader,
      skipAssignment: answer.skipAssignment,
      memberId: answer.memberId,
      members: answer.members.map(({ memberId, groupInstanceId, metadata }) => ({
        memberId,
        groupInstanceId,
        metadata: asBuffer(metadata),
      })),
    };
  };
}

const nullableProtocolFromVersion = 7;

function failed(error: ErrorName, memberId: string, apiVersion: number) {
  return {
    throttleTimeMs: 0,
    errorCode: errors[error].code,
    generationId: -1,
    protocolName: apiVersion >= nullableProtocolFromVersion ? null : '',
    leader: '',
    memberId,
    members: [],
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
