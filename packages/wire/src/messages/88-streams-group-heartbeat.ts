import { bool, int8, int16, int32, int64, listOf, string, struct, structs, uint16 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const keyValue = {
  key: string(),
  value: string(),
};

/** A topic that the server creates for the application. */
const internalTopic = {
  name: string(),
  /** 0 if the server is to derive it from the source topics, as always for changelogs. */
  partitions: int32(),
  /** 0 for the default. */
  replicationFactor: int16(),
  topicConfigs: structs(keyValue),
};

const subtopologyTasks = {
  subtopologyId: string(),
  partitions: listOf(int32),
};

const endpoint = {
  host: string(),
  port: uint16(),
};

const taskOffset = {
  subtopologyId: string(),
  partition: int32(),
  offset: int64(),
};

const groupStatus = {
  /** 0 stale topology, 1 no source topics, 2 wrong partition counts, 3 no internal topics, 4 shutdown. */
  statusCode: int8(),
  statusDetail: string(),
};

const topicPartitions = {
  topic: string(),
  partitions: listOf(int32),
};

/**
 * A member of a Kafka Streams group joins, stays or leaves, and learns its tasks (KIP-1071).
 *
 * v0 is the only version.
 * It works as ConsumerGroupHeartbeat does, with tasks in place of partitions: active ones process, standby
 * ones keep a copy of the state, warm-up ones prepare to become active. A member that joins sends its
 * topology, and the server creates the internal topics. What has not changed is null, in both directions.
 */
export const streamsGroupHeartbeat = defineApi({
  key: 88,
  name: 'StreamsGroupHeartbeat',
  versions: '0',
  flexible: '0+',
  request: {
    groupId: string(),
    memberId: string(),
    /** 0 joins, -1 leaves, -2 a static member leaves to come back. */
    memberEpoch: int32(),
    /** Of the newest partitionsByUserEndpoint that the member holds. */
    endpointInformationEpoch: int32(),
    instanceId: string({ nullable: true, default: null }),
    rackId: string({ nullable: true, default: null }),
    /** How long the member may take to give up tasks; -1 if unchanged. */
    rebalanceTimeoutMs: int32({ default: -1 }),
    /** Sent with epoch 0 only. */
    topology: struct(
      {
        epoch: int32(),
        subtopologies: structs({
          subtopologyId: string(),
          sourceTopics: listOf(string),
          sourceTopicRegex: listOf(string),
          stateChangelogTopics: structs(internalTopic),
          repartitionSinkTopics: listOf(string),
          repartitionSourceTopics: structs(internalTopic),
          /** Topics that must have equally many partitions, as positions in the lists above. */
          copartitionGroups: structs({
            sourceTopics: listOf(int16),
            sourceTopicRegex: listOf(int16),
            repartitionSourceTopics: listOf(int16),
          }),
        }),
      },
      { nullable: true, default: null },
    ),
    activeTasks: structs(subtopologyTasks, { nullable: true, default: null }),
    standbyTasks: structs(subtopologyTasks, { nullable: true, default: null }),
    warmupTasks: structs(subtopologyTasks, { nullable: true, default: null }),
    /** Members of one process share it, so that standby tasks are placed elsewhere. */
    processId: string({ nullable: true, default: null }),
    /** Where other instances can query the state of this one. */
    userEndpoint: struct(endpoint, { nullable: true, default: null }),
    clientTags: structs(keyValue, { nullable: true, default: null }),
    /** How far the state of each task is restored, in the sum of its changelogs. */
    taskOffsets: structs(taskOffset, { nullable: true, default: null }),
    taskEndOffsets: structs(taskOffset, { nullable: true, default: null }),
    /** Asks all members to shut down. */
    shutdownApplication: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    memberId: string(),
    memberEpoch: int32(),
    heartbeatIntervalMs: int32(),
    /** A warm-up task at most this far behind counts as caught up. */
    acceptableRecoveryLag: int32(),
    /** How often to send taskOffsets. */
    taskOffsetIntervalMs: int32(),
    status: structs(groupStatus, { nullable: true }),
    activeTasks: structs(subtopologyTasks, { nullable: true, default: null }),
    standbyTasks: structs(subtopologyTasks, { nullable: true, default: null }),
    warmupTasks: structs(subtopologyTasks, { nullable: true, default: null }),
    endpointInformationEpoch: int32(),
    /** Where which state can be queried. */
    partitionsByUserEndpoint: structs(
      {
        userEndpoint: struct(endpoint),
        activePartitions: structs(topicPartitions),
        standbyPartitions: structs(topicPartitions),
      },
      { nullable: true, default: null },
    ),
  },
});
