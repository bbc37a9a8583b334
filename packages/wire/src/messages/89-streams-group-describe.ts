import { bool, int32, listOf, string, struct, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import {
  groupsToDescribe,
  result,
  streamsEndpoint,
  streamsKeyValues,
  streamsTasks,
  streamsTopics,
  taskOffsets,
} from './shared-fields.ts';

const tasksOfMember = struct({
  activeTasks: structs(streamsTasks),
  standbyTasks: structs(streamsTasks),
  warmupTasks: structs(streamsTasks),
});

/**
 * An admin client describes streams groups, their topology and their members (KIP-1071). A missing group, or one of
 * another type, is GROUP_ID_NOT_FOUND.
 */
export const streamsGroupDescribe = defineApi({
  key: 89,
  name: 'StreamsGroupDescribe',
  versions: '0',
  flexible: '0+',
  request: groupsToDescribe,
  response: {
    throttleTimeMs: int32(),
    groups: structs({
      ...result,
      groupId: string(),
      /** Empty, NotReady, Assigning, Reconciling, Stable or Dead. */
      groupState: string(),
      groupEpoch: int32(),
      assignmentEpoch: int32(),
      topology: struct(
        {
          epoch: int32(),
          /** With the partition counts of internal topics as soon as they are known. */
          subtopologies: structs(
            {
              subtopologyId: string(),
              sourceTopics: listOf(string),
              repartitionSinkTopics: listOf(string),
              stateChangelogTopics: streamsTopics,
              repartitionSourceTopics: streamsTopics,
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
        userEndpoint: struct(streamsEndpoint, { nullable: true, default: null }),
        clientTags: structs(streamsKeyValues),
        taskOffsets: structs(taskOffsets),
        taskEndOffsets: structs(taskOffsets),
        /** What the member owns now. */
        assignment: tasksOfMember,
        /** What it will own after reconciliation. */
        targetAssignment: tasksOfMember,
        isClassic: bool(),
      }),
      /** Bit n stands for ACL operation n; the default means that it was not requested. */
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
