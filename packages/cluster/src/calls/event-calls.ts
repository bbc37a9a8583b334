import * as s from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

const controlPlaneEvent = s.struct({
  type: s.text,
  timeMs: s.whole,
  /** The complete event as it is written to the topic. */
  text: s.text,
});
export type ControlPlaneEvent = s.TypeOf<typeof controlPlaneEvent>;

const controlPlaneEventsPoll = s.struct({
  agentId: s.text,
  /** `queueId` of the last answer; empty on the first poll. */
  queueId: s.text,
  /** Events of that queue with lower numbers are written. */
  writtenBefore: s.whole,
  /** At most `controlPlaneEventsWaitMsMax`. */
  waitMs: s.whole,
});
export type ControlPlaneEventsPoll = s.TypeOf<typeof controlPlaneEventsPoll>;

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
    s.tuple(s.list(controlPlaneEvent)),
    { membersOnly: true, onRetry: 'dedupe-in-process', deadlineMs: 10_000 },
  ),
  /**
   * Polls for events and acknowledges those already written; unacknowledged events are returned again. Waits if there
   * are none.
   */
  takeControlPlaneEvents: leaderCall<[request: ControlPlaneEventsPoll], ControlPlaneEventsTaken>(
    s.tuple(controlPlaneEventsPoll),
    { onRetry: 'reexecute', deadlineMs: 60_000, waits: true },
  ),
};

export type EventsPort = PortOf<typeof eventCalls>;
