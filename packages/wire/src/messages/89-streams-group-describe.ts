import { bool, int16, int32, int64, listOf, string, struct, structs, uint16 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const keyValue = {
  key: string(),
  value: string(),
};

/** A topic that the server has created for the application. */
const internalTopic = {
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

const subtopologyTasks = {
  subtopologyId: string(),
  partitions: listOf(int32),
};

const taskAssignment = {
  activeTasks: structs(subtopologyTasks),
  standbyTasks: structs(subtopologyTasks),
  warmupTasks: structs(subtopologyTasks),
};

/**
 * An admin client looks at Kafka Streams groups, their topology, members and tasks (KIP-1071).
 *
 * v0 is the only version.
 * A missing group, or one of another type, is GROUP_ID_NOT_FOUND.
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
      /** Empty, NotReady, Assigning, Reconciling, Stable or Dead. */
      groupState: string(),
      groupEpoch: int32(),
      /** The group epoch that the target assignment was computed for. */
      assignmentEpoch: int32(),
      /** Null on an error. */
      topology: struct(
        {
          epoch: int32(),
          /** With patterns resolved to topics; null until the topology can be configured. */
          subtopologies: structs(
            {
              subtopologyId: string(),
              sourceTopics: listOf(string),
              repartitionSinkTopics: listOf(string),
              stateChangelogTopics: structs(internalTopic),
              repartitionSourceTopics: structs(internalTopic),
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
        /** What the member runs now. */
        assignment: struct(taskAssignment),
        /** What it will run in the end. */
        targetAssignment: struct(taskAssignment),
        /** Still on the classic protocol. */
        isClassic: bool(),
      }),
      /** Bit n stands for ACL operation n; the default says that nobody asked. */
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
