/**
 * How events of the control plane come into the topics of their cluster, which only agents write: the leader holds them until an agent with the role
 * `jobs` takes them. They are in memory and few; a leader that ends takes along those that nobody took.
 */
export interface EventsPort {
  /** Leaves events for the agents. Those whose type the cluster does not want are dropped, and the oldest when there are too many. */
  putControlPlaneEvents(events: readonly ControlPlaneEvent[]): Promise<void>;

  /**
   * Takes events, and says which of those that were taken before are written, so that they are not given out again. Waits for some when there are
   * none.
   */
  takeControlPlaneEvents(wish: ControlPlaneEventsWish): Promise<ControlPlaneEventsTaken>;
}

export interface ControlPlaneEvent {
  readonly type: string;
  readonly timeMs: number;
  /** The whole event, as it is written. */
  readonly text: string;
}

export interface ControlPlaneEventsWish {
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
