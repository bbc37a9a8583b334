import type { AlterConfigsResult, ConfigsToAlter } from './admin-port.ts';
import type { ReportedConnections } from './agent-report.ts';
import type {
  AgentDescription,
  MutationOptions,
  TopicDescription,
  TopicReference,
  TopicResult,
} from './port.ts';

/** What the control plane asks of a cluster for those who own it. Kafka has no calls for it, so that agents do not ask. */
export interface OwnerPort {
  /** The agents that live, by their ids, with what they said last. */
  listAgents(): Promise<SeenAgent[]>;

  /** The clients that are connected to each agent that lives, as it told last. */
  listClients(): Promise<AgentClients[]>;

  /** Deleted topics that can be restored, the last deleted first. */
  listDeletedTopics(): Promise<DeletedTopic[]>;

  /** Brings deleted topics back as they were: records, configs, and offsets of groups. Each is answered for itself. */
  restoreTopics(topicIds: readonly string[]): Promise<TopicResult[]>;

  /** Deletes topics with all that they hold, at once and for good, whatever the cluster does with other deleted topics. */
  removeTopics(topics: readonly TopicReference[]): Promise<TopicResult[]>;

  /** Says that the key of an agent was revoked: what agents know of each other is replaced once nobody who had the key is connected. */
  replaceSecrets(): Promise<void>;

  /** Changes configs as `alterConfigs` does, those too that only owners may. */
  alterOwnerConfigs(
    resources: readonly ConfigsToAlter[],
    options: MutationOptions,
  ): Promise<AlterConfigsResult[]>;
}

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
