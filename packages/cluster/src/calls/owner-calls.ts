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

/** The calls of those who own the cluster. Kafka has no calls for it, so that agents do not make them. */
export const ownerCalls = {
  /** The agents that live, by their ids, with what they said last. */
  listAgents: leaderCall<[], SeenAgent[]>(tuple(), { onRetry: 'reexecute' }),
  /** The clients that are connected to each agent that lives, as it said last. */
  listClients: leaderCall<[], AgentClients[]>(tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** The configs that are set for the cluster. Agents follow them. */
  clusterConfigs: query<[], Readonly<Record<string, string>>>(tuple(), { membersOnly: true }),
  /** Topics by id or by name, `null` for those that do not exist. Reads nothing of other topics. */
  describeTopics: query<[topics: readonly TopicReference[]], (TopicDescription | null)[]>(
    tuple(list(topicReference)),
    { membersOnly: true, splits: true },
  ),
  /** Topics with the offsets at which their partitions begin and end, without those that do not exist. */
  describePartitions: query<[topics: readonly TopicReference[]], TopicsWithEnds>(
    tuple(list(topicReference)),
    {
      membersOnly: true,
    },
  ),
  /** How many there are of what the cluster has limits for. */
  countResources: query<[], ResourceCounts>(tuple(), { membersOnly: true }),
  /** Deleted topics that can be restored, the last deleted first. */
  listDeletedTopics: query<[], DeletedTopic[]>(tuple(), { membersOnly: true }),
  /** Brings deleted topics back as they were: records, configs, and offsets of groups. Each has its own answer. */
  restoreTopics: command<[topicIds: readonly string[]], TopicResult[]>(tuple(list(text)), {
    membersOnly: true,
  }),
  /** Deletes topics with all that they hold, at once and for good, whatever the cluster does with other deleted topics. */
  removeTopics: command<[topics: readonly TopicReference[]], TopicResult[]>(tuple(list(topicReference)), {
    membersOnly: true,
  }),
  /**
   * Says that the key of an agent was revoked: what agents know of each other is replaced once no process that had the key is
   * connected.
   */
  replaceSecrets: leaderCall<[], void>(tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** Changes configs as `alterConfigs` does, those too that only owners may. */
  alterOwnerConfigs: command<
    [resources: readonly ConfigsToAlter[], options: MutationOptions],
    AlterConfigsResult[]
  >(tuple(list(configsToAlter), mutationOptions), { membersOnly: true }),
};
