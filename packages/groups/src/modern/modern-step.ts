import type { GroupError } from '@weir/cluster';
import type { AnswerOf, EventOf, EventTable } from '../event-table.ts';
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

/** What a group decides by the kind of an event. */
export type Decisions<Step, Events extends EventTable<Events>> = {
  readonly [Kind in keyof Events]: Decision<Step, Events, Kind>;
};

type Decision<Step, Events extends EventTable<Events>, Kind extends keyof Events> = (
  step: Step,
  event: EventOf<Events, Kind>,
) => AnswerOf<Events, Kind>;

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

/** The answer to an event, and what else it caused. All of it must be durable before the answer is sent. */
export interface Stepped<Effects, Answer> {
  readonly answer: Answer;
  readonly effects: Effects;
}

/** Returns the function that processes events as the table decides. */
export function stepBy<
  Group extends ModernGroup,
  Rules extends ModernRules,
  Topics extends TopicsView,
  Step extends ModernStep<Group, Rules, Topics>,
  Events extends EventTable<Events>,
>(
  stepOf: new (group: Group, nowMs: number, rules: Rules, topics: Topics) => Step,
  decisions: Decisions<Step, Events>,
) {
  return <Kind extends keyof Events>(
    group: Group,
    event: EventOf<Events, Kind>,
    nowMs: number,
    rules: Rules,
    topics: Topics,
  ): Stepped<Step, AnswerOf<Events, Kind>> => {
    const effects = new stepOf(group, nowMs, rules, topics);
    return { answer: decisions[event.kind](effects, event), effects };
  };
}
