import type { PartitionsOfTopic } from '../topic-partition.ts';
import type { GroupError, GroupStateName } from './group-names.ts';

/** What consumer and share groups have in common. As in Kafka, these are the modern groups. */

export interface ModernHeartbeatAnswer {
  /** COORDINATOR_LOAD_IN_PROGRESS: the result of the heartbeat could not be made durable; the member retries. */
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  /** `null` if unchanged since the last answer to the member. */
  readonly assignment: readonly PartitionsOfTopic[] | null;
}

/** A group that does not exist or has another type is GROUP_ID_NOT_FOUND, with state Dead. */
export interface ModernGroupDescription<Member extends ModernMemberDescription = ModernMemberDescription> {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly epoch: number;
  readonly assignmentEpoch: number;
  readonly assignor: string;
  readonly members: readonly Member[];
}

export interface ModernMemberDescription {
  readonly memberId: string;
  readonly rackId: string | null;
  readonly epoch: number;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: readonly string[];
  /** The current assignment. */
  readonly assigned: readonly PartitionsOfTopic[];
}
