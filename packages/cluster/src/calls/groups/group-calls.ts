import type { PortOf } from '../call.ts';
import { classicGroupCalls } from './classic-group-calls.ts';
import { consumerGroupCalls } from './consumer-group-calls.ts';
import { groupAdminCalls } from './group-admin-calls.ts';
import { groupOffsetCalls } from './group-offset-calls.ts';
import { streamsGroupCalls } from './streams-group-calls.ts';

/**
 * Calls about groups. The leader of the cluster coordinates all groups, and any agent can serve any group.
 *
 * Groups and their errors are Kafka's. The agent handles differences between versions of a Kafka message, except where
 * the coordinator must decide by them; such fields are named for their meaning, not for a version. If a promise rejects
 * with `ClusterUnavailable`, the outcome is unknown: the agent answers COORDINATOR_LOAD_IN_PROGRESS and the client
 * retries.
 */
export const groupCalls = {
  ...classicGroupCalls,
  ...consumerGroupCalls,
  ...streamsGroupCalls,
  ...groupOffsetCalls,
  ...groupAdminCalls,
};

export type GroupsPort = PortOf<typeof groupCalls>;
