import type {
  ControlPlaneEvent,
  ControlPlaneEventsPoll,
  ControlPlaneEventsTaken,
} from '../ports/events-port.ts';
import { list, object, text, tuple, whole } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

/** The calls about events of the control plane. */
export const eventCalls = {
  /** Leaves events for the agents. Those whose type the cluster does not want are dropped, and the oldest when there are too many. */
  putControlPlaneEvents: leaderCall<[events: readonly ControlPlaneEvent[]], void>(
    tuple(list(object<ControlPlaneEvent>({ type: text, timeMs: whole, text }))),
    { membersOnly: true, onRetry: 'dedupe-in-process', deadlineMs: 10_000 },
  ),
  /**
   * Takes events, and says which of those that were taken before are written; the others are given out again. Waits for some when
   * there are none.
   */
  takeControlPlaneEvents: leaderCall<[wish: ControlPlaneEventsPoll], ControlPlaneEventsTaken>(
    tuple(
      object<ControlPlaneEventsPoll>({ agentId: text, queueId: text, writtenBefore: whole, waitMs: whole }),
    ),
    { onRetry: 'reexecute', deadlineMs: 60_000, waits: true },
  ),
};

export type EventsPort = PortOf<typeof eventCalls>;
