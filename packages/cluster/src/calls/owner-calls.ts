import type { AlterConfigsResult, ConfigsToAlter } from '../ports/admin-port.ts';
import type {
  AgentClients,
  DeletedTopic,
  ResourceCounts,
  SeenAgent,
  TopicsWithEnds,
} from '../ports/owner-port.ts';
import type { MutationOptions, TopicDescription, TopicReference, TopicResult } from '../ports/port.ts';
import { list, text, tuple } from '../shapes/shape.ts';
import { configsToAlter } from './admin-calls.ts';
import { command, leaderCall, query } from './call.ts';
import { mutationOptions, topicReference } from './topic-shapes.ts';

/** Calls of the cluster's owner. Kafka has no equivalent, so agents do not make them. */
export const ownerCalls = {
  /** Returns the live agents by id, with their last heartbeat. */
  listAgents: leaderCall<[], SeenAgent[]>(tuple(), { onRetry: 'reexecute' }),
  /** Returns the clients connected to each live agent, as of its last report. */
  listClients: leaderCall<[], AgentClients[]>(tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** Returns the configs set on the cluster. Agents get them from the change stream instead. */
  clusterConfigs: query<[], Readonly<Record<string, string>>>(tuple(), { membersOnly: true }),
  /** Returns topics by id or name, `null` for those that do not exist. Reads no other topics. */
  describeTopics: query<[topics: readonly TopicReference[]], (TopicDescription | null)[]>(
    tuple(list(topicReference)),
    { membersOnly: true, splits: true },
  ),
  /** Returns topics with the first and end offsets of their partitions, omitting those that do not exist. */
  describePartitions: query<[topics: readonly TopicReference[]], TopicsWithEnds>(
    tuple(list(topicReference)),
    {
      membersOnly: true,
    },
  ),
  /** Counts the resources that the cluster has limits for. */
  countResources: query<[], ResourceCounts>(tuple(), { membersOnly: true }),
  /** Returns deleted topics that can be restored, the most recently deleted first. */
  listDeletedTopics: query<[], DeletedTopic[]>(tuple(), { membersOnly: true }),
  /** Restores deleted topics with their records, configs and group offsets. Each has its own result. */
  restoreTopics: command<[topicIds: readonly string[]], TopicResult[]>(tuple(list(text)), {
    membersOnly: true,
  }),
  /** Deletes topics and their data at once and irrevocably, regardless of the cluster's retention of deleted topics. */
  removeTopics: command<[topics: readonly TopicReference[]], TopicResult[]>(tuple(list(topicReference)), {
    membersOnly: true,
  }),
  /**
   * Reports that an agent key was revoked: the secret by which agents authenticate each other is replaced once no
   * process with that key is connected.
   */
  replaceSecrets: leaderCall<[], void>(tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** Changes configs like `alterConfigs`, including those that only owners may change. */
  alterOwnerConfigs: command<
    [resources: readonly ConfigsToAlter[], options: MutationOptions],
    AlterConfigsResult[]
  >(tuple(list(configsToAlter), mutationOptions), { membersOnly: true }),
};
