import { published } from './published-metric.ts';

const byGroup = ['consumer_group'] as const;
const byGroupAndPartition = ['topic', 'consumer_group', 'partition'] as const;

export const groupLag = published(
  'consumer_group_lag',
  byGroupAndPartition,
  'sum',
  'Records that a consumer group has not committed yet; all of them when it has committed no offset.',
);

export const groupLagSeconds = published(
  'consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds',
  byGroupAndPartition,
  'max',
  'How long ago the first record that a consumer group has not committed was written, very coarsely.',
);

export const groupMaxOffset = published(
  'consumer_group_max_offset',
  byGroupAndPartition,
  'max',
  'The offset that a consumer group has committed; of a share group, the one before which everything is done.',
);

export const groupCommitTime = published(
  'consumer_group_commit_ts',
  byGroupAndPartition,
  'max',
  'When a consumer group last committed an offset, in nanoseconds since 1970.',
);

export const groupState = published(
  'consumer_group_state',
  ['consumer_group', 'group_state'],
  'sum',
  'Consumer groups by their state.',
);

export const groupGeneration = published(
  'consumer_group_generation_id',
  byGroup,
  'max',
  'The generation of a classic group, or the epoch of another.',
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
