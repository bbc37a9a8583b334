export interface ControlPlaneEvent {
  readonly type: string;
  readonly timeMs: number;
  /** The whole event, as it is written. */
  readonly text: string;
}

export interface ControlPlaneEventsPoll {
  readonly agentId: string;
  /** What the last answer said; empty the first time. */
  readonly queueId: string;
  /** Events of that queue before this number are written. */
  readonly writtenBefore: number;
  /** At most `controlPlaneEventsWaitMsMax`. */
  readonly waitMs: number;
}

export interface ControlPlaneEventsTaken {
  /** Every leader has another one. */
  readonly queueId: string;
  /** The number behind the last event of the answer. */
  readonly nextNumber: number;
  readonly events: readonly ControlPlaneEvent[];
}

export const controlPlaneEventsWaitMsMax = 20_000;
