import { bool, int16, int32, int64, listOf, string, struct, structs, uint16 } from '../schema/field.ts';
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

const endpoint = {
  host: string(),
  port: uint16(),
};

const taskOffset = {
  subtopologyId: string(),
  partition: int32(),
  offset: int64(),
};

const taskIds = {
  subtopologyId: string(),
  partitions: listOf(int32),
};

const assignment = {
  activeTasks: structs(taskIds),
  standbyTasks: structs(taskIds),
  warmupTasks: structs(taskIds),
};

/**
 * TODO
 */
export const streamsGroupDescribe = defineApi({
  key: 89,
  name: 'StreamsGroupDescribe',
  versions: '0',
  flexible: '0+',
  request: {
    groupIds: listOf(string),
    includeAuthorizedOperations: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    groups: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true, default: null }),
      groupId: string(),
      groupState: string(),
      groupEpoch: int32(),
      assignmentEpoch: int32(),
      topology: struct(
        {
          epoch: int32(),
          subtopologies: structs(
            {
              subtopologyId: string(),
              sourceTopics: listOf(string),
              repartitionSinkTopics: listOf(string),
              stateChangelogTopics: structs(topicInfo),
              repartitionSourceTopics: structs(topicInfo),
            },
            { nullable: true, default: null },
          ),
        },
        { nullable: true, default: null },
      ),
      members: structs({
        memberId: string(),
        memberEpoch: int32(),
        instanceId: string({ nullable: true, default: null }),
        rackId: string({ nullable: true, default: null }),
        clientId: string(),
        clientHost: string(),
        topologyEpoch: int32(),
        processId: string(),
        userEndpoint: struct(endpoint, { nullable: true, default: null }),
        clientTags: structs(keyValue),
        taskOffsets: structs(taskOffset),
        taskEndOffsets: structs(taskOffset),
        assignment: struct(assignment),
        targetAssignment: struct(assignment),
        isClassic: bool(),
      }),
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
