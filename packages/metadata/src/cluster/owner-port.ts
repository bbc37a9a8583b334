import type { ReportedConnections } from './agent-report.ts';
import type { AgentDescription, TopicDescription } from './port.ts';

export interface SeenAgent extends AgentDescription {
  /** When it last said so, by the clock of the leader. */
  readonly lastSeenMs: number;
}

export interface AgentClients extends ReportedConnections {
  readonly agentId: string;
  /** When it told, by the clock of the leader; `null` when it did not of late. */
  readonly heardMs: number | null;
}

export interface DeletedTopic {
  readonly topic: TopicDescription;
  readonly deletedMs: number;
  /** By the time to live that the cluster has now. */
  readonly restorableUntilMs: number;
  /** What its partitions take in files. */
  readonly byteCount: number;
}
