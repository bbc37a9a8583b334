import type { AgentDescription } from '../calls/agents/agent-calls.ts';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import type { Pointers } from '../calls/pointers.ts';
import type { TopicDescription } from '../calls/topic-calls.ts';

/** The calls needed to measure the groups of a cluster. */
export type MeasuredGroupsPort = Pick<
  ClusterPort,
  | 'listGroups'
  | 'describeGroups'
  | 'describeConsumerGroups'
  | 'describeShareGroups'
  | 'describeStreamsGroups'
  | 'describeShareOffsets'
  | 'fetchOffsets'
>;

/** The calls needed to measure a cluster. */
export type MeasuredPort = MeasuredGroupsPort &
  Pick<
    ClusterPort,
    'findBatches' | 'logSizes' | 'countFiles' | 'fileTotals' | 'storageTraffic' | 'listReportedTables'
  >;

export interface PartitionSpan {
  readonly logStartOffset: number;
  /** The offset after the last record. */
  readonly nextOffset: number;
}

/** What is known of a cluster without a call: an agent follows the cluster, other processes read a snapshot. */
export interface MeasuredClusterView {
  readonly port: MeasuredPort;
  topics(): Iterable<TopicDescription>;
  topicByName(name: string): TopicDescription | undefined;
  topicById(topicId: string): TopicDescription | undefined;
  agents(): readonly AgentDescription[];
  /** Returns `undefined` if the topic or the partition does not exist. */
  ends(topicId: string, partition: number): PartitionSpan | undefined;
  /** Returns pointers that cover an offset, if known; otherwise the caller uses `findBatches`. */
  recentPointers(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined;
}
