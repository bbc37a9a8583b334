import type { TopicPartitions } from './partitions.ts';
import { assignRange } from './range.ts';
import { assignUniformly } from './uniform.ts';

/** A member as an assignor sees it. */
export interface AssignorMember {
  readonly memberId: string;
  /** The name of a static member. */
  readonly instanceId: string | null;
  /** Ids of the subscribed topics; all of them exist. Members with the same subscription share the object. */
  readonly topicIds: ReadonlySet<string>;
  /** Its previous target assignment. */
  readonly before: TopicPartitions;
}

/**
 * Assigns every partition of each subscribed topic to exactly one member that subscribes to the topic. The result
 * depends only on the input, not on the order of the members.
 */
type Assignor = (
  members: readonly AssignorMember[],
  /** The number of partitions of each topic that has a subscriber. */
  topics: ReadonlyMap<string, number>,
) => Map<string, TopicPartitions>;

/** The server-side assignors that members can request by name. The default applies when no member requests one. */
export const assignors = {
  uniform: assignUniformly,
  range: assignRange,
} as const satisfies Record<string, Assignor>;

export type AssignorName = keyof typeof assignors;

export const defaultAssignor: AssignorName = 'uniform';

export function isAssignorName(name: string): name is AssignorName {
  return Object.hasOwn(assignors, name);
}
