import type { TopicPartitions } from './partitions.ts';
import { assignRange } from './range.ts';
import { assignUniformly } from './uniform.ts';

/** A member as an assignor sees it. */
export interface AssignorMember {
  readonly memberId: string;
  /** The name of a static member. */
  readonly instanceId: string | null;
  /** Ids of topics that it listens to; all of them exist. Members that listen to the same topics share the object. */
  readonly topicIds: ReadonlySet<string>;
  /** What it was to have until now. */
  readonly before: TopicPartitions;
}

/**
 * Shares the partitions of topics among the members that listen to them: every partition of a topic that somebody listens to goes
 * to exactly one member. The same input gives the same output, in whatever order members come.
 */
type Assignor = (
  members: readonly AssignorMember[],
  /** The number of partitions of each topic that somebody listens to. */
  topics: ReadonlyMap<string, number>,
) => Map<string, TopicPartitions>;

/** Those that members may ask for by name; the first is for groups whose members ask for none. */
export const assignors = {
  uniform: assignUniformly,
  range: assignRange,
} as const satisfies Record<string, Assignor>;

export type AssignorName = keyof typeof assignors;

export const defaultAssignor: AssignorName = 'uniform';

export function isAssignorName(name: string): name is AssignorName {
  return Object.hasOwn(assignors, name);
}
