import type { Subscriber } from '@weir/cluster';
import type { TopicPartitions } from './partitions.ts';

/** A member as an assignor sees it. Its topics are ids, and all of them exist; equal subscriptions share the set. */
export interface AssignorMember extends Subscriber {
  /** Its previous target assignment. */
  readonly before: TopicPartitions;
}
