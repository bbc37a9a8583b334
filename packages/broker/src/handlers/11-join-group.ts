import type { AgentDescription } from '@weir/cluster';
import { clientHostOf } from '@weir/security';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * JoinGroup v0 to v9. The control plane coordinates; it answers when all members have joined or the slow ones have
 * timed out.
 *
 * - v0 has no rebalance timeout and uses the session timeout.
 * - From v4 on, a new member must join again with its assigned id (MEMBER_ID_REQUIRED).
 * - Up to v6 the protocol name is not nullable: a response without a protocol has an empty name.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and clients back off and
 *   retry.
 * - Requires READ on the group.
 */
export function joinGroupHandler(self: () => AgentDescription): HandlerOf<Apis['JoinGroup']> {
  return async (request, context) => {
    const { apiVersion, cluster, access } = context;
    if (!access.may('READ', 'GROUP', request.groupId)) {
      return failed('GROUP_AUTHORIZATION_FAILED', request.memberId, apiVersion);
    }
    const answer = await coordinatorAnswer(
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
        // A copy, because the group retains it and the memory of the frame is reused.
        protocols: request.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
        requiresKnownMemberId: apiVersion >= 4,
        supportsSkipAssignment: apiVersion >= 9,
        reason: request.reason,
        agentId: self().agentId,
      }),
      context,
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
