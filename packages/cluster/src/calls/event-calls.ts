import { list, object, text, tuple, whole } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

export interface ControlPlaneEvent {
  readonly type: string;
  readonly timeMs: number;
  /** The complete event as it is written to the topic. */
  readonly text: string;
}

export interface ControlPlaneEventsPoll {
  readonly agentId: string;
  /** `queueId` of the last answer; empty on the first poll. */
  readonly queueId: string;
  /** Events of that queue with lower numbers are written. */
  readonly writtenBefore: number;
  /** At most `controlPlaneEventsWaitMsMax`. */
  readonly waitMs: number;
}

export interface ControlPlaneEventsTaken {
  /** Differs for every leader. */
  readonly queueId: string;
  /** The number after the last event of the answer. */
  readonly nextNumber: number;
  readonly events: readonly ControlPlaneEvent[];
}

export const controlPlaneEventsWaitMsMax = 20_000;

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
