import { published } from './published-metric.ts';

const byGroup = ['consumer_group'] as const;
const byGroupAndPartition = ['topic', 'consumer_group', 'partition'] as const;

export const groupLag = published(
  'consumer_group_lag',
  byGroupAndPartition,
  'sum',
  'Lag of a consumer group: records not committed yet; all records if it has no committed offset.',
);

export const groupLagSeconds = published(
  'consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds',
  byGroupAndPartition,
  'max',
  'Approximate age of the first record that a consumer group has not committed.',
);

export const groupMaxOffset = published(
  'consumer_group_max_offset',
  byGroupAndPartition,
  'max',
  'Committed offset of a consumer group; for a share group, its start offset.',
);

export const groupCommitTime = published(
  'consumer_group_commit_ts',
  byGroupAndPartition,
  'max',
  'Time of the last offset commit of a consumer group, in nanoseconds since 1970.',
);

export const groupState = published(
  'consumer_group_state',
  ['consumer_group', 'group_state'],
  'sum',
  'Consumer groups, by state.',
);

export const groupGeneration = published(
  'consumer_group_generation_id',
  byGroup,
  'max',
  'Generation of a classic group, or epoch of other groups.',
);

export const groupMemberCount = published(
  'consumer_group_num_members',
  byGroup,
  'sum',
  'Members of a consumer group.',
);

export const groupTopicCount = published(
  'consumer_group_num_topics',
  byGroup,
  'sum',
  'Topics that a consumer group reads or has committed offsets of.',
);

export const groupPartitionCount = published(
  'consumer_group_num_partitions',
  byGroup,
  'sum',
  'Partitions that a consumer group reads or has committed offsets of.',
);

export const groupMetrics = [
  groupLag,
  groupLagSeconds,
  groupMaxOffset,
  groupCommitTime,
  groupState,
  groupGeneration,
  groupMemberCount,
  groupTopicCount,
  groupPartitionCount,
];
