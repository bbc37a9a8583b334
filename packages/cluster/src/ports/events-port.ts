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
