import type { ReportedConnections } from './agent-report.ts';
import type { AgentDescription, ClusterSnapshot, TopicDescription } from './port.ts';

export interface SeenAgent extends AgentDescription {
  /** Time of the last heartbeat, by the leader's clock. */
  readonly lastSeenMs: number;
}

export interface AgentClients extends ReportedConnections {
  readonly agentId: string;
  /** When the leader received the report, by the leader's clock; `null` without a recent one. */
  readonly heardMs: number | null;
}

/** Some topics of a cluster in the column layout of a snapshot: partitions in ascending order within each topic. */
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
  /** Computed with the cluster's current retention of deleted topics. */
  readonly restorableUntilMs: number;
  /** Bytes of its partitions in log files. */
  readonly byteCount: number;
}
