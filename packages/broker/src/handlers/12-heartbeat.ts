import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * Heartbeat v0 to v4, for members of classic groups. Concurrent heartbeats are sent to the control plane in one call.
 *
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and members wait and stay
 *   in their group.
 * - Requires READ on the group.
 */
export function heartbeatHandler({ heartbeats }: GroupCalls): HandlerOf<Apis['Heartbeat']> {
  return async ({ groupId, generationId, memberId, groupInstanceId }, context) => {
    const { access } = context;
    if (!access.may('READ', 'GROUP', groupId)) {
      return { throttleTimeMs: 0, errorCode: errors.GROUP_AUTHORIZATION_FAILED.code };
    }
    const error = await coordinatorAnswer(
      heartbeats.ask({ groupId, generationId, memberId, groupInstanceId }),
      context,
    );
    return { throttleTimeMs: 0, errorCode: errors[error ?? 'COORDINATOR_LOAD_IN_PROGRESS'].code };
  };
}
