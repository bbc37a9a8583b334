import type { GroupError } from '@weir/cluster';
import type { ModernGroup, TopicsView } from './modern-group.ts';

/** The inputs that all modern groups have, with their answers. */
export interface ModernEvents {
  /**
   * Topics of these names were created, grown or deleted; without names, a new leader must check all topics of the
   * group.
   */
  topics: { readonly event: { readonly names?: readonly string[] | undefined }; readonly answer: undefined };
  delete: { readonly event: object; readonly answer: GroupError };
  /** A deadline may have passed. */
  tick: { readonly event: object; readonly answer: undefined };
}

/** A table of events, by kind. */
export type EventTable<Events> = {
  readonly [Kind in keyof Events]: { readonly event: object; readonly answer: unknown };
};

export type EventOf<Events extends EventTable<Events>, Kind extends keyof Events> = {
  readonly kind: Kind;
} & Events[Kind]['event'];

export type AnswerOf<Events extends EventTable<Events>, Kind extends keyof Events> = Events[Kind]['answer'];

/** What a group decides by the kind of an event. */
export type Decisions<Step, Events extends EventTable<Events>> = {
  readonly [Kind in keyof Events]: Decision<Step, Events, Kind>;
};

type Decision<Step, Events extends EventTable<Events>, Kind extends keyof Events> = (
  step: Step,
  event: EventOf<Events, Kind>,
) => AnswerOf<Events, Kind>;

export function decide<Step, Events extends EventTable<Events>, Kind extends keyof Events>(
  decisions: Decisions<Step, Events>,
  step: Step,
  event: EventOf<Events, Kind>,
): AnswerOf<Events, Kind> {
  return decisions[event.kind](step, event);
}

/** Configuration and limits. */
export interface ModernRules {
  /** The minimum time between two computations of the targets. */
  readonly assignmentIntervalMs: number;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly groupSizeMax: number;
  /** The limit of topic names in a subscription. */
  readonly subscribedNamesMax: number;
  /** The limit of the metadata of all members of a group. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
}

/** The processing of one event: the group, the time, and the effects so far. */
export class ModernStep<Group extends ModernGroup, Rules extends ModernRules, Topics extends TopicsView> {
  readonly group: Group;
  readonly nowMs: number;
  readonly rules: Rules;
  readonly topics: Topics;
  /** The earliest deadline that this event set. Infinite if it set none. */
  soonestMs = Number.POSITIVE_INFINITY;

  constructor(group: Group, nowMs: number, rules: Rules, topics: Topics) {
    this.group = group;
    this.nowMs = nowMs;
    this.rules = rules;
    this.topics = topics;
  }

  /** Schedules a wake-up of the group after the delay. */
  deadline(delayMs: number): number {
    return this.wakeAt(this.nowMs + delayMs);
  }

  wakeAt(atMs: number): number {
    if (atMs < this.soonestMs) this.soonestMs = atMs;
    return atMs;
  }
}
