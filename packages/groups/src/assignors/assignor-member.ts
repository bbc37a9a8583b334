import type { TopicPartitions } from './partitions.ts';

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
