import { assignRanges } from '@weir/cluster';
import type { AssignorMember } from './assignor-member.ts';
import type { TopicPartitions } from './partitions.ts';
import { assignUniformly } from './uniform.ts';

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
  range: assignRanges,
} as const satisfies Record<string, Assignor>;

export type AssignorName = keyof typeof assignors;

export const defaultAssignor: AssignorName = 'uniform';

export function isAssignorName(name: string): name is AssignorName {
  return Object.hasOwn(assignors, name);
}
