import type { ClusterPort } from '../calls/cluster-calls.ts';
import type { AgentDescription, Pointers, TopicDescription } from '../ports/port.ts';

/** What has to be asked of a cluster to measure it. */
export type MeasuredPort = Pick<
  ClusterPort,
  | 'findBatches'
  | 'logSizes'
  | 'countFiles'
  | 'listGroups'
  | 'describeGroups'
  | 'describeConsumerGroups'
  | 'describeShareGroups'
  | 'describeShareOffsets'
  | 'fetchOffsets'
>;

export interface PartitionSpan {
  readonly logStartOffset: number;
  /** The offset behind the last record. */
  readonly nextOffset: number;
}

/** What is known of a cluster without asking: an agent follows it, others take a look. */
export interface MeasuredClusterView {
  readonly port: MeasuredPort;
  topics(): Iterable<TopicDescription>;
  topicByName(name: string): TopicDescription | undefined;
  topicById(topicId: string): TopicDescription | undefined;
  agents(): readonly AgentDescription[];
  /** `undefined` when the topic or the partition does not exist. */
  ends(topicId: string, partition: number): PartitionSpan | undefined;
  /** Pointers that cover an offset, when they are known; else `findBatches` is asked. */
  recentPointers(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined;
}
