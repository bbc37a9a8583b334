import type { ReportedConnections } from './agent-report.ts';
import type { AgentDescription, ClusterSnapshot, TopicDescription } from './port.ts';

export interface SeenAgent extends AgentDescription {
  /** When it last said so, by the clock of the leader. */
  readonly lastSeenMs: number;
}

export interface AgentClients extends ReportedConnections {
  readonly agentId: string;
  /** When it told, by the clock of the leader; `null` when it did not of late. */
  readonly heardMs: number | null;
}

/** Some topics of a cluster, in the columns of a snapshot: partitions counted up within each topic. */
export type TopicsWithEnds = Pick<
  ClusterSnapshot,
  'topics' | 'logStartOffset' | 'nextOffset' | 'lastStableOffset'
>;

export interface ResourceCounts {
  readonly topics: number;
  readonly partitions: number;
  readonly acls: number;
  readonly clientQuotas: number;
  readonly credentials: number;
}

export interface DeletedTopic {
  readonly topic: TopicDescription;
  readonly deletedMs: number;
  /** By the time to live that the cluster has now. */
  readonly restorableUntilMs: number;
  /** What its partitions take in files. */
  readonly byteCount: number;
}
