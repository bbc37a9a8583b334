import { bool, int8, int16, int32, int64, listOf, string, struct, structs, uint16 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const keyValue = {
  key: string(),
  value: string(),
};

const topicInfo = {
  name: string(),
  partitions: int32(),
  replicationFactor: int16(),
  topicConfigs: structs(keyValue),
};

const taskIds = {
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

const status = {
  statusCode: int8(),
  statusDetail: string(),
};

const topicPartition = {
  topic: string(),
  partitions: listOf(int32),
};

/**
 * TODO
 */
export const streamsGroupHeartbeat = defineApi({
  key: 88,
  name: 'StreamsGroupHeartbeat',
  versions: '0',
  flexible: '0+',
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    endpointInformationEpoch: int32(),
    instanceId: string({ nullable: true, default: null }),
    rackId: string({ nullable: true, default: null }),
    rebalanceTimeoutMs: int32({ default: -1 }),
    topology: struct(
      {
        epoch: int32(),
        subtopologies: structs({
          subtopologyId: string(),
          sourceTopics: listOf(string),
          sourceTopicRegex: listOf(string),
          stateChangelogTopics: structs(topicInfo),
          repartitionSinkTopics: listOf(string),
          repartitionSourceTopics: structs(topicInfo),
          copartitionGroups: structs({
            sourceTopics: listOf(int16),
            sourceTopicRegex: listOf(int16),
            repartitionSourceTopics: listOf(int16),
          }),
        }),
      },
      { nullable: true, default: null },
    ),
    activeTasks: structs(taskIds, { nullable: true, default: null }),
    standbyTasks: structs(taskIds, { nullable: true, default: null }),
    warmupTasks: structs(taskIds, { nullable: true, default: null }),
    processId: string({ nullable: true, default: null }),
    userEndpoint: struct(endpoint, { nullable: true, default: null }),
    clientTags: structs(keyValue, { nullable: true, default: null }),
    taskOffsets: structs(taskOffset, { nullable: true, default: null }),
    taskEndOffsets: structs(taskOffset, { nullable: true, default: null }),
    shutdownApplication: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    memberId: string(),
    memberEpoch: int32(),
    heartbeatIntervalMs: int32(),
    acceptableRecoveryLag: int32(),
    taskOffsetIntervalMs: int32(),
    status: structs(status, { nullable: true }),
    activeTasks: structs(taskIds, { nullable: true, default: null }),
    standbyTasks: structs(taskIds, { nullable: true, default: null }),
    warmupTasks: structs(taskIds, { nullable: true, default: null }),
    endpointInformationEpoch: int32(),
    partitionsByUserEndpoint: structs(
      {
        userEndpoint: struct(endpoint),
        activePartitions: structs(topicPartition),
        standbyPartitions: structs(topicPartition),
      },
      { nullable: true, default: null },
    ),
  },
});
