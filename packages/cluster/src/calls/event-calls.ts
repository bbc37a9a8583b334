import type {
  ControlPlaneEvent,
  ControlPlaneEventsPoll,
  ControlPlaneEventsTaken,
} from '../ports/events-port.ts';
import { list, object, text, tuple, whole } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

/** Calls about events of the control plane. */
export const eventCalls = {
  /**
   * Queues events for the agents. Drops events of types that the cluster does not record, and the oldest events on
   * overflow.
   */
  putControlPlaneEvents: leaderCall<[events: readonly ControlPlaneEvent[]], void>(
    tuple(list(object<ControlPlaneEvent>({ type: text, timeMs: whole, text }))),
    { membersOnly: true, onRetry: 'dedupe-in-process', deadlineMs: 10_000 },
  ),
  /**
   * Polls for events and acknowledges those already written; unacknowledged events are returned again. Waits if there
   * are none.
   */
  takeControlPlaneEvents: leaderCall<[request: ControlPlaneEventsPoll], ControlPlaneEventsTaken>(
    tuple(
      object<ControlPlaneEventsPoll>({ agentId: text, queueId: text, writtenBefore: whole, waitMs: whole }),
    ),
    { onRetry: 'reexecute', deadlineMs: 60_000, waits: true },
  ),
};

export type EventsPort = PortOf<typeof eventCalls>;
