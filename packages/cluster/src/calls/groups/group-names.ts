/** Errors of group calls, by Kafka's names. */
const groupErrors = [
  'NONE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'OFFSET_METADATA_TOO_LARGE',
  'ILLEGAL_GENERATION',
  'INCONSISTENT_GROUP_PROTOCOL',
  'INVALID_GROUP_ID',
  'UNKNOWN_MEMBER_ID',
  'INVALID_SESSION_TIMEOUT',
  'REBALANCE_IN_PROGRESS',
  'INVALID_COMMIT_OFFSET_SIZE',
  'INVALID_REQUEST',
  'POLICY_VIOLATION',
  'NON_EMPTY_GROUP',
  'GROUP_ID_NOT_FOUND',
  'MEMBER_ID_REQUIRED',
  'GROUP_MAX_SIZE_REACHED',
  'FENCED_INSTANCE_ID',
  'GROUP_SUBSCRIBED_TO_TOPIC',
  'UNSTABLE_OFFSET_COMMIT',
  'UNKNOWN_TOPIC_ID',
  'FENCED_MEMBER_EPOCH',
  'UNRELEASED_INSTANCE_ID',
  'UNSUPPORTED_ASSIGNOR',
  'STALE_MEMBER_EPOCH',
  'INVALID_REGULAR_EXPRESSION',
  'STREAMS_INVALID_TOPOLOGY',
] as const;

export type GroupError = (typeof groupErrors)[number];

/** A group id has one type at a time. */
export const groupTypes = ['classic', 'consumer', 'share', 'streams'] as const;

export type GroupType = (typeof groupTypes)[number];

/** Kafka's names. The classic ones are states of `groups/classic`; other types have their own. */
export type GroupStateName =
  | 'Empty'
  | 'PreparingRebalance'
  | 'CompletingRebalance'
  | 'Stable'
  | 'Dead'
  | 'NotReady'
  | 'Assigning'
  | 'Reconciling';
