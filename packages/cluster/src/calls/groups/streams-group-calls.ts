import * as s from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { TopicToCreate } from '../topic-calls.ts';
import type { PartitionsOfTopic } from '../topic-partition.ts';
import type { GroupError, GroupStateName } from './group-names.ts';

/** Tasks of one subtopology: partition numbers of its source topics. */
const tasksOfSubtopology = s.struct({ subtopologyId: s.text, partitions: s.list(s.number) });

/** A topic that the coordinator has agents create for the application. */
const internalTopic = s.struct({
  name: s.text,
  /** 0 where it follows from other topics. */
  partitionCount: s.number,
  /** 0 for the default. */
  replicationFactor: s.number,
  configs: s.texts,
});
export type StreamsInternalTopic = s.TypeOf<typeof internalTopic>;

/** A part of the application whose tasks read the same partition number of all of its source topics. */
const subtopology = s.struct({
  subtopologyId: s.text,
  sourceTopics: s.list(s.text),
  changelogTopics: s.list(internalTopic),
  repartitionSinkTopics: s.list(s.text),
  repartitionSourceTopics: s.list(internalTopic),
  /** Source topics of the subtopology that need equal partition counts, by name. */
  copartitionGroups: s.list(s.list(s.text)),
});
export type StreamsSubtopology = s.TypeOf<typeof subtopology>;

const topology = s.struct({ epoch: s.number, subtopologies: s.list(subtopology) });
export type StreamsTopology = s.TypeOf<typeof topology>;

const endpoint = s.struct({ host: s.text, port: s.number });
export type StreamsEndpoint = s.TypeOf<typeof endpoint>;

/** The tasks of a member by kind. */
const streamsTasks = s.struct({ active: s.list(tasksOfSubtopology), standby: s.list(tasksOfSubtopology) });
export type StreamsTasks = s.TypeOf<typeof streamsTasks>;

/** A field that is unchanged since the last heartbeat is `null` or -1. A joining member sends all fields. */
const streamsHeartbeat = s.struct({
  groupId: s.text,
  memberId: s.text,
  /** 0 joins, -1 leaves, -2 leaves temporarily (static member); otherwise the epoch of the last answer. */
  memberEpoch: s.number,
  /** The epoch of the endpoints that the member knows. */
  endpointEpoch: s.number,
  instanceId: s.nullable(s.text),
  rackId: s.nullable(s.text),
  clientId: s.text,
  clientHost: s.text,
  rebalanceTimeoutMs: s.number,
  topology: s.nullable(topology),
  owned: s.nullable(streamsTasks),
  processId: s.nullable(s.text),
  endpoint: s.nullable(endpoint),
  clientTags: s.nullable(s.texts),
  /** All members have to stop. */
  shutdownApplication: s.flag,
});
export type StreamsHeartbeat = s.TypeOf<typeof streamsHeartbeat>;

/** Why members have no tasks, or have to stop, by Kafka's names. */
type StreamsStatusName =
  | 'STALE_TOPOLOGY'
  | 'MISSING_SOURCE_TOPICS'
  | 'INCORRECTLY_PARTITIONED_TOPICS'
  | 'MISSING_INTERNAL_TOPICS'
  | 'SHUTDOWN_APPLICATION'
  | 'ASSIGNMENT_DELAYED';

export interface StreamsStatus {
  readonly status: StreamsStatusName;
  readonly detail: string;
}

export interface StreamsHeartbeatAnswer {
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  readonly status: readonly StreamsStatus[];
  /** `null` if unchanged since the last answer to the member. */
  readonly tasks: StreamsTasks | null;
  readonly endpointEpoch: number;
  /** `null` if the member knows this epoch. */
  readonly endpoints: readonly PartitionsOfEndpoint[] | null;
  /** Internal topics that are missing: the agent creates them, if the client may. */
  readonly topicsToCreate: readonly TopicToCreate[];
}

/** The partitions that an instance of the application can be asked about. */
export interface PartitionsOfEndpoint {
  readonly endpoint: StreamsEndpoint;
  readonly active: readonly NamedPartitions[];
  readonly standby: readonly NamedPartitions[];
}

interface NamedPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

export interface StreamsGroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly epoch: number;
  readonly assignmentEpoch: number;
  /** Absent if there is an error. With the partition counts of internal topics as soon as they are known. */
  readonly topology?: StreamsTopology | undefined;
  readonly members: readonly StreamsMemberDescription[];
}

interface StreamsMemberDescription {
  readonly memberId: string;
  readonly epoch: number;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly topologyEpoch: number;
  readonly processId: string;
  readonly endpoint: StreamsEndpoint | null;
  readonly clientTags: Readonly<Record<string, string>>;
  readonly assigned: StreamsTasks;
  /** The partitions that its active tasks read. */
  readonly reads: readonly PartitionsOfTopic[];
  readonly target: StreamsTasks;
}

/** Calls about streams groups (KIP-1071). */
export const streamsGroupCalls = {
  /** Heartbeats of members of streams groups, batched by the caller; members join, update and leave with them. */
  streamsGroupHeartbeats: leaderCall<[heartbeats: readonly StreamsHeartbeat[]], StreamsHeartbeatAnswer[]>(
    s.tuple(s.list(streamsHeartbeat)),
    { onRetry: 'dedupe-in-process', deadlineMs: 10_000, splits: true },
  ),
  describeStreamsGroups: leaderCall<[groupIds: readonly string[]], StreamsGroupDescription[]>(
    s.tuple(s.list(s.text)),
    { onRetry: 'reexecute', splits: true },
  ),
};
