import type { MetricRow } from '@weir/core';

/** The tags that operators may switch off; what they told apart is then combined into one figure. */
export const switchedTags = ['topic', 'consumer_group', 'partition'] as const;

export type SwitchedTag = (typeof switchedTags)[number];

/** A figure of the cluster. Everyone who publishes it says the same, so that one process does. */
export interface PublishedMetric<Label extends string = string> extends MetricRow<Label> {
  readonly kind: 'gauge';
  /** What becomes of several figures that no tag tells apart any more. */
  readonly combined: 'sum' | 'max' | 'min';
}

type ByPartition = 'topic' | 'partition';
type ByGroup = 'consumer_group';

const byPartition: readonly ByPartition[] = ['topic', 'partition'];
const byGroup: readonly ByGroup[] = ['consumer_group'];
const byGroupAndPartition: readonly (ByPartition | ByGroup)[] = ['topic', 'consumer_group', 'partition'];

function published<Label extends string>(
  name: string,
  labels: readonly Label[],
  combined: PublishedMetric['combined'],
  help: string,
): PublishedMetric<Label> {
  return { name, kind: 'gauge', labels, combined, help };
}

export const maxOffset = published(
  'max_offset',
  byPartition,
  'max',
  'The offset behind the last record of a partition.',
);
export const minOffset = published(
  'min_offset',
  byPartition,
  'min',
  'The offset of the first record of a partition that is still there.',
);
export const recordCount = published(
  'num_records',
  byPartition,
  'sum',
  'Offsets between the first record of a partition and its end.',
);
export const topicCount = published('topics_count', [], 'sum', 'Topics of the cluster.');
export const partitionCount = published(
  'partitions_count',
  [],
  'sum',
  'Partitions of all topics of the cluster.',
);

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
  'The offset that a consumer group has committed.',
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

/** What is published whatever is left out. */
export const leftOutRow: MetricRow<'what'> = {
  name: 'cluster_metrics_left_out',
  kind: 'gauge',
  help: 'What of the cluster is not told because there is too much of it: groups, or series of a metric.',
  labels: ['what'],
};

export const publishOutcomeRow: MetricRow<'outcome'> = {
  name: 'publish_all',
  kind: 'counter',
  help: 'Rounds in which this process published the metrics of its cluster.',
  labels: ['outcome'],
};
